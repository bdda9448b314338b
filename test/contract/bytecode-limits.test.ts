import { beforeAll, describe, expect, it } from 'vitest';

import { openSlowClient } from '../support/slow-client.js';
import { softwareOf, unique } from '../support/software.js';
import { useServer } from '../support/use-server.js';

const LIMIT = 1_000_000;
const MIB = 1024 * 1024;

const server = useServer({ maxFileBytes: LIMIT }, { timeouts: { bodyMs: 1_000 } });
let path: string;
beforeAll(async () => {
  path = await softwareOf(server.acme.client).app();
});

const FORM = { headers: { 'content-type': 'application/x-www-form-urlencoded' } };
const base64 = (size: number): string => Buffer.alloc(size, 0xfb).toString('base64');
const head = (method: string, target: string, ...headers: string[]): string =>
  [
    `${method} /v1/${target}?access_token=${server.acme.token} HTTP/1.1`,
    'Host: gateway',
    ...headers,
    '\r\n',
  ].join('\r\n');

async function stored(): Promise<readonly number[]> {
  const rows = await server.app.database.reads.selectFrom('contents').select('size').execute();
  return rows.map(({ size }) => size);
}

describe('bytecode at and over MAX_FILE_BYTES', () => {
  it.each([
    [LIMIT - 1, 201],
    [LIMIT, 201],
    [LIMIT + 1, 413],
    [2 * LIMIT, 413],
  ])('UP-21 of %i bytes is %i in each form', async (size, status) => {
    const before = await stored();
    const { client } = server.acme;
    const multipart = new FormData();
    multipart.set('number', unique());
    multipart.set('bytecode', new Blob([new Uint8Array(size)]), 'app.posxml');
    const replies = [
      await client.post(path, { number: unique(), bytecode: base64(size) }),
      // Each character percent-encoded: the longest form of a text.
      await client.post(path, `number=${unique()}&bytecode=${base64(size).replaceAll('+', '%2B')}`, FORM),
      await client.post(path, multipart),
    ];
    for (const reply of replies) {
      expect(reply.status, reply.text.slice(0, 500)).toBe(status);
      if (status === 413) expect(reply.body.code).toBe('too_large');
    }
    expect((await stored()).length).toBe(before.length + (status === 201 ? replies.length : 0));
  });

  it.each([
    ['JSON', '{"number":"endless","bytecode":"', 'application/json'],
    ['a form', 'number=endless&bytecode=', 'application/x-www-form-urlencoded'],
  ])('UP-21 in %s is refused before it was read whole', async (_form, start, type) => {
    const client = await openSlowClient(server.url);
    await client.send(head('POST', path, `Content-Type: ${type}`, `Content-Length: ${4 * LIMIT}`) + start);
    const refused = client.answer();
    let [sent, isRefused] = [0, false];
    void refused.then(() => (isRefused = true));
    while (!isRefused && sent < 3 * LIMIT) {
      await client.send('A'.repeat(64 * 1024));
      sent += 64 * 1024;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    expect((await refused).status).toBe(413);
    expect((await refused).body).toContain(`The bytecode is larger than ${LIMIT} bytes.`);
    expect(sent).toBeLessThan(2 * LIMIT);
    client.socket.destroy();
  });

  it('UP-21 with a Content-Length of 10 GB is refused before the body is read', async () => {
    const client = await openSlowClient(server.url);
    await client.send(head('PUT', `${path}/1`, 'Content-Length: 10737418240'));
    expect((await client.answer()).status).toBe(413);
    await client.closed();
  });

  it('UP-21 line breaks without end are refused', async () => {
    const client = await openSlowClient(server.url);
    await client.send(head('POST', path, 'Transfer-Encoding: chunked'));
    const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;
    await client.send(chunk('{"bytecode":"QUJD'));
    const refused = client.answer();
    for (let sent = 0; sent < 8 * LIMIT && !client.socket.destroyed; sent += LIMIT) {
      await client.send(chunk('\\n'.repeat(LIMIT / 2)));
    }
    expect((await refused).status).toBe(413);
    client.socket.destroy();
  });
});

describe('the rest of a body with bytecode', () => {
  it('RI-07 has at most 1 MiB', async () => {
    const { client } = server.acme;
    const body = (rest: number): string => {
      const fields = `{"number":"${unique()}","bytecode":"${base64(900_000)}","ignored":""}`;
      const own = fields.length - base64(900_000).length;
      return fields.replace('""', `"${'x'.repeat(rest - own)}"`);
    };
    expect((await client.post(path, body(MIB))).status).toBe(201);
    const over = await client.post(path, body(MIB + 1));
    expect([over.status, over.body.message]).toEqual([
      413,
      'The body without its bytecode is larger than 1048576 bytes.',
    ]);
  });

  it('RI-07 is small in every other call', async () => {
    const { client } = server.acme;
    const made = await softwareOf(client).version(path);
    const large = { number: unique(), bytecode: base64(900_000) };
    const one = `${path}/${String(made.id)}`;
    for (const [method, target] of [
      ['GET', path],
      ['GET', one],
      ['DELETE', one],
      ['POST', 'apps'],
      ['PUT', path.replace('/versions', '')],
      ['POST', 'groups'],
    ] as const) {
      const reply = await client.request(method, target, large);
      expect([reply.status, reply.body.code], `${method} ${target}`).toEqual([413, 'too_large']);
    }
    expect((await client.get(one)).status).toBe(200);
  });

  it('RI-05 is UTF-8, and so is the bytecode', async () => {
    for (const body of [
      `{"number":"\u00e9","bytecode":"${base64(500_000)}"}`,
      `{"bytecode":"${base64(500_000)}\u00e9"}`,
    ]) {
      const client = await openSlowClient(server.url);
      const bytes = Buffer.from(body, 'latin1');
      await client.send(head('POST', path, `Content-Length: ${bytes.length}`));
      await client.send(bytes);
      const { status, body: text } = await client.answer();
      expect([status, text]).toEqual([400, expect.stringContaining('The body is not valid UTF-8.')]);
      client.socket.destroy();
    }
    const refused = await server.acme.client.post(path, '{}', {
      headers: { 'content-type': 'application/json; charset=utf-16' },
    });
    expect(refused.status).toBe(415);
  });
});

describe('a client that sends bytecode', () => {
  it('UP-12 without a token or the right to write is refused before it sends', async () => {
    const viewer = await server.member('acme', 'viewer');
    for (const [token, status] of [
      ['wrong', 401],
      [viewer.token, 403],
    ] as const) {
      const client = await openSlowClient(server.url);
      const asks = head('POST', path, `Content-Length: ${LIMIT}`, 'Expect: 100-continue');
      await client.send(asks.replace(server.acme.token, token));
      expect((await client.answer()).status).toBe(status);
      await client.closed();
    }
  });

  it('UP-13 gets 408 where it stops, and stores nothing where it leaves', async () => {
    const before = await stored();
    const begin = async () => {
      const client = await openSlowClient(server.url);
      const body = `{"number":"slow","bytecode":"${base64(500_000)}`;
      await client.send(head('POST', path, `Content-Length: ${body.length + 100}`) + body);
      return client;
    };
    const [stops, leaves] = [await begin(), await begin()];
    setTimeout(() => leaves.socket.destroy(), 200);
    const { status, body } = await stops.answer();
    expect([status, body]).toEqual([
      408,
      expect.stringContaining('at less than 1024 bytes per second for 1 seconds.'),
    ]);
    await leaves.closed();
    expect(await stored()).toEqual(before);
    expect(server.logs.filter((line) => line.includes('unexpected'))).toEqual([]);
  });
});
