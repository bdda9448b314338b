import { beforeAll, describe, expect, it } from 'vitest';

import { answered, nodeId, type UserErrorShape } from '../support/dashboard.js';
import { fleet, rowsIn } from '../support/fleet.js';
import { create, mutate, type Payload } from '../support/parity/operations.js';
import { firstChange, RECORD_CASES, type RecordCase } from '../support/parity/record-cases.js';
import { createRelatedRecords, ids, type RelatedRecords } from '../support/parity/related-records.js';
import { asRest, schema } from '../support/parity/rest-spelling.js';
import { useServer, type Fields, type Member } from '../support/server.js';
import { carrying } from '../support/uploading.js';

const server = useServer();
let member: Member;
let related: RelatedRecords;
beforeAll(async () => {
  member = server.acme;
  related = await createRelatedRecords(member);
});

const mutationName = (type: string, action: string): string =>
  `${type.charAt(0).toLowerCase()}${type.slice(1)}${action}`;

async function revisionOf(type: string, id: string): Promise<number> {
  const query = `query ($id: ID!) { node(id: $id) { ... on ${type} { revision } } }`;
  return (await answered<{ node: { revision: number } }>(member, query, { id })).node.revision;
}

const ledgerSize = (): Promise<number> => rowsIn(server, 'ledger');

const staleErrors = (noun: string, revision: number, given: number): readonly UserErrorShape[] => [
  {
    code: 'STALE',
    path: ['ifMatch'],
    message: `The ${noun} was changed: its revision is ${revision}, not ${given}. Read it again.`,
  },
];

/** The rule of a stale update, and the present record that it shows. */
async function staleRecord(type: string, id: string, ifMatch: number): Promise<unknown> {
  const update = mutationName(type, 'Update');
  const document = `mutation ($id: ID!, $ifMatch: Int) { payload: ${update}(id: $id, input: {}, ifMatch: $ifMatch) {
    userErrors { rule params current { id ... on ${type} { revision } } } } }`;
  const { payload } = await answered<{ payload: Payload }>(member, document, { id, ifMatch });
  return payload.userErrors[0];
}

/** Creates a record through GraphQL; resolves to its global id and its fields as REST spells them. */
async function created({ type, input, file, time }: RecordCase): Promise<readonly [string, Fields]> {
  const caller = file === undefined ? member : carrying(server, member, file, 'input.file');
  const { record, userErrors } = await create(caller, type, input);
  expect(userErrors).toEqual([]);
  return [nodeId(type, Number(record?.databaseId)), asRest(type, record ?? {}, time)];
}

