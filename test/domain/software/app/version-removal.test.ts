import { describe, expect, it } from 'vitest';

import { MAX_DELETED_TOGETHER } from '../../../../src/platform/errors.js';
import { answered, nodeId, type Page } from '../../../support/dashboard.js';
import { audited, insertMany, insertRows } from '../../../support/databases/rows.js';
import {
  actionsOf,
  ledgerOf,
  MANY,
  rowsIn,
  softwareOf,
  wideFleet,
  type WideFleet,
} from '../../../support/fleet.js';
import { expectRefused, mutated } from '../../../support/mutations.js';
import { type Reply, useServer } from '../../../support/server.js';

const server = useServer();

const QUERY = `query ($number: ID!, $version: ID!) {
  number: logicalNumber(id: $number) { appVersions(first: 10) { totalCount nodes { databaseId } } }
  version: appVersion(id: $version) { logicalNumbers(first: 2) { totalCount nodes { databaseId } } } }`;

/** State of one number and of the first version, as shown by REST and GraphQL. */
async function seen({ numbers, number, versions }: WideFleet) {
  const { client } = server.acme;
  const rest = (await client.get(`logical_numbers/${number}`)).record('logical_number');
  const variables = {
    number: nodeId('LogicalNumber', numbers[0] ?? 0),
    version: nodeId('AppVersion', versions[0]),
  };
  const data = await answered<{
    number: { appVersions: Page<{ databaseId: number }> };
    version: { logicalNumbers: Page<unknown> } | null;
  }>(server.acme, QUERY, variables);
  const { totalCount, nodes } = data.number.appVersions;
  const listed = nodes.map(({ databaseId }) => databaseId);
  expect([listed, totalCount]).toEqual([rest.app_version_ids, listed.length]);
  const holders = data.version?.logicalNumbers;
  if (holders !== undefined) expect(holders.nodes).toHaveLength(Math.min(2, holders.totalCount));
  return { versionsOfNumber: rest.app_version_ids, numbersOfVersion: holders?.totalCount ?? null };
}

const links = (version: number): Promise<number> =>
  rowsIn(server, 'logical_number_app_versions', `app_version_id = ${version}`);

async function expectChangedOnce({ numbers }: WideFleet, before: unknown, after: unknown): Promise<void> {
  for (const id of [numbers[0] ?? 0, numbers[250] ?? 0, numbers.at(-1) ?? 0]) {
    const entries = await ledgerOf(server, server.acme, 'logical_number', id);
    expect(entries.map(({ action }) => action)).toEqual(['update']);
    expect(entries[0]?.before).toMatchObject({ appVersionIds: before, revision: 1 });
    expect(entries[0]?.after).toMatchObject({ appVersionIds: after, revision: 2 });
  }
  expect(await rowsIn(server, 'logical_numbers', `id in (${numbers.join()}) and revision = 2`)).toBe(MANY);
  const ofNumbers = `entity_type = 'logical_number' and entity_id in (${numbers.join()})`;
  expect(await rowsIn(server, 'ledger', ofNumbers)).toBe(MANY);
}

describe('CC-20 a version that many logical numbers hold', () => {
  it('leaves the numbers of a group, whose change is recorded once each', async () => {
    const wide = await wideFleet(server, server.acme);
    const [first, second] = wide.versions;
    expect(await seen(wide)).toEqual({ versionsOfNumber: [first, second], numbersOfVersion: MANY });
    const { result, statements } = await server.statements(() =>
      server.acme.client.put(`${wide.path}/${first}`, { group_ids: [] }),
    );
    expect(result.status, result.text).toBe(200);
    // Parts of 250 numbers with 4 statements, and the ledger in parts of 200.
    expect(statements.length).toBeLessThan(35);
    expect([await links(first), await links(second)]).toEqual([0, MANY]);
    expect(await seen(wide)).toEqual({ versionsOfNumber: [second], numbersOfVersion: 0 });
    await expectChangedOnce(wide, [first, second], [second]);
    expect(await server.place.check()).toEqual([]);
  });

  it('is deleted, and makes room for another with its number', async () => {
    const wide = await wideFleet(server, server.acme);
    const [first, second] = wide.versions;
    const { client } = server.acme;
    const { number } = (await client.get(`${wide.path}/${first}`)).record('app_version');
    const deleted = await client.delete(`${wide.path}/${first}`);
    expect([deleted.status, deleted.body]).toEqual([200, {}]);
    expect((await client.post(wide.path, { number })).status).toBe(201);
    expect((await client.get(`${wide.path}/${first}`)).status).toBe(404);
    expect(await seen(wide)).toEqual({ versionsOfNumber: [second], numbersOfVersion: null });
    expect((await client.get(wide.path)).body.pagination).toMatchObject({ total_entries: 2 });
    expect(await rowsIn(server, 'app_versions', `id = ${first}`)).toBe(0);
    await expectChangedOnce(wide, [first, second], [second]);
    expect(await actionsOf(server, server.acme, 'app_version', first)).toEqual(['create', 'delete']);
    expect(await server.place.check()).toEqual([]);
  });

  it('goes with its application, whose name is free', async () => {
    const before = (await server.acme.client.get('apps')).body.pagination;
    const wide = await wideFleet(server, server.acme);
    const { client } = server.acme;
    const app = (await client.get(`apps/${wide.app}`)).record('app');
    expect((await client.delete(`apps/${wide.app}`)).status).toBe(200);
    expect((await client.get('apps')).body.pagination).toEqual(before);
    expect((await client.get(`apps/${wide.app}`)).status).toBe(404);
    expect((await client.post('apps', { name: app.name as string })).status).toBe(201);
    expect(await seen(wide)).toEqual({ versionsOfNumber: [], numbersOfVersion: null });
    expect(await rowsIn(server, 'app_versions', `app_id = ${wide.app}`)).toBe(0);
    await expectChangedOnce(wide, [...wide.versions], []);
    expect(await server.place.check()).toEqual([]);
  });

  it('is detached from a group in GraphQL together with another, and numbers change once', async () => {
    const wide = await wideFleet(server, server.acme);
    await mutated(server.acme, 'groupDetachAppVersions', {
      id: nodeId('Group', wide.group),
      appVersionIds: wide.versions.map((id) => nodeId('AppVersion', id)),
    });
    expect(await seen(wide)).toEqual({ versionsOfNumber: [], numbersOfVersion: 0 });
    await expectChangedOnce(wide, [...wide.versions], []);
  });
});

