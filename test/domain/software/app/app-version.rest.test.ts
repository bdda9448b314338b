import { beforeAll, beforeEach, describe, expect, it } from 'vitest';

import {
  errorsOf,
  fleet,
  type Software,
  softwareOf,
  totalIn,
  unique,
  versionIdsOf,
} from '../../../support/fleet.js';
import { type Client, type Fields, useServer } from '../../../support/server.js';

const server = useServer();
let client: Client;
let acme: Software;
let beta: Software;
beforeAll(() => {
  ({ client } = server.acme);
  acme = softwareOf(client);
  beta = softwareOf(server.beta.client);
});

const read = async (path: string): Promise<Fields> => (await client.get(path)).record('app_version');
const DIGITS = Buffer.from('123456789').toString('base64');

describe('/v1/apps/{app_id}/versions', () => {
  it('contract 21, contract 11: displayable is false and absent fields are null by default', async () => {
    const path = await acme.app();
    const bare = await acme.version(path, { number: '1' });
    const absent = { authorizer_url: null, pos_display_label: null, bytecode: null };
    expect(bare).toMatchObject({ displayable: false, ...absent, size: 0, crc: '0000' });
    expect(bare.created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[.]\d{3}[+]00:00$/);
  });

  it('contract 21: number is required, and unique in its application only, also on update', async () => {
    const [one, other] = [await acme.app(), await acme.app()];
    for (const path of [one, other]) await acme.version(path, { number: '1.0' });
    const second = `${one}/${String((await acme.version(one, { number: '1.1' })).id)}`;
    expect((await client.put(second, { number: '1.0' })).status).toBe(409);
    expect((await client.put(second, { number: '1.1' })).status).toBe(200);
    expect(errorsOf(await client.post(one, { displayable: true }))).toEqual([422, ['number']]);
  });

  it.each([
    ['no padding', 'QQ'],
    ['a space, which a form makes of +', 'QU JD'],
    ['a number', 7],
  ])('contract 21: bytecode with %s is 422', async (_what, bytecode) => {
    const refused = await client.post(await acme.app(), { number: '1', bytecode });
    expect(errorsOf(refused)).toEqual([422, ['bytecode']]);
  });

  it('contract 21: base64 may have line breaks; size and crc are those of the bytes', async () => {
    const bytes = Buffer.from(Array.from({ length: 1_000 }, (_, n) => n % 256));
    const lines = bytes.toString('base64').replace(/.{60}/g, '$&\n');
    const path = await acme.app();
    const made = await acme.version(path, { bytecode: lines, size: 1, crc: 'FFFF', uuid: 'mine' });
    expect(made).toMatchObject({ bytecode: bytes.toString('base64'), size: 1_000 });
    expect(made.crc).not.toBe('FFFF');
    const changed = await client.put(`${path}/${String(made.id)}`, { bytecode: DIGITS });
    expect(changed.record('app_version').uuid).toBe(made.uuid);
  });
});

describe('versions of other applications and companies', () => {
  it('a version of another application is not found', async () => {
    const [one, other] = [await acme.app(), await acme.app()];
    const made = await acme.version(one);
    for (const method of ['GET', 'PUT', 'DELETE']) {
      const reply = await client.request(method, `${other}/${String(made.id)}`, {});
      expect([reply.status, reply.body.message]).toEqual([404, 'No such app version.']);
    }
    expect((await client.get(`${one}/${String(made.id)}`)).status).toBe(200);
  });
});

