import { beforeAll, describe, expect, it } from 'vitest';

import { rowsIn, softwareOf, unique } from '../support/fleet.js';
import { fileForm, useServer } from '../support/server.js';
import { openSlowClient } from '../support/slow-client.js';

const KIB = 1024;
const MIB = 1024 * KIB;
const LIMIT = 1_000_000;
/** Bytes of a multipart body beside its file. */
const FRAME = 512 * KIB;

const server = useServer({ maxFileBytes: LIMIT });
/** Path of the versions of an app. */
let versions: string;
beforeAll(async () => {
  versions = await softwareOf(server.acme.client).app();
});

const START = '--XX\r\ncontent-disposition: form-data; name="file"; filename="a.bin"\r\n\r\n';
const END = '\r\n--XX--\r\n';
const MULTIPART = 'Content-Type: multipart/form-data; boundary=XX';
const FORM = 'application/x-www-form-urlencoded';
const AS_MULTIPART =
  'The bytecode is too large for base64 text: it may have 1000000 bytes, and the whole body 2381912. Send it as multipart/form-data, which takes up to 1000000 bytes.';
const base64 = (size: number): string => Buffer.alloc(size, 0xfb).toString('base64');
const chunk = (bytes: string): string => `${bytes.length.toString(16)}\r\n${bytes}\r\n`;

function head(target: string, token: string | null, ...headers: string[]): string {
  const [method = '', path = ''] = target.split(' ');
  const query = token === null ? '' : `?access_token=${token}`;
  return [`${method} /v1/${path}${query} HTTP/1.1`, 'Host: gateway', ...headers, '\r\n'].join('\r\n');
}

/** Head of an upload by the administrator of acme. */
const ours = (target: string, ...headers: string[]): string =>
  head(target, server.acme.token, ...headers, ...(target.endsWith('files') ? [MULTIPART] : []));

/** A client that has sent this. */
async function sending(...parts: readonly (string | Uint8Array)[]) {
  const client = await openSlowClient(server.url);
  for (const part of parts) await client.send(part);
  return client;
}

const stored = (): Promise<number> => rowsIn(server, 'contents');

const multipart = (size: number, fields: Readonly<Record<string, string>> = {}): FormData =>
  fileForm(`${unique()}.bin`, new Uint8Array(size), fields, 'bytecode');

describe('an upload at and over MAX_FILE_BYTES', () => {
  it.each([
    [LIMIT - 1, 201],
    [LIMIT, 201],
    [LIMIT + 1, 413],
    [LIMIT + FRAME + 1, 413],
    [2 * LIMIT, 413],
  ])('UP-04 UP-21 of %i bytes is %i, as a file and as bytecode in each form', async (size, status) => {
    const before = await stored();
    const { client } = server.acme;
    // Each character percent-encoded: the longest form of a text.
    const form = `number=${unique()}&bytecode=${base64(size).replaceAll('+', '%2B')}`;
    const replies = [
      await client.post('files', multipart(size)),
      await client.post(versions, multipart(size, { number: unique() })),
      await client.post(versions, { number: unique(), bytecode: base64(size) }),
      await client.post(versions, form, { headers: { 'content-type': FORM } }),
    ];
    for (const reply of replies) {
      expect(reply.status, reply.text.slice(0, 500)).toBe(status);
      if (status === 413) expect(reply.body.code).toBe('too_large');
    }
    expect(await stored()).toBe(before + (status === 201 ? replies.length : 0));
  });

  it.each([
    ['a file', () => 'POST files', [], START, `The file is larger than ${LIMIT} bytes.`],
    [
      'JSON',
      () => `POST ${versions}`,
      ['Content-Type: application/json'],
      '{"number":"1","bytecode":"',
      AS_MULTIPART,
    ],
    ['a form', () => `POST ${versions}`, [`Content-Type: ${FORM}`], 'number=1&bytecode=', AS_MULTIPART],
  ])(
    'UP-04 UP-21 in %s is refused before it was read whole',
    async (_form, target, headers, start, message) => {
      const begun = ours(target(), ...headers, `Content-Length: ${4 * LIMIT}`);
      const client = await sending(begun, start + 'A'.repeat(2 * LIMIT));
      const { status, body } = await client.answer();
      expect([status, (JSON.parse(body) as { message: string }).message]).toEqual([413, message]);
      client.socket.destroy();
    },
  );

  it('UP-04 with a Content-Length that is too small is incomplete', async () => {
    const before = await stored();
    const client = await sending(ours('POST files', 'Content-Length: 90'), START + 'x'.repeat(100) + END);
    expect((await client.answer()).status).toBe(400);
    expect(await stored()).toBe(before);
  });

  it('UP-04 with a Content-Length that is too large stores nothing when the client disconnects', async () => {
    const before = await stored();
    const client = await sending(ours('POST files', 'Content-Length: 5000'), START + 'x'.repeat(100) + END);
    client.socket.destroy();
    await client.closed();
    expect((await server.acme.client.get('groups')).status).toBe(200);
    expect(await stored()).toBe(before);
  });
});

