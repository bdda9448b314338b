import { describe, expect, it } from 'vitest';

import { openSlowClient } from '../support/slow-client.js';
import { useServer } from '../support/use-server.js';

const LIMIT = 64 * 1024;
const FRAME = 512 * 1024;

const server = useServer({ maxFileBytes: LIMIT });

const START = '--XX\r\ncontent-disposition: form-data; name="file"; filename="a.bin"\r\n\r\n';
const END = '\r\n--XX--\r\n';
const head = (token: string | null, ...headers: string[]): string =>
  [
    `POST /v1/files${token === null ? '' : `?access_token=${token}`} HTTP/1.1`,
    'Host: gateway',
    'Content-Type: multipart/form-data; boundary=XX',
    ...headers,
    '\r\n',
  ].join('\r\n');
const chunk = (bytes: string): string => `${bytes.length.toString(16)}\r\n${bytes}\r\n`;
const total = async (): Promise<number> => {
  const { pagination } = (await server.acme.client.get('files')).body as {
    pagination: { total_entries: number };
  };
  return pagination.total_entries;
};

describe('the size of a file', () => {
  it.each([
    [LIMIT - 1, 201],
    [LIMIT, 201],
    [LIMIT + 1, 413],
    [2 * LIMIT, 413],
    [LIMIT + FRAME + 1, 413],
  ])('UP-04 %i bytes: %i', async (size, status) => {
    const form = new FormData();
    form.set('file', new Blob([Buffer.alloc(size)]), `${size}.bin`);
    const reply = await server.acme.client.post('files', form);
    expect(reply.status).toBe(status);
    if (status === 413) expect(reply.body.code).toBe('too_large');
  });

  it('UP-04 UP-15 a Content-Length of 10 GB is refused before the body is read', async () => {
    const client = await openSlowClient(server.url);
    await client.send(head(server.acme.token, 'Content-Length: 10737418240'));
    expect((await client.answer()).status).toBe(413);
    await client.closed();
  });

  it('UP-04 an endless body is refused at the limit, and the connection is closed', async () => {
    const client = await openSlowClient(server.url);
    await client.send(head(server.acme.token, 'Transfer-Encoding: chunked') + chunk(START));
    const refused = client.answer();
    for (let sent = 0; sent < 1024 && !client.socket.destroyed; sent += 1) {
      await client.send(chunk('x'.repeat(LIMIT)));
    }
    expect((await refused).status).toBe(413);
    await client.closed();
  });

  it('UP-04 an endless preamble is refused at the limit', async () => {
    const client = await openSlowClient(server.url);
    await client.send(head(server.acme.token, 'Transfer-Encoding: chunked'));
    for (let sent = 0; sent <= LIMIT + FRAME; sent += LIMIT) await client.send(chunk('x'.repeat(LIMIT)));
    expect((await client.answer()).status).toBe(413);
  });

  it('UP-04 a Content-Length that is too small is an incomplete body', async () => {
    const before = await total();
    const client = await openSlowClient(server.url);
    await client.send(head(server.acme.token, 'Content-Length: 90') + START + 'x'.repeat(100) + END);
    expect((await client.answer()).status).toBe(400);
    expect(await total()).toBe(before);
  });

  it('UP-04 a Content-Length that is too large stores nothing when the client disconnects', async () => {
    const before = await total();
    const client = await openSlowClient(server.url);
    await client.send(head(server.acme.token, 'Content-Length: 5000') + START + 'x'.repeat(100) + END);
    client.socket.destroy();
    await client.closed();
    expect((await server.acme.client.get('groups')).status).toBe(200);
    expect(await total()).toBe(before);
  });
});

describe('texts of an upload', () => {
  it.each([
    ['a file name', `${START.replace('a.bin', 'caf\u00e9')}x`],
    ['a field', '--XX\r\ncontent-disposition: form-data; name="description"\r\n\r\ncaf\u00e9'],
    ['the name of a field', '--XX\r\ncontent-disposition: form-data; name="caf\u00e9"\r\n\r\nx'],
  ])('RI-05 %s that is not UTF-8 is 400', async (_what, text) => {
    const client = await openSlowClient(server.url);
    const body = Buffer.from(text + END, 'latin1');
    await client.send(head(server.acme.token, `Content-Length: ${body.length}`));
    await client.send(body);
    expect((await client.answer()).status).toBe(400);
    client.socket.destroy();
  });
});

describe('an upload without a token', () => {
  const MEGABYTE = 1024 * 1024;

  it('UP-12 401 is sent while the client waits for 100 Continue', async () => {
    const client = await openSlowClient(server.url);
    await client.send(head(null, `Content-Length: ${50 * MEGABYTE}`, 'Expect: 100-continue'));
    const { status, head: said } = await client.answer();
    expect(status).toBe(401);
    expect(said).toMatch(/^connection: close$/im);
    await client.closed();
  });

  it('UP-12 401 is sent before a megabyte of the body', async () => {
    const client = await openSlowClient(server.url);
    await client.send(head(null, `Content-Length: ${50 * MEGABYTE}`) + START + 'x'.repeat(MEGABYTE / 2));
    const { status, head: said } = await client.answer();
    expect(status).toBe(401);
    expect(said).toMatch(/^connection: close$/im);
    await client.closed();
  });

  it('UP-12 a client that sends 50 MB before it reads still gets the 401', async () => {
    const client = await openSlowClient(server.url);
    client.socket.pause();
    await client.send(head(null, `Content-Length: ${50 * MEGABYTE}`));
    const piece = Buffer.alloc(MEGABYTE, 'x');
    for (let sent = 0; sent < 50; sent += 1) await client.send(piece);
    client.socket.resume();
    const { status, body } = await client.answer();
    expect([status, (JSON.parse(body) as { code: string }).code]).toEqual([401, 'unauthenticated']);
    await client.closed();
  });

  it('UP-12 with a token, 100 Continue is sent', async () => {
    const client = await openSlowClient(server.url);
    const body = `${START}invited${END}`;
    const interim = new Promise((resolve) => client.socket.once('data', (bytes) => resolve(String(bytes))));
    await client.send(head(server.acme.token, `Content-Length: ${body.length}`, 'Expect: 100-continue'));
    expect(await interim).toMatch(/^HTTP\/1[.]1 100 /);
    await client.send(body);
    expect((await client.answer()).status).toBe(201);
    client.socket.destroy();
  });
});

describe('slow uploads', () => {
  it('UP-13 300 clients that send single bytes do not delay others', async () => {
    // One network may have 250 requests in progress.
    const networks = ['127.0.0.2', '127.0.0.3'];
    const slow = await Promise.all(
      Array.from({ length: 300 }, (_, n) => openSlowClient(server.url, networks[n % 2])),
    );
    for (const client of slow) await client.send(head(server.acme.token, 'Content-Length: 5000') + START);
    for (let round = 0; round < 5; round += 1) {
      await Promise.all(slow.map((client) => client.send('x')));
      const form = new FormData();
      form.set('file', new Blob([Buffer.alloc(LIMIT)]), `beside ${round}.bin`);
      expect((await server.beta.client.post('files', form)).status).toBe(201);
      expect((await server.beta.client.get('files')).status).toBe(200);
    }
    for (const client of slow) client.socket.destroy();
    expect((await server.beta.client.get('files')).status).toBe(200);
  });
});