function tooMany({ status, body }: Reply): void {
  expect([status, body.code]).toEqual([409, 'too_many_records']);
}

describe('CC-20 a version that too many logical numbers hold', () => {
  it('is refused with their number and what to do instead, and nothing changes', async () => {
    const wide = await wideFleet(server, server.acme, MAX_DELETED_TOGETHER + 1);
    const { client } = server.acme;
    const [first] = wide.versions;
    const before = [await seen(wide), await rowsIn(server, 'ledger')];
    const { result: ofVersion, statements } = await server.statements(() =>
      client.delete(`${wide.path}/${first}`),
    );
    tooMany(ofVersion);
    expect(ofVersion.body.message).toBe(
      'The change has 5001 links of logical numbers with app versions to delete, and one request changes at most 5000 of them: first remove the versions from the logical numbers in parts (appVersionGrant with the mode REMOVE and a filter, or PUT /v1/logical_numbers). Nothing was changed.',
    );
    expect(statements.filter((statement) => /^(insert|update|delete) /.test(statement))).toEqual([]);
    const ofApp = await client.delete(`apps/${wide.app}`);
    tooMany(ofApp);
    expect(ofApp.body.message).toMatch(/10002 links/);
    const detached = await client.put(`${wide.path}/${first}`, { group_ids: [] });
    tooMany(detached);
    const id = nodeId('AppVersion', first);
    const ofGroup = { id: nodeId('Group', wide.group), appVersionIds: [id] };
    for (const [mutation, variables] of [
      ['groupDetachAppVersions', ofGroup],
      ['appVersionDelete', { id }],
    ] as const) {
      const { message } = ofVersion.body;
      const forced = { ...variables, force: true };
      await expectRefused(server.acme, mutation, forced, 'TOO_MANY_RECORDS', String(message));
    }
    expect([await seen(wide), await rowsIn(server, 'ledger')]).toEqual(before);

    const prefix = wide.number.replace(/1$/, '');
    const filter = { number: { startsWith: `${prefix}1` } };
    await mutated(server.acme, 'appVersionGrant', {
      appVersionIds: [id],
      mode: 'REMOVE',
      target: { filter },
    });
    expect((await client.delete(`${wide.path}/${first}`)).status).toBe(200);
    expect([await links(first), await server.place.check()]).toEqual([0, []]);
  });
});

describe('CC-20 a record that too many versions use', () => {
  it('is refused with their number and what to do instead', async () => {
    const software = softwareOf(server.acme.client);
    const path = await software.app();
    const file = await software.file();
    const { companyId, userId } = server.acme.caller;
    const versions = await insertMany(server.place, ['app_versions', companyId, 501], (n) => ({
      app_id: Number(path.split('/')[1]),
      number: `v${n}`,
      uuid: `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`,
      displayable: false,
      size: 0,
      crc: '0000',
      ...audited(userId),
    }));
    await insertRows(
      server.place,
      'app_version_files',
      versions.map((version) => ({ company_id: companyId, app_version_id: version, file_id: file })),
    );
    const { client } = server.acme;
    const ofFile = await client.delete(`files/${file}`);
    tooMany(ofFile);
    expect(ofFile.body.message).toMatch(/501 versions that use it.*at most 500.*appVersionSetFiles/);
    const ofApp = await client.delete(path.replace('/versions', ''));
    tooMany(ofApp);
    expect(ofApp.body.message).toMatch(/501 versions.*at most 500.*DELETE \/v1\/apps/);
    const { message } = ofFile.body;
    const id = nodeId('File', file);
    await expectRefused(server.acme, 'fileDelete', { id }, 'TOO_MANY_RECORDS', String(message));
    expect((await client.get(`files/${file}`)).status).toBe(200);
    expect((await client.get(path)).body.pagination).toMatchObject({ total_entries: 501 });
  });
});