describe('associations of a version', () => {
  let path: string;
  let groups: number[];
  let modules: number[];
  let files: number[];
  beforeEach(async () => {
    path = await acme.app();
    groups = [await acme.group(), await acme.group()];
    modules = [await acme.module(), await acme.module()];
    files = [await acme.file(), await acme.file()];
  });
  const associationsOf = async (made: Fields): Promise<unknown[]> => {
    const { group_ids, module_ids, file_ids } = await read(`${path}/${String(made.id)}`);
    return [group_ids, module_ids, file_ids];
  };

  it('contract 21: are set on create and replaced on update, independently', async () => {
    const made = await acme.version(path, {
      group_ids: [...groups].reverse(),
      module_ids: modules,
      file_ids: [files[0], files[0]],
    });
    expect(await associationsOf(made)).toEqual([groups, modules, [files[0]]]);
    await client.put(`${path}/${String(made.id)}`, { group_ids: [groups[1]], file_ids: files });
    expect(await associationsOf(made)).toEqual([[groups[1]], modules, files]);
    await client.put(`${path}/${String(made.id)}`, { module_ids: [] });
    expect(await associationsOf(made)).toEqual([[groups[1]], [], files]);
  });

  it('are changed in a constant number of statements', async () => {
    const made = await acme.version(path);
    const one = `${path}/${String(made.id)}`;
    const count = async (ids: number[]): Promise<number> => {
      await client.put(one, { file_ids: [] });
      const { statements } = await server.statements(() => client.put(one, { file_ids: ids }));
      return statements.length;
    };
    const few = await count(files);
    for (let n = 0; n < 20; n += 1) files.push(await acme.file());
    expect(await count(files)).toBe(few);
    const { statements } = await server.statements(() => client.get(one));
    await client.put(one, { file_ids: [files[0]] });
    expect((await server.statements(() => client.get(one))).statements.length).toBe(statements.length);
  });

  it('AT-11 contract 21: ids of another company get the error of ids that do not exist', async () => {
    const foreign = {
      group_ids: await beta.group(),
      module_ids: await beta.module(),
      file_ids: await beta.file(),
    };
    const made = await acme.version(path, { group_ids: groups });
    for (const [field, id] of Object.entries(foreign)) {
      const said: unknown[] = [];
      for (const wrong of [id, 999_999_999]) {
        const created = await client.post(path, { number: unique(), [field]: [wrong] });
        const updated = await client.put(`${path}/${String(made.id)}`, { [field]: [wrong] });
        expect([errorsOf(created), errorsOf(updated)]).toEqual(Array(2).fill([422, [field]]));
        said.push(created.body.errors, updated.body.errors);
      }
      expect(said).toEqual(Array(4).fill(said[0]));
    }
    expect(await associationsOf(made)).toEqual([groups, [], []]);
    expect(await totalIn(client, path)).toBe(1);
  });

  it.each([[['01']], [[0]], [[1.5]], ['1'], ['1,2'], [[null]], [[2 ** 53]]])(
    'RI-12 %j is no list of ids: 422',
    async (groupIds) => {
      expect((await client.post(path, { number: '1', group_ids: groupIds })).status).toBe(422);
    },
  );

  it('contract 21: a version is no module of itself', async () => {
    const modulePath = await acme.app({ kind: 'module' });
    const own = await acme.version(modulePath);
    const refused = await client.put(`${modulePath}/${String(own.id)}`, { module_ids: [own.id] });
    expect(errorsOf(refused)).toEqual([422, ['module_ids']]);
  });

  it('contract 21: base_version_id copies bytecode and associations that are not given', async () => {
    const base = await acme.version(path, {
      bytecode: DIGITS,
      group_ids: groups,
      module_ids: modules,
      file_ids: files,
      authorizer_url: 'not copied',
    });
    const copy = await acme.version(path, { base_version_id: base.id });
    expect(copy).toMatchObject({ bytecode: DIGITS, crc: '31C3', size: 9, authorizer_url: null });
    expect(copy.uuid).not.toBe(base.uuid);
    expect(await associationsOf(copy)).toEqual([groups, modules, files]);
    const own = await acme.version(path, { base_version_id: base.id, bytecode: 'QUJD', group_ids: [] });
    expect(own).toMatchObject({ bytecode: 'QUJD', size: 3 });
    expect(await associationsOf(own)).toEqual([[], modules, files]);

    // The bytes are copied: the base version may change or be deleted.
    await client.put(`${path}/${String(base.id)}`, { bytecode: 'AAAA' });
    await client.delete(`${path}/${String(base.id)}`);
    server.clock.advance(60 * 60 * 1_000);
    expect((await read(`${path}/${String(copy.id)}`)).bytecode).toBe(DIGITS);
  });

  it('contract 21: base_version_id of another application or company is 422', async () => {
    const foreign = await beta.version(await beta.app());
    for (const base of [modules[0], foreign.id, 999_999_999]) {
      const refused = await client.post(path, { number: '1', base_version_id: base });
      expect(errorsOf(refused)).toEqual([422, ['base_version_id']]);
    }
  });

  it('contract 21: leaving a group removes the version from the logical numbers of that group only', async () => {
    const leaver = await acme.version(path, { group_ids: groups });
    const stays = await acme.version(path, { group_ids: groups });
    const numbers = [unique(), unique()];
    for (const [index, number] of numbers.entries()) {
      const more = { group_id: groups[index], app_version_ids: [leaver.id, stays.id] };
      await fleet.logicalNumber(client, number, more);
    }
    await client.put(`${path}/${String(leaver.id)}`, { group_ids: [groups[1]] });
    const held = () => Promise.all(numbers.map((number) => versionIdsOf(client, number)));
    expect(await held()).toEqual([[stays.id], [leaver.id, stays.id]]);
    await client.delete(`${path}/${String(leaver.id)}`);
    expect(await held()).toEqual([[stays.id], [stays.id]]);
  });

  it('change the revision of the version, also when a module or file is deleted', async () => {
    const made = await acme.version(path, { module_ids: modules, file_ids: files });
    const one = `${path}/${String(made.id)}`;
    const tags: string[] = [];
    const tag = async () => tags.push((await client.get(one)).headers.get('etag') ?? '');
    await tag();
    await client.put(one, { group_ids: groups });
    await tag();
    await client.delete(`files/${String(files[0])}`);
    await tag();
    const sql = 'select app_id from app_versions where id = $1';
    const [module] = await server.place.sql<{ app_id: number }>(sql, [modules[0] ?? 0]);
    expect((await client.delete(`apps/${module?.app_id}/versions/${String(modules[0])}`)).status).toBe(200);
    await tag();
    expect(new Set(tags).size).toBe(4);
    expect(await associationsOf(made)).toEqual([groups, [modules[1]], [files[1]]]);
  });
});
