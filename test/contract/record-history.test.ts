import { beforeAll, describe, expect, it } from 'vitest';

import { answered, changed, nodeId, refused, statementsFor, type Page } from '../support/dashboard.js';
import { fleet, unique } from '../support/fleet.js';
import { create, read, remove, update } from '../support/parity/operations.js';
import { firstChange, RECORD_CASES, type RecordCase } from '../support/parity/record-cases.js';
import { createRelatedRecords, type RelatedRecords } from '../support/parity/related-records.js';
import { useServer, type Fields, type Member } from '../support/server.js';
import { carrying } from '../support/uploading.js';

const server = useServer();
let acme: Member;
let viewer: Member;
let related: RelatedRecords;
beforeAll(async () => {
  acme = server.acme;
  viewer = await server.member('acme', 'viewer');
  related = await createRelatedRecords(acme);
});

interface Entry extends Fields {
  readonly sequence: number;
  readonly action: string;
  readonly changes: readonly {
    readonly field: string;
    readonly before: unknown;
    readonly after: unknown;
    readonly recordIds?: readonly string[];
  }[];
}
type Entries = Page<Entry> & { readonly pageInfo: { readonly endCursor: string } };

/** The history of a record; null if the company does not have it. */
async function historyOf(
  member: Member,
  type: string,
  id: string,
  page: Fields = {},
): Promise<Entries | null> {
  const query = `query ($id: ID!, $first: Int, $after: String) { node(id: $id) { ... on ${type} {
    history(first: $first, after: $after) { totalCount pageInfo { endCursor }
      nodes { sequence action actor { databaseId } changes { field before after } } } } } }`;
  const { node } = await answered<{ node: { history: Entries } | null }>(member, query, { id, ...page });
  return node?.history ?? null;
}

const REVERT = `mutation ($sequence: Int!, $force: Boolean) { revert(sequence: $sequence, force: $force) {
  entry { sequence entity { id } } userErrors { code path rule params current { id } } } }`;
interface Reverted extends Fields {
  readonly userErrors: readonly Fields[];
}
const revert = async (member: Member, sequence: number | undefined, force = false): Promise<Reverted> =>
  await changed<Reverted>(member, REVERT, { sequence, force });

/** The fields of a record that a change sets. */
async function fieldsOf(type: string, id: string): Promise<Fields> {
  return { ...(await read(acme, type, id)), revision: null, updatedAt: null };
}

/** Creates the record of a case; resolves to its global id. */
async function createdBy({ type, input, file }: RecordCase): Promise<string> {
  const caller = file === undefined ? acme : carrying(server, acme, file, 'input.file');
  return nodeId(type, Number((await create(caller, type, input)).record?.databaseId));
}

describe('the history of a record', () => {
  it.each(Object.entries(RECORD_CASES))('a viewer reads that of %s, newest first', async (_what, caseOf) => {
    const of = caseOf(related);
    const { type } = of;
    const id = await createdBy(of);
    await update(acme, type, id, firstChange(of).input);
    const history = await historyOf(viewer, type, id);
    expect(history?.nodes).toMatchObject([
      {
        action: expect.stringMatching(/^update$/i) as string,
        changes: expect.arrayContaining([expect.anything()]) as unknown,
        actor: { databaseId: acme.caller.userId },
      },
      { action: expect.stringMatching(/^create$/i) as string },
    ]);
    expect(history?.nodes[1]?.changes.every(({ before }) => before === null)).toBe(true);
    expect((await refused(viewer, '{ ledger { totalCount } }')).code).toBe('FORBIDDEN');
    expect(await historyOf(server.beta, type, id)).toBeNull();
    await remove(acme, type, id);
  });

  it.each(Object.entries(RECORD_CASES))(
    'of %s has the ids of the records that it names',
    async (_what, caseOf) => {
      const of = caseOf(related);
      const { type, changes } = of;
      const id = await createdBy(of);
      for (const change of changes) {
        if ('input' in change && change.file === undefined) await update(acme, type, id, change.input);
      }
      const query = `query ($id: ID!) { node(id: $id) { ... on ${type} {
      history(first: 50) { nodes { changes { field before after recordIds } } } } } }`;
      const { node } = await answered<{ node: { history: Entries } }>(acme, query, { id });
      for (const { field, before, after, recordIds } of node.history.nodes.flatMap(
        (entry) => entry.changes,
      )) {
        const numbers = [before, after].flat().filter((value) => typeof value === 'number');
        const named = /Ids?$/.test(field) && field !== 'contentId' ? numbers : [];
        const ids = recordIds?.map((each) => Number(Buffer.from(each, 'base64url').toString().split(':')[1]));
        expect([field, ids]).toEqual([field, named]);
        const { nodes } = await answered<{ nodes: Fields[] }>(
          acme,
          'query ($ids: [ID!]!) { nodes(ids: $ids) { id } }',
          { ids: recordIds },
        );
        expect(nodes.map((found) => found.id)).toEqual(recordIds);
      }
      await remove(acme, type, id);
    },
  );

  it('shows the fields that differ, parts of objects apart, and no token', async () => {
    const serialNumber = unique();
    const id = nodeId('Device', await fleet.device(acme.client, serialNumber));
    for (const level of [80, 79]) {
      const report = `mutation ($input: DeviceReportInput!) {
        deviceReport(serialNumber: "${serialNumber}", input: $input) { userErrors { message } } }`;
      await answered(server.acme, report, { input: { meta: { model: 'V1', level } } });
    }
    await answered(acme, `mutation { deviceTokenIssue(deviceId: "${id}") { userErrors { message } } }`);
    await update(acme, 'Device', id, { enabled: false });
    const history = await historyOf(viewer, 'Device', id);
    expect(history?.nodes.map(({ changes }) => changes)).toEqual([
      [{ field: 'enabled', before: true, after: false }],
      [{ field: 'meta.level', before: '80', after: '79' }],
      [
        { field: 'meta.model', before: null, after: 'V1' },
        { field: 'meta.level', before: null, after: '80' },
      ],
      expect.arrayContaining([{ field: 'serialNumber', before: null, after: serialNumber }]),
    ]);
    const first = await historyOf(viewer, 'Device', id, { first: 1 });
    const rest = await historyOf(viewer, 'Device', id, { after: first?.pageInfo.endCursor });
    expect([...(first?.nodes ?? []), ...(rest?.nodes ?? [])]).toEqual(history?.nodes);
  });

  it('is read in one statement for all records, and so is the number of changes', async () => {
    for (let n = 0; n < 20; n += 1) await fleet.group(acme.client, unique());
    const counted = async (fields: string, first: number): Promise<number> =>
      (await statementsFor(server, viewer, `{ groups(first: ${first}) { nodes { name ${fields} } } }`))
        .length;
    const history = 'history(first: 5) { totalCount nodes { action changes { field } actor { name } } }';
    const base = await counted('', 20);
    expect([await counted(history, 2), await counted(history, 20)]).toEqual([base + 3, base + 3]);
  });
});

