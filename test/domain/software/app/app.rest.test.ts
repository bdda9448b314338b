import { describe, expect, it } from 'vitest';

import { fleet, ledgerOf, softwareOf, rowsIn, errorsOf, versionIdsOf } from '../../../support/fleet.js';
import { useServer } from '../../../support/server.js';

const server = useServer();

describe('/v1/apps', () => {
  it.each([
    [{ name: 'a' }, { name: 'a.posxml', language: 'posxml', kind: 'standard', communication_format: 'http' }],
    [{ name: 'b.rb' }, { name: 'b.rb', language: 'ruby' }],
    [{ name: 'c.posxml' }, { name: 'c.posxml', language: 'posxml' }],
    [
      { name: 'd', language: 'ruby' },
      { name: 'd', language: 'ruby' },
    ],
    [
      { name: 'e.rb', language: 'posxml' },
      { name: 'e.rb.posxml', language: 'posxml' },
    ],
    [
      { name: 'f', kind: 'module' },
      { name: 'f.posxml', kind: 'module' },
    ],
  ])('contract 20: %j becomes %j', async (sent, expected) => {
    const created = await server.acme.client.post('apps', sent);
    expect(created.status).toBe(201);
    expect(created.record('app')).toMatchObject(expected);
  });

  it('contract 20: a new name or language sets the suffix', async () => {
    const { client } = server.acme;
    const { id } = (await client.post('apps', { name: 'change' })).record('app');
    const names: unknown[] = [];
    for (const sent of [
      { language: 'ruby' },
      { name: 'other' },
      { name: 'x.posxml' },
      { language: 'RUBY' },
    ]) {
      const { name, language } = (await client.put(`apps/${String(id)}`, sent)).record('app');
      names.push([name, language]);
    }
    expect(names).toEqual([
      ['change', 'ruby'],
      ['other', 'ruby'],
      ['x.posxml', 'posxml'],
      ['x', 'ruby'],
    ]);
  });

  it('contract 20: names, suffix included, are unique in the company', async () => {
    const { client } = server.acme;
    await client.post('apps', { name: 'twin' });
    for (const name of ['twin', 'twin.posxml', 'twin.POSXML']) {
      const again = await client.post('apps', { name });
      expect([again.status, again.body.code]).toEqual([409, 'taken']);
    }
    const ruby = await client.post('apps', { name: 'twin.rb' });
    expect(ruby.status).toBe(201);
    const moved = await client.put(`apps/${String(ruby.record('app').id)}`, { language: 'posxml' });
    expect(moved.status).toBe(409);
    expect((await server.beta.client.post('apps', { name: 'twin' })).status).toBe(201);
  });

  it('contract 7: enumerations are accepted in any letter case and returned in lower case', async () => {
    const created = await server.acme.client.post('apps', {
      name: 'loud',
      kind: 'Module',
      communication_format: 'ISO20022',
      language: 'Ruby',
    });
    expect(created.record('app')).toMatchObject({
      kind: 'module',
      communication_format: 'iso20022',
      language: 'ruby',
    });
  });

  it.each([
    [{}, 'name'],
    [{ name: '' }, 'name'],
    [{ name: 'x'.repeat(250) }, 'name'],
    [{ name: 'k', kind: 'other' }, 'kind'],
    [{ name: 'k', communication_format: 'soap' }, 'communication_format'],
    [{ name: 'k', language: 'cobol' }, 'language'],
    [{ name: 'k', description: [7] }, 'description'],
  ])('refuses invalid fields (case %#)', async (sent, field) => {
    const refused = await server.acme.client.post('apps', sent);
    expect(errorsOf(refused)).toEqual([422, [field]]);
  });

  it("contract 12: updated_at is in the time zone of the token's user, with a numeric offset", async () => {
    const { client } = server.acme;
    const { id, updated_at } = (await client.post('apps', { name: 'clock' })).record('app');
    expect(updated_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+]00:00$/);
    for (const [zone, offset] of [
      ['America/Sao_Paulo', '-03:00'],
      ['Asia/Kolkata', '+05:30'],
    ] as const) {
      const member = await server.member('acme', 'admin', ['read'], zone);
      const shown = (await member.client.get(`apps/${String(id)}`)).record('app').updated_at;
      expect(String(shown).slice(-6)).toBe(offset);
      expect(Date.parse(String(shown))).toBe(Date.parse(String(updated_at)));
    }
  });

  it('contract 20: deleting an application deletes its versions, in a constant number of statements', async () => {
    const { client } = server.acme;
    const software = softwareOf(client);
    const groupId = await software.group();
    const removal = async (name: string, count: number): Promise<number> => {
      const path = await software.app({ name, kind: 'module' });
      const ids: number[] = [];
      for (let n = 0; n < count; n += 1) {
        const made = await software.version(path, { bytecode: 'AAAA', group_ids: [groupId] });
        ids.push(made.id as number);
      }
      await fleet.logicalNumber(client, name, { group_id: groupId, app_version_ids: ids });
      const pathOfUser = await software.app();
      const user = await software.version(pathOfUser, { module_ids: ids });

      const remove = () => client.delete(path.replace('/versions', ''));
      const { result, statements } = await server.statements(remove);
      expect(result.status).toBe(200);
      expect((await client.get(path)).status).toBe(404);
      expect(await versionIdsOf(client, name)).toEqual([]);
      const using = await client.get(`${pathOfUser}/${String(user.id)}`);
      expect(using.record('app_version').module_ids).toEqual([]);
      for (const id of ids) {
        const entries = await ledgerOf(server, server.acme, 'app_version', id);
        expect(entries.map(({ action }) => action)).toEqual(['create', 'delete']);
      }
      return statements.length;
    };
    expect(await removal('many', 25)).toBe(await removal('few', 2));
    expect(await rowsIn(server, 'contents', 'released_at is null')).toBe(0);
  });

  it('refuses to change the kind of a module that versions use', async () => {
    const { client } = server.acme;
    const software = softwareOf(client);
    const [part, whole] = [await software.app({ kind: 'module' }), await software.app()];
    const { id } = await software.version(part);
    await software.version(whole, { module_ids: [id] });
    const change = () => client.put(part.replace('/versions', ''), { kind: 'standard' });
    const refused = await change();
    expect(errorsOf(refused)).toEqual([422, ['kind']]);
    await client.delete(whole.replace('/versions', ''));
    expect((await change()).status).toBe(200);
  });
});
