import fc from 'fast-check';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { crcOf, created, totalIn } from '../support/fleet.js';
import { fileForm, useServer, type Client, type Fields, type Reply } from '../support/server.js';

const server = useServer();
let client: Client;
beforeAll(() => {
  ({ client } = server.acme);
});

const TYPE = 'multipart/form-data; boundary=XX';
const part = (disposition: string, body = '', ...headers: string[]): string =>
  `--XX\r\n${[`content-disposition: form-data; ${disposition}`, ...headers].join('\r\n')}\r\n\r\n${body}\r\n`;
const file = (name: string, body = 'bytes'): string => part(`name="file"; filename="${name}"`, body);
const END = '--XX--\r\n';

const send = (body: string, type = TYPE, method = 'POST', path = 'files'): Promise<Reply> =>
  client.request(method, path, body, { headers: { 'content-type': type } });

async function uploaded(name: string, bytes: Uint8Array<ArrayBuffer> | string, type = ''): Promise<Fields> {
  const form = new FormData();
  form.set('file', new Blob([bytes], { type }), name);
  return await created(client, 'files', 'file', form);
}
const total = (): Promise<number> => totalIn(client, 'files');

describe('invalid uploads', () => {
  let before: number;
  beforeEach(async () => {
    before = await total();
  });
  afterEach(async () => {
    // The server still runs, and nothing was stored.
    expect(await total()).toBe(before);
  });

  it.each([
    ['no boundary', 'multipart/form-data', file('a') + END],
    ['an empty boundary', 'multipart/form-data; boundary=', file('a') + END],
    ['another boundary', 'multipart/form-data; boundary=YY', file('a') + END],
    ['a boundary of 300 characters', `multipart/form-data; boundary=${'b'.repeat(300)}`, file('a') + END],
    ['an end and nothing else', TYPE, '--XX--'],
    ['a header without a colon', TYPE, '--XX\r\ncontent-disposition\r\n\r\nx\r\n--XX--\r\n'],
    ['a header with a control character', TYPE, '--XX\r\nx: \u0000\r\n\r\nx\r\n--XX--\r\n'],
    ['only a description', TYPE, part('name="description"', 'x') + END],
    ['text/plain', 'text/plain', file('a') + END],
    ['multipart/mixed', 'multipart/mixed; boundary=XX', file('a') + END],
    ['no bytes at all', TYPE, ''],
  ])('UP-01 %s is refused', async (_what, type, body) => {
    const refused = await send(body, type);
    expect([400, 415, 422]).toContain(refused.status);
    expect(refused.body).toHaveProperty('message');
  });

  it.each([
    ['inside the file', '--XX\r\ncontent-disposition: form-data; name="f"; filename="a"\r\n\r\nbyt'],
    ['inside a field', '--XX\r\ncontent-disposition: form-data; name="description"\r\n\r\nbyt'],
    ['inside the headers of a part', '--XX\r\ncontent-disposition: form-d'],
    ['after a file without the last boundary', file('a')],
    ['inside the last boundary', `${file('a')}--XX`],
  ])('UP-02 a body that ends %s is 400', async (_where, body) => {
    expect((await send(body)).status).toBe(400);
    const existing = await server.beta.client.request('PUT', 'files/1', body, {
      headers: { 'content-type': TYPE },
    });
    expect(existing.status).toBe(400);
  });

  it.each([
    ['2,000 files', Array.from({ length: 2_000 }, (_, n) => file(`f${n}`)).join(''), 400],
    ['2,000 fields', Array.from({ length: 2_000 }, (_, n) => part(`name="f${n}"`, 'x')).join(''), 413],
    ['2,000 parts that are neither', '--XX\r\nx: y\r\n\r\nz\r\n'.repeat(2_000), 413],
    ['a field name of 60 kB', part(`name="${'n'.repeat(60_000)}"`, 'x'), 400],
    ['a field name of 10,000 levels', part(`name="a${'[b]'.repeat(4_000)}"`, 'x'), 413],
    ['a field of 20 kB', part('name="description"', 'x'.repeat(20_000)) + file('a'), 413],
    [
      'a part with 20 kB of headers',
      part('name="a"', 'x', ...Array.from({ length: 100 }, (_, n) => `h${n}: ${'v'.repeat(200)}`)),
      400,
    ],
    ['two files', file('a') + file('b'), 400],
    ['two descriptions', part('name="description"', 'x').repeat(2) + file('a'), 400],
    ['a description as a list', part('name="description[]"', 'x') + file('a'), 400],
    ['a field without a name', part('x=y', 'x') + file('a'), 400],
  ])('UP-05 UP-11 %s: refused', async (_what, body, status) => {
    expect((await send(body + END)).status).toBe(status);
  });

  it('UP-05 field names such as __proto__ have no effect', async () => {
    const names = ['__proto__', '__proto__[]', 'constructor', 'toString', '0', '4294967295', 'file[type]'];
    const odd = names.map((name) => part(`name="${name}"`, 'polluted')).join('');
    expect((await send(odd + part('name="file_type"', 'movie') + file('a') + END)).status).toBe(422);
    expect(({} as Fields).polluted).toBeUndefined();
  });

  it.each(['gzip', 'deflate', 'br', 'identity, gzip'])(
    'UP-15 a body compressed with %s is 415, not expanded',
    async (encoding) => {
      const reply = await client.request('POST', 'files', gzipSync(file('a') + END).toString('latin1'), {
        headers: { 'content-type': TYPE, 'content-encoding': encoding },
      });
      expect(reply.status).toBe(415);
    },
  );
});

