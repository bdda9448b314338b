import { describe, expect, it } from 'vitest';

import { actionsOf, errorsOf, fleet, rowsIn, softwareOf, versionIdsOf } from '../../../support/fleet.js';
import { useServer } from '../../../support/server.js';

const server = useServer();

describe('/v1/apps', () => {
  it('contracts 12 and 20: has defaults, and its times in the time zone of the user', async () => {
    const created = await server.acme.client.post('apps', { name: 'a' });
    expect(created.record('app')).toMatchObject({
      name: 'a.posxml',
      language: 'posxml',
      kind: 'standard',
      communication_format: 'http',
      updated_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+]00:00$/) as string,
    });
  });

  it('contract 20: names, suffix included, are unique in the company', async () => {
    const { client } = server.acme;
    await client.post('apps', { name: 'twin' });
    for (const name of ['twin.posxml', 'twin.POSXML'])
      expect((await client.post('apps', { name })).status).toBe(409);
    const ruby = await client.post('apps', { name: 'twin.rb' });
    const moved = await client.put(`apps/${String(ruby.record('app').id)}`, { language: 'posxml' });
    expect(moved.status).toBe(409);
    expect((await server.beta.client.post('apps', { name: 'twin' })).status).toBe(201);
  });

  it('contract 7: enumerations are accepted in any letter case and returned in lower case', async () => {
    const loud = { kind: 'Module', communication_format: 'ISO20022', language: 'Ruby' };
    const created = await server.acme.client.post('apps', { name: 'loud', ...loud });
    const quiet = { kind: 'module', communication_format: 'iso20022', language: 'ruby' };
    expect(created.record('app')).toMatchObject(quiet);
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
      for (const id of ids)
        expect(await actionsOf(server, server.acme, 'app_version', id)).toEqual(['create', 'delete']);
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