/** The server goes on reading for two seconds before it closes such a connection. */
describe('a connection is closed after the refusal of', () => {
  it.concurrent.each([
    ['UP-04 UP-15', () => 'POST files'],
    ['UP-21', () => `PUT ${versions}/1`],
  ])('%s 10 GB, which are not read', async (_case, target) => {
    const client = await sending(ours(target(), 'Content-Length: 10737418240'));
    expect((await client.answer()).status).toBe(413);
    await client.closed();
  });

  it.concurrent.each([
    ['UP-04 a file', () => 'POST files', chunk(START), 'x'],
    ['UP-04 a preamble', () => 'POST files', '', 'x'],
    ['UP-21 line breaks in bytecode', () => `POST ${versions}`, chunk('{"bytecode":"QUJD'), '\\n'],
  ])('%s without end', async (_what, target, start, repeated) => {
    const client = await sending(ours(target(), 'Transfer-Encoding: chunked') + start);
    const refused = client.answer();
    const piece = chunk(repeated.repeat(128 * KIB));
    for (let sent = 0; sent < 64 && !client.socket.destroyed; sent += 1) await client.send(piece);
    expect((await refused).status).toBe(413);
    await client.closed();
  });

  const length = 'Content-Length: 52428800';
  const asks = [length, 'Expect: 100-continue'];
  const nobody = () => null;
  const viewer = async () => (await server.member('acme', 'viewer')).token;
  it.concurrent.each([
    ['a file without a token', nobody, () => 'POST files', asks, '', 401],
    ['a file that is begun', nobody, () => 'POST files', [MULTIPART, length], START + base64(MIB / 2), 401],
    ['bytecode with a wrong token', () => 'wrong', () => `POST ${versions}`, asks, '', 401],
    ['bytecode of a viewer', viewer, () => `POST ${versions}`, asks, '', 403],
  ])('UP-12 %s, before it is sent', async (_what, tokenOf, target, headers, begun, status) => {
    const client = await sending(head(target(), await tokenOf(), ...headers) + begun);
    const refused = await client.answer();
    expect(refused.status).toBe(status);
    expect(refused.head).toMatch(/^connection: close$/im);
    await client.closed();
  });
});

describe('UP-12', () => {
  it('a client that sends 50 MB before it reads still gets the 401', async () => {
    const client = await openSlowClient(server.url);
    client.socket.pause();
    await client.send(head('POST files', null, MULTIPART, `Content-Length: ${50 * MIB}`));
    const piece = Buffer.alloc(MIB, 'x');
    for (let sent = 0; sent < 50; sent += 1) await client.send(piece);
    client.socket.resume();
    const { status, body } = await client.answer();
    expect([status, (JSON.parse(body) as { code: string }).code]).toEqual([401, 'unauthenticated']);
    await client.closed();
  });

  it('with a token, 100 Continue is sent', async () => {
    const client = await openSlowClient(server.url);
    const body = `${START}invited${END}`;
    const interim = new Promise((resolve) => client.socket.once('data', (bytes) => resolve(String(bytes))));
    await client.send(ours('POST files', `Content-Length: ${body.length}`, 'Expect: 100-continue'));
    expect(await interim).toMatch(/^HTTP\/1[.]1 100 /);
    await client.send(body);
    expect((await client.answer()).status).toBe(201);
    client.socket.destroy();
  });
});

describe('RI-05', () => {
  const ofFile = () => 'POST files';
  const ofVersion = () => `POST ${versions}`;
  it.each([
    ['a file name', ofFile, `${START.replace('a.bin', 'caf\u00e9')}x${END}`],
    ['a field', ofFile, `--XX\r\ncontent-disposition: form-data; name="description"\r\n\r\ncaf\u00e9${END}`],
    ['the name of one', ofFile, `--XX\r\ncontent-disposition: form-data; name="caf\u00e9"\r\n\r\nx${END}`],
    ['a text beside bytecode', ofVersion, `{"number":"\u00e9","bytecode":"${base64(500_000)}"}`],
    ['bytecode', ofVersion, `{"bytecode":"${base64(500_000)}\u00e9"}`],
  ])('%s that is not UTF-8 is 400', async (_what, target, text) => {
    const bytes = Buffer.from(text, 'latin1');
    const client = await sending(ours(target(), `Content-Length: ${bytes.length}`), bytes);
    const { status, body } = await client.answer();
    expect([status, body]).toEqual([400, expect.stringContaining('not valid UTF-8')]);
    client.socket.destroy();
  });

  it('another charset of bytecode is 415', async () => {
    const headers = { 'content-type': 'application/json; charset=utf-16' };
    expect((await server.acme.client.post(versions, '{}', { headers })).status).toBe(415);
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
    expect((await client.post(versions, body(MIB))).status).toBe(201);
    const over = await client.post(versions, body(MIB + 1));
    expect(over.status).toBe(413);
    expect(over.body.message).toBe('The body without its bytecode is larger than 1048576 bytes.');
  });

  it('RI-07 is small in every other call', async () => {
    const { client } = server.acme;
    const made = await softwareOf(client).version(versions);
    const large = { number: unique(), bytecode: base64(900_000) };
    const one = `${versions}/${String(made.id)}`;
    const app = versions.replace('/versions', '');
    for (const target of [`GET ${versions}`, `GET ${one}`, `DELETE ${one}`, 'POST apps', `PUT ${app}`]) {
      const [method = '', path = ''] = target.split(' ');
      const reply = await client.request(method, path, large);
      expect([reply.status, reply.body.code], target).toEqual([413, 'too_large']);
    }
    expect((await client.get(one)).status).toBe(200);
  });
});
