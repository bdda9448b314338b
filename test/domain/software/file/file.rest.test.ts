import { beforeAll, describe, expect, it } from 'vitest';

import { created, errorsOf, rowsIn } from '../../../support/fleet.js';
import { fileForm, useServer, type Client, type Fields } from '../../../support/server.js';

const server = useServer();
let client: Client;
beforeAll(() => {
  ({ client } = server.acme);
});

const form = (name: string, bytes: string, fields: Readonly<Record<string, string>> = {}): FormData =>
  fileForm(name, bytes, fields, 'asset');
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const upload = (name: string, bytes: string): Promise<Fields> =>
  created(client, 'files', 'file', form(name, bytes));
const read = async (path: string): Promise<Fields> => (await client.get(path)).record('file');

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

  it('contract 23: the name is unique in the company, also on update', async () => {
    await upload('unique.txt', 'one');
    const other = `files/${String((await upload('other.txt', 'two')).id)}`;
    expect((await client.put(other, form('unique.txt', 'three'))).status).toBe(409);
    expect((await read(other)).content).toBe(base64('two'));
    expect((await client.put(other, form('other.txt', 'four'))).status).toBe(200);
  });

  it('contract 23: a part without a file name is no file', async () => {
    const path = `files/${String((await upload('stays.txt', 'bytes')).id)}`;
    const part =
      '--b\r\ncontent-disposition: form-data; name="f"\r\ncontent-type: application/octet-stream\r\n';
    const headers = { 'content-type': 'multipart/form-data; boundary=b' };
    // Browsers send the second one if no file was chosen.
    for (const content of ['last', '']) {
      const changed = await client.put(path, `${part}\r\n${content}\r\n--b--\r\n`, { headers });
      expect(changed.record('file')).toMatchObject({ name: 'stays.txt', content: base64('bytes') });
    }
  });

  it('contract 1: PUT takes JSON and forms without a file', async () => {
    const file = await upload('json.txt', 'bytes');
    const path = `files/${String(file.id)}`;
    const json = await client.put(path, { description: 'by JSON', file_type: 'TORRENT' });
    expect(json.record('file')).toMatchObject({ description: 'by JSON', file_type: 'torrent' });
    const plain = await client.put(path, 'description=by+form', {
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    expect(plain.record('file')).toMatchObject({ description: 'by form', content: base64('bytes') });
    expect((await client.put(path, { description: null })).record('file').description).toBeNull();
  });

  it('contract 7: file_type is read in any letter case', async () => {
    const sent = form('loud.bin', 'x', { file_type: 'TORRENT' });
    expect(await created(client, 'files', 'file', sent)).toMatchObject({ file_type: 'torrent' });
  });

  it('contract 23: no file part on create is 422, and names the field', async () => {
    const onlyText = new FormData();
    onlyText.set('description', 'no file');
    expect(errorsOf(await client.post('files', onlyText))).toEqual([422, ['file']]);
    expect(errorsOf(await client.post('files', { description: 'JSON' }))).toEqual([422, ['file']]);
    expect(errorsOf(await client.post('files'))).toEqual([422, ['file']]);
  });

  it('refuses an invalid type', async () => {
    const reply = await client.post('files', form('refused.bin', 'x', { file_type: 'movie' }));
    expect(errorsOf(reply)).toEqual([422, ['file_type']]);
    expect((await client.get('files')).text).not.toContain('refused.bin');
  });

  it('removes a deleted file from its app versions', async () => {
    const file = await upload('linked.bin', 'x');
    const other = await upload('other.bin', 'x');
    const app = (await client.post('apps', { name: 'links' })).record('app');
    const path = `apps/${String(app.id)}/versions`;
    const count = async (versions: number): Promise<number> => {
      const { id } = await upload(`counted ${versions}`, 'x');
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
    const file = await upload('held.bin', 'one');
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
