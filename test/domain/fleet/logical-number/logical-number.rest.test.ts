import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { dropVersionLinks } from '../../../../src/domain/fleet/logical-number/version-links.service.js';
import type { Fields } from '../../../support/client.js';
import { fleet, ledgerOf, statementsOf } from '../../../support/fleet.js';
import { startServer, type TestServer } from '../../../support/server.js';

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(async () => {
  await server.stop();
});

const read = async (number: string): Promise<Fields> =>
  (await server.acme.client.get(`logical_numbers/${number}`)).record('logical_number');

describe('/v1/logical_numbers', () => {
  it('contract 18: the create response has no app_version_ids, every other has', async () => {
    const { client, caller } = server.acme;
    const created = await client.post('logical_numbers', { number: '112233' });
    expect(created.status).toBe(201);
    expect(Object.keys(created.record('logical_number'))).toEqual([
      ...['id', 'number', 'group_id'],
      ...['updated_at', 'created_at', 'created_by', 'created_via'],
    ]);
    expect(created.record('logical_number')).toMatchObject({
      number: '112233',
      group_id: null,
      created_by: caller.userId,
      created_via: 'api',
    });
    const others = [
      (await client.get('logical_numbers/112233')).record('logical_number'),
      (await client.put('logical_numbers/112233', {})).record('logical_number'),
      (await client.get('logical_numbers')).list('logical_numbers')[0] ?? {},
    ];
    for (const fields of others) {
      expect(Object.keys(fields)).toEqual([
        ...['id', 'number', 'group_id', 'app_version_ids'],
        ...['updated_at', 'created_at', 'created_by', 'created_via'],
      ]);
      expect(fields).toMatchObject({ number: '112233', app_version_ids: [] });
    }
  });

  it('renames and deletes one by its number', async () => {
    const { client } = server.acme;
    const id = await fleet.logicalNumber(client, 'AREA 51/é');
    const path = `logical_numbers/${encodeURIComponent('AREA 51/é')}`;
    const renamed = await client.put(path, { number: 'B-1' });
    expect([renamed.status, renamed.record('logical_number').number]).toEqual([200, 'B-1']);
    expect((await client.get(path)).status).toBe(404);
    const deleted = await client.delete('logical_numbers/B-1');
    expect([deleted.status, deleted.body]).toEqual([200, {}]);
    expect((await client.get('logical_numbers/B-1')).status).toBe(404);
    const entries = await ledgerOf(server, server.acme, 'logical_number', id);
    expect(entries.map((entry) => entry.action)).toEqual(['create', 'update', 'delete']);
  });

  it.each(['1,2', ',', 'x'.repeat(65), '', ' 1'])('contract 18: refuses the number "%s"', async (number) => {
    const { client } = server.acme;
    const refused = await client.post('logical_numbers', { number });
    expect([refused.status, Object.keys(refused.body.errors as object)]).toEqual([422, ['number']]);
  });

  it('contract 18: a number is unique in the company, on create and on update', async () => {
    const { client } = server.acme;
    await fleet.logicalNumber(client, 'taken');
    await fleet.logicalNumber(client, 'free');
    expect((await client.post('logical_numbers', { number: 'taken' })).status).toBe(409);
    expect((await client.put('logical_numbers/free', { number: 'taken' })).status).toBe(409);
    expect((await client.put('logical_numbers/taken', { number: 'taken' })).status).toBe(200);
  });

  it('contract 18: deleting one deletes its settings and leaves its devices without a number', async () => {
    const { client } = server.acme;
    const id = await fleet.logicalNumber(client, 'owner');
    await fleet.logicalNumber(client, 'bystander');
    const devices = [1, 2, 3].map((n) => fleet.device(client, `D-${n}`, { logical_number_id: id }));
    const settings: Record<string, number> = {};
    for (const kind of ['parameter', 'metacontent']) {
      const created = await client.post(`${kind}s`, { number: 'owner', key: 'k', value: 'v' });
      settings[kind] = created.record(`logical_number_${kind}`).id as number;
      expect((await client.post(`${kind}s`, { number: 'bystander', key: 'k', value: 'v' })).status).toBe(201);
    }
    expect((await client.delete('logical_numbers/owner')).status).toBe(200);

    for (const device of await Promise.all(devices)) {
      const left = (await client.get(`devices/${device}`)).record('device');
      expect(left.logical_number_id).toBeNull();
      expect(await ledgerOf(server, server.acme, 'device', device)).toMatchObject([
        { action: 'create' },
        { action: 'update', before: { logicalNumberId: id }, after: { logicalNumberId: null } },
      ]);
    }
    for (const [kind, setting] of Object.entries(settings)) {
      const entries = await ledgerOf(server, server.acme, kind, setting);
      expect(entries.map((entry) => entry.action)).toEqual(['create', 'delete']);
      const kept = await client.get(`${kind}s`, { number: 'bystander' });
      expect(kept.list(`${kind}s`)).toHaveLength(1);
    }
    await fleet.logicalNumber(client, 'owner');
    expect((await client.get('parameters', { number: 'owner' })).list('parameters')).toEqual([]);
  });

  it('deletes one in a constant number of statements', async () => {
    const { client } = server.acme;
    const removal = async (number: string, things: number): Promise<number> => {
      const id = await fleet.logicalNumber(client, number);
      for (let n = 0; n < things; n += 1) {
        await fleet.device(client, `${number}-${n}`, { logical_number_id: id });
        await client.post('parameters', { number, key: `k${n}`, value: 'v' });
        await client.post('metacontents', { number, key: `k${n}`, value: {} });
      }
      const { statements } = await server.statements(() => client.delete(`logical_numbers/${number}`));
      return statements.length;
    };
    expect(await removal('rich', 12)).toBe(await removal('poor', 1));
  });
});

