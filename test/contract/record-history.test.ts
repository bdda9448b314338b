import { beforeAll, describe, expect, it } from 'vitest';

import { answered, nodeId, refused, statementsFor, type Page } from '../support/dashboard.js';
import { fleet, unique } from '../support/fleet.js';
import { create, update } from '../support/parity/operations.js';
import { RECORD_CASES } from '../support/parity/record-cases.js';
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
  readonly changes: readonly { readonly field: string; readonly before: unknown; readonly after: unknown }[];
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

describe('the history of a record', () => {
  it.each(Object.entries(RECORD_CASES))('a viewer reads that of %s, newest first', async (_what, caseOf) => {
    const { type, input, file } = caseOf(related);
    const caller = file === undefined ? acme : carrying(server, acme, file, 'input.file');
    const { record } = await create(caller, type, input);
    const id = nodeId(type, Number(record?.databaseId));
    await update(acme, type, id, {});
    const history = await historyOf(viewer, type, id);
    expect(history?.nodes).toMatchObject([
      {
        action: expect.stringMatching(/^update$/i) as string,
        changes: [],
        actor: { databaseId: acme.caller.userId },
      },
      { action: expect.stringMatching(/^create$/i) as string },
    ]);
    expect(history?.nodes[1]?.changes.every(({ before }) => before === null)).toBe(true);
    expect((await refused(viewer, '{ ledger { totalCount } }')).code).toBe('FORBIDDEN');
    expect(await historyOf(server.beta, type, id)).toBeNull();
  });

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
