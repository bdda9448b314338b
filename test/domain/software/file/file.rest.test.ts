import { beforeAll, describe, expect, it } from 'vitest';

import { rowsIn, errorsOf } from '../../../support/fleet.js';
import { useServer, type Client, type Fields } from '../../../support/server.js';

const server = useServer();
let client: Client;
beforeAll(() => {
  ({ client } = server.acme);
});

function form(
  name: string,
  bytes: string | Uint8Array<ArrayBuffer>,
  fields: Record<string, string> = {},
): FormData {
  const built = new FormData();
  for (const [key, value] of Object.entries(fields)) built.set(key, value);
  built.set('asset', new Blob([bytes]), name);
  return built;
}
const base64 = (text: string): string => Buffer.from(text).toString('base64');

async function created(
  name: string,
  bytes: string,
  fields: Record<string, string> = {},
  by = client,
): Promise<Fields> {
  const reply = await by.post('files', form(name, bytes, fields));
  expect(reply.status, reply.text).toBe(201);
  return reply.record('file');
}

describe('/v1/files', () => {
  it.each(['asset', '&asset', 'file', 'description ', 'x y'])(
    'contract 23: the binary is the part that carries a file, be it called %j',
    async (part) => {
      const built = new FormData();
      built.set(part, new Blob(['abc']), `part of ${part}.bin`);
      const reply = await client.post('files', built);
      expect([reply.status, reply.record('file').name]).toEqual([201, `part of ${part}.bin`]);
    },
  );

  it('contract 23: the name is the base file name, unique in the company', async () => {
    const file = await created('C:\\temp\\unique.txt', 'one');
    expect(file.name).toBe('unique.txt');
    const again = await client.post('files', form('elsewhere/unique.txt', 'two'));
    expect([again.status, again.body.code]).toEqual([409, 'taken']);
    const other = await created('other.txt', 'two');
    const taken = await client.put(`files/${String(other.id)}`, form('unique.txt', 'three'));
    expect(taken.status).toBe(409);
    expect((await client.get(`files/${String(other.id)}`)).record('file').content).toBe(base64('two'));
    expect((await client.put(`files/${String(other.id)}`, form('other.txt', 'four'))).status).toBe(200);
    // AT-12 the same name in another company.
    expect((await created('unique.txt', 'hers', {}, server.beta.client)).content).toBe(base64('hers'));
  });

  it('contract 23: fields absent on PUT stay unchanged', async () => {
    const file = await created('stays.txt', 'bytes', { description: 'first', file_type: 'torrent' });
    const path = `files/${String(file.id)}`;
    const onlyText = new FormData();
    onlyText.set('description', 'second');
    expect((await client.put(path, onlyText)).record('file')).toMatchObject({
      name: 'stays.txt',
      description: 'second',
      file_type: 'torrent',
      content: base64('bytes'),
    });
    expect((await client.put(path, form('moved.txt', 'more'))).record('file')).toMatchObject({
      name: 'moved.txt',
      description: 'second',
      file_type: 'torrent',
      content: base64('more'),
    });
    // A part without a file name is a text, whatever its type, and this one is no field.
    const noName =
      '--b\r\ncontent-disposition: form-data; name="f"\r\ncontent-type: application/octet-stream\r\n';
    const headers = { 'content-type': 'multipart/form-data; boundary=b' };
    const unnamed = await client.put(path, `${noName}\r\nlast\r\n--b--\r\n`, { headers });
    expect(unnamed.record('file')).toMatchObject({ name: 'moved.txt', content: base64('more') });
    // Sent by browsers if no file was chosen.
    const unchosen = await client.put(path, `${noName}\r\n\r\n--b--\r\n`, { headers });
    expect(unchosen.record('file')).toMatchObject({ name: 'moved.txt', content: base64('more') });
  });

  it('contract 1: PUT takes JSON and forms without a file', async () => {
    const file = await created('json.txt', 'bytes');
    const path = `files/${String(file.id)}`;
    const json = await client.put(path, { description: 'by JSON', file_type: 'TORRENT' });
    expect(json.record('file')).toMatchObject({ description: 'by JSON', file_type: 'torrent' });
    const plain = await client.put(path, 'description=by+form', {
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    expect(plain.record('file')).toMatchObject({ description: 'by form', content: base64('bytes') });
    expect((await client.put(path, { description: null })).record('file').description).toBeNull();
  });

  it.each([
    ['Asset', 'asset'],
    ['TORRENT', 'torrent'],
  ])('contract 7: file_type %s is returned as %s', async (sent, expected) => {
    expect((await created(`${sent}.bin`, 'x', { file_type: sent })).file_type).toBe(expected);
  });

  it('contract 23: no file part on create is 422, and names the field', async () => {
    const onlyText = new FormData();
    onlyText.set('description', 'no file');
    expect(errorsOf(await client.post('files', onlyText))).toEqual([422, ['file']]);
    expect(errorsOf(await client.post('files', { description: 'JSON' }))).toEqual([422, ['file']]);
    expect(errorsOf(await client.post('files'))).toEqual([422, ['file']]);
  });

  it('refuses an invalid type or description', async () => {
    expect(errorsOf(await client.post('files', form('refused.bin', 'x', { file_type: 'movie' })))).toEqual([
      422,
      ['file_type'],
    ]);
    const long = form('refused.bin', 'x', { description: 'x'.repeat(4_001) });
    expect(errorsOf(await client.post('files', long))).toEqual([422, ['description']]);
    expect((await client.get('files')).text).not.toContain('refused.bin');
  });

  it('removes a deleted file from its app versions', async () => {
    const file = await created('linked.bin', 'x');
    const other = await created('other.bin', 'x');
    const app = (await client.post('apps', { name: 'links' })).record('app');
    const path = `apps/${String(app.id)}/versions`;
    const count = async (versions: number): Promise<number> => {
      const { id } = await created(`counted ${versions}`, 'x');
      for (let n = 0; n < versions; n += 1) {
        const number = `${versions}.${n}`;
        expect((await client.post(path, { number, file_ids: [id, other.id] })).status).toBe(201);
      }
      return (await server.statements(() => client.delete(`files/${String(id)}`))).statements.length;
    };
    expect(await count(20)).toBe(await count(2));
    const made = await client.post(path, { number: 'x', file_ids: [file.id, other.id] });
    const one = `${path}/${String(made.record('app_version').id)}`;
    await client.delete(`files/${String(file.id)}`);
    expect((await client.get(one)).record('app_version').file_ids).toEqual([other.id]);
  });

  it('releases bytes that are replaced or deleted, and no others', async () => {
    const held = () => rowsIn(server, 'contents', 'released_at is null');
    const before = await held();
    const file = await created('held.bin', 'one');
    await client.put(`files/${String(file.id)}`, form('held.bin', 'two'));
    await client.put(`files/${String(file.id)}`, { description: 'still two' });
    expect(await held()).toBe(before + 1);
    expect((await client.put(`files/${String(file.id)}`, form('CON', 'x'.repeat(9)))).status).toBe(200);
    expect((await client.put(`files/${String(file.id)}`, form('..', 'refused'))).status).toBe(422);
    expect(await held()).toBe(before + 1);
    await client.delete(`files/${String(file.id)}`);
    expect(await held()).toBe(before);
  });
});