describe("a logical number's app versions", () => {
  it('contract 24: must be linked to its group', async () => {
    const { client } = server.acme;
    const group = await fleet.group(client, 'linked');
    const other = await fleet.group(client, 'not linked');
    const versions = await fleet.appVersions(server.acme.client, 3, [group]);
    const [strange = 0] = await fleet.appVersions(server.acme.client, 1, [other]);
    const [first = 0, second = 0, third = 0] = versions;

    await fleet.logicalNumber(client, 'L-1', { group_id: group, app_version_ids: [third, first, third] });
    expect((await read('L-1')).app_version_ids).toEqual([first, third]);
    const changed = await client.put('logical_numbers/L-1', { app_version_ids: [third, second] });
    expect(changed.record('logical_number').app_version_ids).toEqual([second, third]);

    const refused = await client.put('logical_numbers/L-1', { app_version_ids: [first, strange] });
    expect(refused.status).toBe(422);
    expect(refused.body.errors).toEqual({
      app_version_ids: [`must be app versions linked to the number's group: not ${strange}`],
    });
    expect((await read('L-1')).app_version_ids).toEqual([second, third]);
    const fresh = { number: 'L-2', group_id: group, app_version_ids: [strange] };
    expect((await client.post('logical_numbers', fresh)).status).toBe(422);
    expect((await client.post('logical_numbers', { ...fresh, group_id: null })).status).toBe(422);
    expect((await client.get('logical_numbers/L-2')).status).toBe(404);
  });

  it('contract 24: a change of group removes the app versions that are not linked there', async () => {
    const { client } = server.acme;
    const from = await fleet.group(client, 'from');
    const to = await fleet.group(client, 'to');
    const [only = 0] = await fleet.appVersions(server.acme.client, 1, [from]);
    const [both = 0] = await fleet.appVersions(server.acme.client, 1, [from, to]);
    const id = await fleet.logicalNumber(client, 'mover', { group_id: from, app_version_ids: [only, both] });

    await client.put('logical_numbers/mover', { number: 'moving' });
    expect(await read('moving')).toMatchObject({ group_id: from, app_version_ids: [only, both] });
    await client.put('logical_numbers/moving', { group_id: to });
    expect(await read('moving')).toMatchObject({ group_id: to, app_version_ids: [both] });
    await client.put('logical_numbers/moving', { group_id: null });
    expect(await read('moving')).toMatchObject({ group_id: null, app_version_ids: [] });
    const entries = await ledgerOf(server, server.acme, 'logical_number', id);
    expect(entries.slice(-2)).toMatchObject([
      { before: { appVersionIds: [only, both] }, after: { appVersionIds: [both] } },
      { before: { appVersionIds: [both] }, after: { groupId: null, appVersionIds: [] } },
    ]);
  });

  it('take one additional statement per page', async () => {
    const { client } = server.beta;
    const group = await fleet.group(client, 'many');
    const versions = await fleet.appVersions(server.beta.client, 5, [group]);
    const list = () => client.get('logical_numbers', undefined, { query: { per_page: 100 } });
    await fleet.logicalNumber(client, 'N-0', { group_id: group, app_version_ids: versions });
    const few = await statementsOf(server, list);
    for (let n = 1; n <= 40; n += 1) {
      await fleet.logicalNumber(client, `N-${n}`, { group_id: group, app_version_ids: [versions[n % 5]] });
    }
    expect(await statementsOf(server, list)).toBe(few);
    expect(few).toBe(3);
    const reply = await list();
    expect(reply.body.pagination).toMatchObject({ entries: 41, total_entries: 41 });
    const records = reply.list('logical_numbers');
    expect(records[0]).toMatchObject({ number: 'N-0', app_version_ids: versions });
    expect(records[7]).toMatchObject({ number: 'N-7', app_version_ids: [versions[2]] });
  });
});

