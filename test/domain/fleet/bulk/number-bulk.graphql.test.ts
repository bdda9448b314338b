import { describe, expect, it } from 'vitest';

import { takeJobStep } from '../../../../src/domain/base/job/job.service.js';
import { answered, changed, listed, nodeId } from '../../../support/dashboard.js';
import { createdId, fleet, versionIdsOf } from '../../../support/fleet.js';
import { useServer, type Fields } from '../../../support/server.js';

const server = useServer();

const changeOf = (
  type: string,
): string => `mutation ($target: ${type}TargetInput!, $change: ${type}BulkChangeInput!, $dryRun: Boolean) {
  ${type === 'Device' ? 'device' : 'logicalNumber'}BulkChange(target: $target, change: $change, dryRun: $dryRun) {
    count job { id } userErrors { path code message } } }`;

interface Payload {
  readonly count: number | null;
  readonly job: { readonly id: string } | null;
  readonly userErrors: readonly Fields[];
}

const tryTo = (target: Fields, change: Fields, type = 'LogicalNumber', more: Fields = {}): Promise<Payload> =>
  changed<Payload>(server.acme, changeOf(type), { target, change, ...more });

/** Makes a change that must be accepted; resolves to its job once that has ended. */
async function change(...given: Parameters<typeof tryTo>): Promise<Fields> {
  const { job, userErrors } = await tryTo(...given);
  expect(userErrors).toEqual([]);
  await server.app.steps.idle();
  const query = `query ($id: ID!) { job(id: $id) { kind state done rejected failure
    rejections { nodes { rowNumber code message } } } }`;
  return (await answered(server.acme, query, { id: job?.id })).job as Fields;
}

const addNumber = (number: string, more: Fields = {}): Promise<number> =>
  createdId(server.acme.client, 'logical_numbers', 'logical_number', { number, ...more });

const named = (name: string): Fields => ({ filter: { number: { startsWith: name } } });
const idsOf = (ids: readonly number[]): Fields => ({ ids: ids.map((id) => nodeId('LogicalNumber', id)) });

describe('logicalNumberBulkChange', () => {
  it('moves numbers to a group, whose default versions they get, and sets a parameter of each', async () => {
    const { client } = server.acme;
    const group = await fleet.group(client, 'shops');
    const [version = 0] = await fleet.appVersions(client, 1, [group]);
    const setDefaults = `mutation ($id: ID!, $ids: [ID!]!) {
      groupSetDefaultAppVersions(id: $id, appVersionIds: $ids) { userErrors { code } } }`;
    const ids = [nodeId('AppVersion', version)];
    await changed(server.acme, setDefaults, { id: nodeId('Group', group), ids });
    for (const name of ['move 1', 'move 2']) await addNumber(name);
    const given = { groupId: nodeId('Group', group), parameter: { key: 'timeout', value: '30' } };
    expect(await tryTo(named('move'), given, 'LogicalNumber', { dryRun: true })).toMatchObject({
      count: 2,
      job: null,
    });
    expect(await change(named('move'), given)).toMatchObject({
      kind: 'logicalNumberBulkChange',
      state: 'DONE',
      done: 2,
      rejected: 0,
    });
    expect(await versionIdsOf(client, 'move 1')).toEqual([version]);
    const fields = 'group { name } parameters { nodes { key value } }';
    const expected = { group: { name: 'shops' }, parameters: { nodes: [{ key: 'timeout', value: '30' }] } };
    const query = `query ($filter: LogicalNumberFilter) { logicalNumbers(filter: $filter) { nodes { ${fields} } } }`;
    expect(await answered(server.acme, query, named('move'))).toEqual({
      logicalNumbers: { nodes: [expected, expected] },
    });
  });

  it.each<[string, Fields, Fields, readonly string[]]>([
    ['two targets', { all: true, filter: { number: { eq: '1' } } }, { groupId: null }, ['target']],
    ['the id of a device', { ids: [nodeId('Device', 1)] }, { groupId: null }, ['target', 'ids']],
    ['no change', { all: true }, { force: true }, ['change']],
    ['an unknown group', { all: true }, { groupId: nodeId('Group', 999_999) }, ['change', 'groupId']],
    ['a key without letters', { all: true }, { parameter: { key: '', value: '1' } }, ['change', 'parameter']],
  ])('refuses %s, and starts nothing', async (_what, target, given, path) => {
    expect(await tryTo(target, given)).toMatchObject({ job: null, userErrors: [{ code: 'INVALID', path }] });
  });
});