const nounOf = (type: string): string =>
  type.replace(/(?!^)[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).toLowerCase();

describe('optimistic locking', () => {
  it.each(Object.entries(RECORD_CASES))(
    'CC-02 a stale ifMatch, or ETag, prevents update and deletion of %s',
    async (_what, caseOf) => {
      const of = caseOf(related);
      const [id, fields] = await created(of);
      const query = of.query ?? {};
      const first = await member.client.get((of.readPath ?? of.path)(fields), undefined, { query });
      const { input, shows } = firstChange(of);
      const path = of.path({ ...fields, ...shows });
      const stale = { query, headers: { 'if-match': first.headers.get('etag') ?? '' } };
      const [update, remove] = [mutationName(of.type, 'Update'), mutationName(of.type, 'Delete')];
      const revision = await revisionOf(of.type, id);
      const changed = await mutate(member, update, { id, input, ifMatch: revision });
      expect(changed.userErrors).toEqual([]);
      const next = await revisionOf(of.type, id);
      expect(next).toBe(revision + 1);

      const before = await ledgerSize();
      const errors = staleErrors(nounOf(of.type), next, revision);
      const refused = await mutate(member, update, { id, input: {}, ifMatch: revision });
      expect(refused).toEqual({ record: null, userErrors: errors });
      expect(await staleRecord(of.type, id, revision)).toEqual({
        rule: 'stale',
        params: { what: nounOf(of.type), revision: next, expected: revision },
        current: { id, revision: next },
      });
      const kept = await mutate(member, remove, { id, ifMatch: revision });
      expect(kept).toEqual({ deletedId: null, userErrors: errors });
      const replies = [
        await member.client.put(path, {}, stale),
        await member.client.delete(path, undefined, stale),
      ];
      expect(replies.map(({ status, body }) => [status, body.code])).toEqual(Array(2).fill([412, 'stale']));
      expect([await revisionOf(of.type, id), await ledgerSize()]).toEqual([next, before]);

      expect((await mutate(member, update, { id, input: {}, ifMatch: null })).userErrors).toEqual([]);
      const last = { deletedId: id, userErrors: [] };
      expect(await mutate(member, remove, { id, ifMatch: next })).toEqual(last);
    },
  );

  it('is offered by every mutation that changes or deletes one audited record', () => {
    const audited = Object.values(schema.getTypeMap())
      .filter((type) => 'getFields' in type && 'createdVia' in type.getFields())
      .map((type) => type.name);
    const names = Object.values(schema.getMutationType()?.getFields() ?? {})
      .filter(({ name, args }) =>
        audited.some(
          (type) =>
            args.some((arg) => arg.name === 'id') &&
            (name.startsWith(mutationName(type, 'Update')) || name.startsWith(mutationName(type, 'Delete'))),
        ),
      )
      .map(({ name, args }) => [name, String(args.find((arg) => arg.name === 'ifMatch')?.type)]);
    // Notifications, commands, jobs and rollouts have neither.
    expect(names.length).toBe(2 * (new Set(audited).size - 4));
    expect(names.filter(([, type]) => type !== 'Int')).toEqual([]);
    const revisions = audited.map((name) => {
      const type = schema.getType(name);
      return type && 'getFields' in type ? String(type.getFields().revision?.type) : name;
    });
    expect(new Set(revisions)).toEqual(new Set(['Int!']));
  });

  it('guards the mutations that set one part of a record', async () => {
    const device = nodeId('Device', await fleet.device(member.client, 'locked device'));
    const number = ids.number(related.number);
    const version = ids.version(related.version);
    const group = ids.group(related.group);
    const calls: readonly (readonly [string, string, string, Fields])[] = [
      ['deviceDisable', 'Device', device, {}],
      ['deviceEnable', 'Device', device, {}],
      ['deviceAssign', 'Device', device, { logicalNumberId: null }],
      ['logicalNumberSetAppVersions', 'LogicalNumber', number, { appVersionIds: [] }],
      ['logicalNumberMove', 'LogicalNumber', number, { groupId: null }],
      ['groupSetDefaultAppVersions', 'Group', group, { appVersionIds: [] }],
      ['appVersionSetModules', 'AppVersion', version, { moduleIds: [] }],
      ['appVersionSetFiles', 'AppVersion', version, { fileIds: [] }],
    ];
    for (const [name, type, id, args] of calls) {
      const revision = await revisionOf(type, id);
      const before = await ledgerSize();
      const wrong = await mutate(member, name, { id, ...args, ifMatch: revision + 1 });
      const userErrors = staleErrors(nounOf(type), revision, revision + 1);
      expect(wrong, name).toEqual({ record: null, userErrors });
      expect(await ledgerSize(), name).toBe(before);
      const right = await mutate(member, name, { id, ...args, ifMatch: revision });
      expect(right.userErrors, name).toEqual([]);
    }
  });

  it('CC-02 one of two updates with the same ifMatch or ETag wins, whatever the other is', async () => {
    const outcome = ({ userErrors }: Payload): string => userErrors[0]?.code ?? 'won';
    for (let round = 0; round < 10; round += 1) {
      const databaseId = await fleet.device(member.client, `contended ${round}`);
      const id = nodeId('Device', databaseId);
      const graphql = async (): Promise<string> =>
        outcome(await mutate(member, 'deviceUpdate', { id, input: { enabled: false }, ifMatch: 1 }));
      const rest = async (): Promise<string> => {
        const options = { headers: { 'if-match': `"device-${databaseId}-1"` } };
        const path = `devices/contended ${round}`;
        const { status, body } = await member.client.put(path, { enabled: false }, options);
        return status === 200 ? 'won' : String(body.code).toUpperCase();
      };
      const remove = async (): Promise<string> =>
        outcome(await mutate(member, 'deviceDelete', { id, ifMatch: 1 }));
      const others = [graphql, rest, remove];
      const other = others[round % others.length] ?? rest;
      const update = round < 6 ? graphql : rest;
      const calls = round % 2 === 0 ? [update(), other()] : [other(), update()];
      const outcomes = (await Promise.all(calls)).sort();
      // After a deletion there is no record to compare.
      expect(outcomes).toEqual([outcomes[0] === 'NOT_FOUND' ? 'NOT_FOUND' : 'STALE', 'won']);
    }
  });
});