describe('removal of app versions from logical numbers', () => {
  const drop = async (versions: readonly number[], groups?: readonly number[]): Promise<string[]> => {
    const { statements } = await server.statements(() =>
      server.app.units.write(server.acme.caller, (work) => dropVersionLinks(work, versions, groups)),
    );
    return statements;
  };
  const fill = async (name: string) => {
    const { client } = server.acme;
    const groups = [await fleet.group(client, `${name} 1`), await fleet.group(client, `${name} 2`)];
    const versions = await fleet.appVersions(server.acme.client, 2, groups);
    const ids: number[] = [];
    for (const [n, group_id] of groups.entries()) {
      ids.push(await fleet.logicalNumber(client, `${name}-${n}`, { group_id, app_version_ids: versions }));
    }
    return { groups, versions, ids };
  };

  it('contract 21: applies to the numbers of the group that the version leaves, and no others', async () => {
    const { groups, versions, ids } = await fill('leaves');
    const [dropped = 0, kept = 0] = versions;
    const tag = async (number: string) =>
      (await server.acme.client.get(`logical_numbers/${number}`)).headers.get('etag');
    const [tagOfFirst, tagOfSecond] = [await tag('leaves-0'), await tag('leaves-1')];
    await drop([dropped], groups.slice(0, 1));
    expect((await read('leaves-0')).app_version_ids).toEqual([kept]);
    expect((await read('leaves-1')).app_version_ids).toEqual([dropped, kept]);
    expect(await tag('leaves-0')).not.toBe(tagOfFirst);
    expect(await tag('leaves-1')).toBe(tagOfSecond);
    expect((await ledgerOf(server, server.acme, 'logical_number', ids[0] ?? 0)).at(-1)).toMatchObject({
      action: 'update',
      before: { appVersionIds: [dropped, kept], revision: 1 },
      after: { appVersionIds: [kept], revision: 2 },
    });
  });

  it('removes deleted versions from all numbers', async () => {
    const { versions } = await fill('deleted');
    await drop(versions);
    expect((await read('deleted-0')).app_version_ids).toEqual([]);
    expect((await read('deleted-1')).app_version_ids).toEqual([]);
  });

  it('takes a constant number of statements', async () => {
    const { client } = server.acme;
    const { groups, versions } = await fill('constant');
    await fleet.logicalNumber(client, 'second', { group_id: groups[0], app_version_ids: versions });
    const few = await drop(versions, groups.slice(0, 1));
    for (let n = 0; n < 20; n += 1) {
      await fleet.logicalNumber(client, `more-${n}`, { group_id: groups[1], app_version_ids: versions });
    }
    const many = await drop(versions, groups.slice(1));
    expect(many.length).toBe(few.length);
    expect((await read('more-19')).app_version_ids).toEqual([]);
  });

  it('writes nothing if no number has them', async () => {
    expect(await drop([])).toEqual([]);
    expect(await drop([1], [])).toEqual([]);
    expect((await drop([987_654])).filter((statement) => !statement.trim().startsWith('select'))).toEqual([]);
  });
});