describe('a move to a group that lacks app versions', () => {
  it.each(['LogicalNumber', 'Device'])(
    'refuses those that terminals have, without force (%s)',
    async (type) => {
      const { client } = server.acme;
      const [from, to] = [await fleet.group(client, `from ${type}`), await fleet.group(client, `to ${type}`)];
      const [lost = 0, kept = 0] = await fleet.appVersions(client, 2, [from]);
      await changed(
        server.acme,
        'mutation ($id: ID!, $ids: [ID!]!) { groupAttachAppVersions(id: $id, appVersionIds: $ids) { userErrors { code } } }',
        { id: nodeId('Group', to), ids: [nodeId('AppVersion', kept)] },
      );
      const numbers: number[] = [];
      const devices: number[] = [];
      for (const [place, versions] of [[lost, kept], [kept], [lost]].entries()) {
        const number = await addNumber(`${type} ${place}`, { group_id: from, app_version_ids: versions });
        numbers.push(number);
        if (type === 'Device' || place < 2)
          devices.push(await fleet.device(client, `${type} ${place}`, { logical_number_id: number }));
      }
      const target = type === 'Device' ? { ids: devices.map((id) => nodeId('Device', id)) } : idsOf(numbers);
      const groupId = nodeId('Group', to);
      const message = 'Its terminals would lose app versions. Send force: true to make the change anyway.';
      const refusedRows = type === 'Device' ? [0, 2] : [0];
      expect(await change(target, { groupId }, type)).toMatchObject({
        state: 'DONE',
        done: 3 - refusedRows.length,
        rejections: { nodes: refusedRows.map((rowNumber) => ({ rowNumber, code: 'IN_USE', message })) },
      });
      expect(await versionIdsOf(client, `${type} 0`)).toEqual([lost, kept]);
      expect(await versionIdsOf(client, `${type} 1`)).toEqual([kept]);
      expect(await change(target, { groupId, force: true }, type)).toMatchObject({ done: 3, rejected: 0 });
      expect(await versionIdsOf(client, `${type} 0`)).toEqual([kept]);
      expect(await listed(server.acme, 'LogicalNumber', 'group', named(type), '{ name }')).toEqual(
        Array.from({ length: 3 }, () => ({ name: `to ${type}` })),
      );
    },
  );
});

describe('a number that is deleted before its turn', () => {
  const own = useServer();

  it('is refused, and the others are changed', async () => {
    const { client } = own.acme;
    await own.app.steps.stop();
    for (const number of ['gone', 'kept'])
      await createdId(client, 'logical_numbers', 'logical_number', { number });
    const { job } = await changed<Payload>(own.acme, changeOf('LogicalNumber'), {
      target: { all: true },
      change: { parameter: { key: 'timeout', value: '30' } },
    });
    await client.delete('logical_numbers/gone');
    await takeJobStep(own.app.units, 0, 'secret');
    const query =
      'query ($id: ID!) { job(id: $id) { done rejections { nodes { rowNumber name message } } } }';
    expect(await answered(own.acme, query, { id: job?.id })).toEqual({
      job: {
        done: 1,
        rejections: { nodes: [{ rowNumber: 0, name: 'gone', message: 'No such logical number.' }] },
      },
    });
  });
});
