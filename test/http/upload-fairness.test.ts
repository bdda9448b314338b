import { afterEach, describe, expect, it } from 'vitest';

import { changed } from '../support/dashboard.js';
import { softwareOf } from '../support/fleet.js';
import { fileForm, ownServer, type TestServer } from '../support/server.js';
import { openSlowClient, type SlowClient } from '../support/slow-client.js';
import { carrying } from '../support/uploading.js';

let server: TestServer;
let drips: Drip[] = [];
afterEach(() => {
  for (const { client, timer } of drips) {
    clearInterval(timer);
    client.socket.destroy();
  }
  drips = [];
});

const MEGABYTE = 1_000_000;
/** As many as one company has places, and more that wait. */
const DRIPS = 16;

interface Drip {
  readonly client: SlowClient;
  readonly timer: NodeJS.Timeout;
}

/** An upload of a file by the company beta: 900 KB at once, and then a byte now and then. */
async function drip(everyMs: number): Promise<SlowClient> {
  const client = await openSlowClient(server.url);
  const head = [
    `POST /v1/files?access_token=${server.beta.token} HTTP/1.1`,
    'Host: gateway',
    'Content-Type: multipart/form-data; boundary=X',
    'Content-Length: 5000000',
  ];
  const part = '--X\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n';
  await client.send(`${head.join('\r\n')}\r\n\r\n${part}${'x'.repeat(900_000)}`);
  drips.push({ client, timer: setInterval(() => void client.send('x'), everyMs) });
  return client;
}

const CREATE = `mutation ($file: Upload!) { fileCreate(input: { file: $file }) { file { size } userErrors { path } } }`;

describe('UP-20 dripping uploads of one company', () => {
  it('do not hold up uploads of another company, in any form', async () => {
    server = await ownServer();
    const { client } = server.acme;
    const path = await softwareOf(client).app();
    const clients = await Promise.all(Array.from({ length: DRIPS }, () => drip(15_000)));
    const bytes = Buffer.alloc(MEGABYTE, 'bytecode');
    const bytecode = bytes.toString('base64');
    const form = new URLSearchParams({ number: 'form', bytecode });

    const replies = [
      await client.post('files', fileForm('logo.png', bytes)),
      await client.post(path, { number: 'json', bytecode }),
      await client.post(path, form.toString(), {
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      }),
    ];
    expect(replies.map(({ status }) => status)).toEqual([201, 201, 201]);
    const sent = changed(carrying(server, server.acme, { bytes, name: 'graphql.bin' }), CREATE);
    expect(await sent).toMatchObject({ file: { size: MEGABYTE }, userErrors: [] });
    // Dripping uploads of the other company are still open.
    expect(clients.filter(({ socket }) => socket.destroyed || socket.bytesRead > 0)).toEqual([]);
  });

  it('end with 408, those that wait for a place too, and leave the places to others', async () => {
    server = await ownServer({}, { timeouts: { bodyMs: 1_000 } });
    const clients = await Promise.all(Array.from({ length: DRIPS }, () => drip(100)));
    for (const client of clients) {
      const { status, body } = await client.answer();
      expect([status, JSON.parse(body)]).toMatchObject([
        408,
        {
          code: 'too_slow',
          message: 'The body arrived at less than 1024 bytes per second for 1 seconds.',
        },
      ]);
    }
    const part = fileForm('logo.png', Buffer.alloc(MEGABYTE));
    expect((await server.beta.client.post('files', part)).status).toBe(201);
    expect(server.logs.filter((line) => line.includes('unexpected'))).toEqual([]);
  });
});

describe('UP-20 bodies without a file', () => {
  const requests = {
    REST: () => `POST /v1/groups?access_token=${server.acme.token} HTTP/1.1`,
    GraphQL: () => `POST /graphql HTTP/1.1\r\nAuthorization: Bearer ${server.acme.token}`,
    'a sign-in': () => 'POST /v1/users/token HTTP/1.1',
  };
  const begin = async (line: string, length: number): Promise<SlowClient> => {
    const client = await openSlowClient(server.url);
    const head = ['Host: gateway', 'Content-Type: application/json', `Content-Length: ${String(length)}`];
    await client.send(`${line}\r\n${head.join('\r\n')}\r\n\r\n`);
    return client;
  };

  it.each(Object.entries(requests))('of %s that drip end with 408', async (_name, line) => {
    server = await ownServer({}, { timeouts: { bodyMs: 500 } });
    const client = await begin(line(), 5_000);
    drips.push({ client, timer: setInterval(() => void client.send(' '), 50) });
    expect(await client.answer()).toMatchObject({
      status: 408,
      body: expect.stringContaining('less than 1024 bytes per second for 0.5 seconds') as string,
    });
  });

  it('are small where nobody has signed in', async () => {
    server = await ownServer();
    const client = await begin(requests['a sign-in'](), 16 * 1024 + 1);
    expect(await client.answer()).toMatchObject({ status: 413 });
    const long = await server.anonymous.post('users/token', { email: 'a@b.c', password: 'x'.repeat(16_384) });
    expect(long.status).toBe(413);
  });
});