describe('valid uploads', () => {
  it.each([
    ['filename="../../x1"', 'x1'],
    ['filename="..\\\\x2"', 'x2'],
    ['filename="C:\\\\x3"', 'x3'],
    ['filename="a%00.html"', 'a%00.html'],
    ['filename="fdp.\u202eexe"', 422],
    ['filename="."', 422],
    ['filename=".."', 422],
    ['filename="-rf"', 422],
    [`filename="${'x'.repeat(5_000)}"`, 422],
    ['filename="cafe\u0301"', 'caf\u00e9'],
    ["filename*=utf-8''caf%C3%A9%202", 'caf\u00e9 2'],
    ["filename*=utf-8''%00", 422],
    ["filename*=utf-8''..%2F..%2Fx4", 'x4'],
  ])('UP-06 a file with %s has the name %s', async (sent, kept) => {
    const reply = await send(part(`name="file"; ${sent}`, 'bytes') + END);
    if (typeof kept === 'number') expect(reply.status).toBe(kept);
    else expect([reply.status, reply.record('file').name]).toEqual([201, kept]);
  });

  it.each([
    ['page.html', 'text/html; charset=x', '<script>alert(1)</script>'],
    ['image.svg', 'image/svg+xml', '<svg onload="alert(1)"/>'],
    ['page.xhtml', 'application/xhtml+xml', '<html xmlns="http://www.w3.org/1999/xhtml"/>'],
    ['poly.gif', 'image/gif', 'GIF89a/*<script>*/=1;'],
    ['doc.pdf', 'application/pdf', '%PDF-1.7'],
  ])('UP-07 %s is returned as base64 in JSON, whatever its Content-Type', async (name, type, bytes) => {
    const { id } = await uploaded(name, bytes, type);
    for (const path of [`files/${String(id)}`, 'files']) {
      const reply = await client.get(path);
      expect(reply.headers.get('content-type')).toBe('application/json; charset=utf-8');
      expect(reply.headers.get('x-content-type-options')).toBe('nosniff');
      expect(reply.headers.get('content-security-policy')).toContain("default-src 'none'");
      expect(reply.text).not.toContain(bytes);
    }
  });

  it('UP-08 an empty file has size 0 and CRC 0000, on POST and on PUT', async () => {
    const empty = { content: '', size: 0, crc: '0000' };
    const file = await uploaded('empty.bin', '');
    expect(file).toMatchObject(empty);
    const path = `files/${String(file.id)}`;
    const replace = async (bytes: string): Promise<Fields> => {
      return (await client.put(path, fileForm('empty.bin', bytes))).record('file');
    };
    expect(await replace('full')).toMatchObject({ size: 4 });
    expect(await replace('')).toMatchObject(empty);
    expect((await client.get(path)).record('file')).toMatchObject(empty);
  });

  it('UP-11 fields may be before and after the file, and have the name of its part', async () => {
    const body = part('name="file_type"', 'torrent') + file('order') + part('name="description"', 'after');
    const reply = await send(`${body}${part('name="file"', 'a text')}${END}`);
    expect(reply.record('file')).toMatchObject({ name: 'order', file_type: 'torrent', description: 'after' });
  });

  it('UP-14 any bytes are returned unchanged, with the CRC of a second implementation', async () => {
    let number = 0;
    const edge = fc.constantFrom('\r\n', '--XX', '\r\n--XX', '\r\n--XX--\r\n', '\r', '-', '\u0000', '\u00ff');
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 5_000 }).map((array) => Buffer.from(array)),
      fc.array(edge, { maxLength: 30 }).map((pieces) => Buffer.from(pieces.join(''), 'latin1')),
      fc.nat(300_000).map((size) => Buffer.from(Array.from({ length: size }, (_, n) => (n * 31) >>> 3))),
    );
    await fc.assert(
      fc.asyncProperty(bytes, async (sent) => {
        const file = await uploaded(`round ${++number}`, sent);
        const read = (await client.get(`files/${String(file.id)}`)).record('file');
        expect(read).toEqual(file);
        expect(Buffer.from(String(read.content), 'base64').equals(sent)).toBe(true);
        expect([read.size, read.crc]).toEqual([sent.length, crcOf(sent)]);
      }),
      { numRuns: 60 },
    );
  });

  it.each([
    ['a test virus', 'X5O!P%@AP[4\\PZX54(P^)7CC)7}$EICAR-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*'],
    ['a compressed file', gzipSync(Buffer.alloc(1_000_000))],
  ])('UP-15 %s is stored as plain bytes', async (name, bytes) => {
    const sent = Buffer.from(bytes);
    expect(await uploaded(name, sent)).toMatchObject({ size: sent.length, content: sent.toString('base64') });
  });

  it('UP-10 a read concurrent with a replacement returns one complete content', async () => {
    // Each has two chunks.
    const states = Array.from({ length: 4 }, (_, round) => {
      const bytes = Buffer.alloc(800_000 + round * 40_000, round);
      return { content: bytes.toString('base64'), size: bytes.length, crc: crcOf(bytes), bytes };
    });
    const { id } = await uploaded('replaced.bin', states[0]?.bytes ?? '');
    const path = `files/${String(id)}`;
    let replacing = true;
    const replace = async (): Promise<void> => {
      for (const { bytes } of states) {
        expect((await client.put(path, fileForm('replaced.bin', bytes))).status).toBe(200);
      }
      replacing = false;
    };
    const seen = new Set<unknown>();
    const read = async (): Promise<void> => {
      const { content, size, crc } = (await client.get(path)).record('file');
      const state = states.find((each) => each.size === size);
      expect([content === state?.content, crc]).toEqual([true, state?.crc]);
      seen.add(size);
    };
    const readOn = async (): Promise<void> => {
      while (replacing) await read();
    };
    await read();
    await Promise.all([replace(), readOn(), readOn(), readOn()]);
    await read();
    expect(seen.size).toBeGreaterThan(1);
  });
});
