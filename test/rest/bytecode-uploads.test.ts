import { randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';

import { crcOf, errorsOf, rowsIn, softwareOf, unique } from '../support/fleet.js';
import { fileForm, useServer } from '../support/server.js';
import type { Client, Fields, Reply, RequestOptions } from '../support/server.js';
import { openSlowClient } from '../support/slow-client.js';

const server = useServer();
let client: Client;
/** Path of the versions of an app. */
let path: string;
beforeAll(async () => {
  ({ client } = server.acme);
  path = await softwareOf(client).app();
});

type Body = readonly [body: FormData | string, options?: RequestOptions];
const labelled = (type: string): RequestOptions => ({ headers: { 'content-type': type } });
const FORM = labelled('application/x-www-form-urlencoded');

const asJson = (bytes: Buffer, number: string): Body => [
  JSON.stringify({ number, bytecode: bytes.toString('base64') }),
  labelled('application/json'),
];
const formOf = (bytecode: string, number: string): Body => [
  new URLSearchParams({ number, bytecode }).toString(),
  FORM,
];
const asForm = (bytes: Buffer, number: string): Body => formOf(bytes.toString('base64'), number);
const asMultipart = (bytes: Buffer, number: string): Body => [multipart(bytes, { number })];

/** Ways to send bytecode with a number, as clients in use do. */
const WAYS: Readonly<Record<string, (bytes: Buffer, number: string) => Body>> = {
  JSON: asJson,
  'JSON that a client labels as a form': (bytes, number) => [asJson(bytes, number)[0], FORM],
  'JSON with escaped slashes and line breaks': (bytes, number) => [
    JSON.stringify({ number, bytecode: bytes.toString('base64').replace(/.{76}/g, '$&\n') }).replaceAll(
      '/',
      '\\/',
    ),
  ],
  'a form': asForm,
  'multipart/form-data': asMultipart,
};

const multipart = (bytes: Buffer, fields: Record<string, string>, part = 'bytecode'): FormData =>
  fileForm('app.posxml', bytes, fields, part);

const contents = (): Promise<number> => rowsIn(server, 'contents');

/** A stored version, as a response shows it. */
function versionIn(reply: Reply, bytes: Buffer): Fields {
  expect([200, 201], reply.text.slice(0, 500)).toContain(reply.status);
  const version = reply.record('app_version');
  expect([version.size, version.crc]).toEqual([bytes.length, crcOf(bytes)]);
  // Compared apart, since the difference of such texts takes minutes to print.
  expect(Buffer.from(String(version.bytecode), 'base64').equals(bytes)).toBe(true);
  return version;
}

describe('bytecode', () => {
  it.each(Object.entries(WAYS))('UP-21 of 1.2 MB in %s is stored', async (_way, make) => {
    const bytes = randomBytes(1_200_000);
    const number = unique();
    const written = versionIn(await client.post(path, ...make(bytes, number)), bytes);
    expect(written.number).toBe(number);
    const one = `${path}/${String(written.id)}`;
    versionIn(await client.get(one), bytes);
    const other = randomBytes(600_000);
    const changed = versionIn(await client.put(one, ...make(other, `${number} again`)), other);
    expect(changed.number).toBe(`${number} again`);
  });

  it('UP-21 without a Content-Length is stored', async () => {
    const bytes = randomBytes(1_200_000);
    const body = JSON.stringify({ bytecode: bytes.toString('base64'), number: unique() });
    const response = await fetch(`${server.url}/v1/${path}?access_token=${server.acme.token}`, {
      method: 'POST',
      body: new Blob([body]).stream(),
      duplex: 'half',
    });
    const { app_version: written } = (await response.json()) as { app_version: Fields };
    expect([response.status, written.size, written.crc]).toEqual([201, bytes.length, crcOf(bytes)]);
  });

  it('UP-21 with an Idempotency-Key is stored once', async () => {
    const bytes = randomBytes(1_200_000);
    for (const make of [asJson, asForm, asMultipart]) {
      const key = { 'idempotency-key': unique().replace(' ', '-') };
      const send = (sent: Buffer, number: string): Promise<Reply> => {
        const [body, { headers = {} } = {}] = make(sent, number);
        return client.post(path, body, { headers: { ...headers, ...key } });
      };
      const number = unique();
      const first = await send(bytes, number);
      const before = await contents();
      const again = await send(bytes, number);
      expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([201, 'true']);
      expect(again.text === first.text).toBe(true);
      const changed = Buffer.from(bytes);
      changed.writeUInt8((changed.readUInt8(700_000) + 1) % 256, 700_000);
      for (const other of [await send(changed, number), await send(bytes, unique())]) {
        expect([other.status, other.body.code]).toEqual([422, 'idempotency_mismatch']);
      }
      // Contents uploaded by a repeated request are deleted after its response.
      await expect.poll(contents).toBe(before);
    }
  });
});

describe('contract 21: bytecode as base64 text', () => {
  const LIMIT = 8 * 1024 * 1024;
  const TOO_LARGE =
    'The bytecode is too large for base64 text: it may have 8388608 bytes, and the whole body 12233388. Send it as multipart/form-data, which takes up to 33554432 bytes.';
  const largest = randomBytes(LIMIT);

  it.each([
    ['JSON', asJson],
    ['a form', asForm],
  ])('UP-21 may have 8 MiB in %s', async (_way, make) => {
    versionIn(await client.post(path, ...make(largest, unique())), largest);
  });

  it.each([
    ['JSON', asJson],
    ['a form', asForm],
  ])('UP-21 of 8 MiB and a byte in %s is refused, and stores nothing', async (_way, make) => {
    const before = await contents();
    const refused = await client.post(path, ...make(Buffer.alloc(LIMIT + 1), unique()));
    expect([refused.status, refused.body]).toMatchObject([413, { code: 'too_large', message: TOO_LARGE }]);
    expect(await contents()).toBe(before);
  });

  it('UP-21 of 30 MB is refused before it is sent', async () => {
    const slow = await openSlowClient(server.url);
    const target = `POST /v1/${path}?access_token=${server.acme.token} HTTP/1.1`;
    await slow.send(`${target}\r\nHost: gateway\r\nContent-Length: 40000030\r\n\r\n`);
    const { status, body } = await slow.answer();
    expect([status, JSON.parse(body)]).toMatchObject([413, { code: 'too_large', message: TOO_LARGE }]);
    slow.socket.destroy();
  });

  it('UP-21 of 30 MB is stored in multipart/form-data', async () => {
    const bytes = randomBytes(30_000_000);
    versionIn(await client.post(path, ...asMultipart(bytes, unique())), bytes);
  });

  it('RI-07 is the only large value of its body', async () => {
    const body = `{"number":"1","bytecode":"QUJD","other":[${'{},'.repeat(3_000_000)}{}]}`;
    const refused = await client.post(path, body);
    expect([refused.status, refused.body.message]).toEqual([
      413,
      'The body without its bytecode is larger than 1048576 bytes.',
    ]);
  });

  it.each([
    ['in an object inside', '{"other":{"bytecode":"QUJD"},"number":"NUMBER"}', null],
    [
      'in an object inside, and of its own',
      '{"other":{"bytecode":"QUJD"},"bytecode":"REVG","number":"NUMBER"}',
      'REVG',
    ],
    ['twice', '{"bytecode":"QUJD","bytecode":"REVG","number":"NUMBER"}', 'REVG'],
    ['under an escaped name', '{"\\u0062ytecode":"REVG","number":"NUMBER"}', 'REVG'],
    ['in another text', '{"other":"{\\"bytecode\\":\\"QUJD\\"}","number":"NUMBER"}', null],
    ['under a name that ends with it', '{"a\\"bytecode":"QUJD","number":"NUMBER"}', null],
  ])('is read as JSON defines it if it stands %s', async (_where, body, bytecode) => {
    const reply = await client.post(path, body.replace('NUMBER', unique()));
    expect(reply.record('app_version').bytecode).toBe(bytecode);
  });
});

describe('bytecode in multipart/form-data', () => {
  const bytes = Buffer.from('123456789');

  it.each(['bytecode', 'file', '&asset', 'number 1'])(
    'contract 21: may be a part called %j',
    async (part) => {
      const form = multipart(bytes, { number: unique(), displayable: 'true' }, part);
      const reply = await client.post(path, form);
      expect(reply.record('app_version')).toMatchObject({ crc: '31C3', size: 9, displayable: true });
    },
  );

  it('contract 21: may be absent, empty, or text in base64', async () => {
    const fields = fileForm('', null, { number: unique(), authorizer_url: '10.0.0.1' });
    const bare = (await client.post(path, fields)).record('app_version');
    expect(bare).toMatchObject({ authorizer_url: '10.0.0.1', bytecode: null, size: 0 });
    const one = `${path}/${String(bare.id)}`;
    fields.set('bytecode', 'MTIzNDU2Nzg5');
    expect((await client.put(one, fields)).record('app_version')).toMatchObject({ crc: '31C3', size: 9 });
    fields.delete('bytecode');
    expect((await client.put(one, fields)).record('app_version')).toMatchObject({ crc: '31C3', size: 9 });
    const emptied = (await client.put(one, multipart(Buffer.alloc(0), {}))).record('app_version');
    expect(emptied).toMatchObject({ bytecode: '', crc: '0000', size: 0 });
  });

  it('contract 21: is refused as a file and as text at once, and with a second file', async () => {
    const both = multipart(bytes, { number: unique(), other: 'x' }, 'file');
    both.set('bytecode', 'MTIzNDU2Nzg5');
    const before = await contents();
    const refused = await client.post(path, both);
    expect(refused.status).toBe(422);
    const messages = ['must be sent once: as a file, or as base64 text'];
    expect(refused.body.errors).toEqual({ bytecode: messages });
    const two = multipart(bytes, { number: unique() });
    two.append('second', new Blob(['x']), 'second.bin');
    expect((await client.post(path, two)).status).toBe(400);
    expect(await contents()).toBe(before);
  });

  it('contract 21: is refused like JSON where its fields are not valid', async () => {
    const refused = await client.post(path, multipart(bytes, { displayable: 'perhaps' }));
    expect([refused.status, ...errorsOf(refused)[1].toSorted()]).toEqual([422, 'displayable', 'number']);
    const unknown = await client.post('apps/999999/versions', multipart(bytes, { number: '1' }));
    expect(unknown.status).toBe(404);
  });
});

describe('large bytecode that is not valid', () => {
  const text = randomBytes(1_200_000).toString('base64');

  it.each<[string, (bytecode: string) => Body]>([
    ['JSON', (bytecode) => [JSON.stringify({ bytecode, number: ' ' })]],
    ['a form', (bytecode) => formOf(bytecode, ' ')],
  ])('UP-21 in %s is 422 beside other fields, and changes nothing', async (_way, make) => {
    const before = await contents();
    const made = await softwareOf(client).version(path, { bytecode: 'MTIzNDU2Nzg5' });
    const one = `${path}/${String(made.id)}`;
    for (const wrong of [
      `${text}*`,
      `${text.slice(0, 1_000_000)} ${text.slice(1_000_000)}`,
      text.slice(0, -1),
      `${text}=`,
      `${text.slice(0, 400_000)}QQ==${text}`,
      text.replaceAll('+', '-'),
      `${text}\u00e9`,
    ]) {
      const refused = await client.put(one, ...make(wrong));
      expect([refused.status, ...errorsOf(refused)[1].toSorted()]).toEqual([422, 'bytecode', 'number']);
      expect((await client.post(path, ...make(wrong))).status).toBe(422);
    }
    const { updated_at } = (await client.get(one)).record('app_version');
    expect([updated_at, await contents()]).toEqual([made.updated_at, before + 1]);
  });

  it.each([
    ['ends inside the text', `{"number":"cut","bytecode":"${text}`],
    ['ends after the text', `{"number":"cut","bytecode":"${text}"`],
    ['has a line break in the text', `{"number":"cut","bytecode":"${text}\n"}`],
    ['has an unknown escape sequence', `{"number":"cut","bytecode":"${text}\\x41"}`],
    ['goes on after its end', `{"number":"cut","bytecode":"${text}"}}`],
  ])('RI-01 UP-21 JSON that %s is 400, and creates nothing', async (_what, body) => {
    const before = await contents();
    const refused = await client.post(path, body);
    expect([refused.status, refused.body.code]).toEqual([400, 'malformed_json']);
    expect(await contents()).toBe(before);
  });
});