describe('a change', () => {
  it.each(Object.entries(RECORD_CASES))('of %s is reverted, or says why not', async (_what, caseOf) => {
    const of = caseOf(related);
    const { type, changes } = of;
    const id = await createdBy(of);
    const [creation] = (await historyOf(acme, type, id))?.nodes ?? [];
    const refusal = { code: 'INVALID', path: ['sequence'], rule: 'not_revertible', current: null };
    expect((await revert(acme, creation?.sequence)).userErrors).toMatchObject([refusal]);
    let reverted = 0;
    for (const change of changes) {
      if (!('input' in change) || change.file !== undefined) continue;
      const before = await fieldsOf(type, id);
      const last = (await historyOf(acme, type, id))?.nodes[0]?.sequence;
      await update(acme, type, id, change.input);
      const [entry] = (await historyOf(acme, type, id))?.nodes ?? [];
      if (entry?.sequence === last) {
        expect(await fieldsOf(type, id), change.what).toEqual(before);
        continue;
      }
      const { userErrors } = await revert(acme, entry?.sequence);
      const names = entry?.changes.map(({ field }) => field) ?? [];
      expect(names, change.what).not.toEqual([]);
      if (names.includes('contentId')) {
        expect(userErrors, change.what).toMatchObject([refusal]);
        continue;
      }
      expect([userErrors, await fieldsOf(type, id)], change.what).toEqual([[], before]);
      reverted += 1;
    }
    expect(reverted).toBeGreaterThan(0);
    await remove(acme, type, id);
  });

  it('is STALE after another one, and unknown to other companies and viewers', async () => {
    const name = unique();
    const id = nodeId('Group', await fleet.group(acme.client, name));
    await update(acme, 'Group', id, { name: unique() });
    await update(acme, 'Group', id, { name: unique() });
    const [last, first] = (await historyOf(acme, 'Group', id))?.nodes ?? [];
    const stale = { code: 'STALE', path: ['sequence'], rule: 'stale', current: { id } };
    expect((await revert(acme, first?.sequence)).userErrors).toMatchObject([
      { ...stale, params: { what: 'group', sequence: last?.sequence } },
    ]);
    const known = await revert(server.beta, last?.sequence);
    expect(known.userErrors[0]?.code).toMatch(/NOT_FOUND|INVALID/);
    expect((await revert(acme, 1_000_000)).userErrors).toMatchObject([
      { code: 'NOT_FOUND', path: ['sequence'] },
    ]);
    expect((await refused(viewer, REVERT, { sequence: last?.sequence })).code).toBe('FORBIDDEN');
    expect(await revert(acme, last?.sequence)).toMatchObject({ entry: { entity: { id } }, userErrors: [] });
    expect((await revert(acme, last?.sequence)).userErrors).toMatchObject([stale]);
  });

  it('that would take software from terminals is reverted by force only', async () => {
    const [groupId, version] = [await fleet.group(acme.client, unique()), related.module];
    const id = nodeId('AppVersion', version);
    await update(acme, 'AppVersion', id, { groupIds: [nodeId('Group', groupId)] });
    const [attached] = (await historyOf(acme, 'AppVersion', id))?.nodes ?? [];
    const links = { group_id: groupId, app_version_ids: [version] };
    const number = await fleet.logicalNumber(acme.client, unique(), links);
    await fleet.device(acme.client, unique(), { logical_number_id: number });
    const { userErrors } = await revert(acme, attached?.sequence);
    expect(userErrors).toMatchObject([{ code: 'IN_USE', rule: 'in_use', params: { count: 1 } }]);
    expect((await revert(acme, attached?.sequence, true)).userErrors).toEqual([]);
  });
});
