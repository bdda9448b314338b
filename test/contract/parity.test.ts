import { beforeAll, describe, expect, it } from 'vitest';

import {
  TRANSACTION_STATUSES,
  TRANSACTION_TYPES,
} from '../../src/domain/payments/transaction/transaction.model.js';
import { payment, record, report } from '../domain/payments/transaction/records.js';
import { nodeId } from '../support/dashboard.js';
import { rowsIn } from '../support/fleet.js';
import { create, list, mutate, read, remove, update, type Payload } from '../support/parity/operations.js';
import { RECORD_CASES, type Change, type RecordCase } from '../support/parity/record-cases.js';
import { createRelatedRecords, ids, type RelatedRecords } from '../support/parity/related-records.js';
import { asRest, fieldsOnlyInGraphql, ZONE } from '../support/parity/rest-spelling.js';
import { addPerson, PASSWORD, signIn } from '../support/people.js';
import { useServer, type Fields, type Member } from '../support/server.js';
import { TRANSPORTS } from '../support/transports.js';
import { carrying, type SentFile } from '../support/uploading.js';

const server = useServer();
let member: Member;
let related: RelatedRecords;
beforeAll(async () => {
  member = await server.member('acme', 'admin', undefined, ZONE);
  related = await createRelatedRecords(member);
});

/** A record that GraphQL must have returned, in REST's spelling. */
function inRest({ type, time }: RecordCase, node: object | null | undefined): Fields {
  if (node == null) throw new Error(`GraphQL returned no ${type}`);
  return asRest(type, node, time);
}

/** The record of a mutation that must succeed, in REST's spelling. */
function recordOf(of: RecordCase, { record: node, userErrors }: Payload): Fields {
  expect(userErrors).toEqual([]);
  return inRest(of, node);
}

const idOf = ({ type }: RecordCase, { id }: Fields): string => nodeId(type, Number(id));
const options = ({ query }: RecordCase) => (query === undefined ? {} : { query });
const callerWith = (file: SentFile | undefined): Pick<Member, 'graphql'> =>
  file === undefined ? member : carrying(server, member, file, 'input.file');

/** Reads a record through both surfaces; all its fields must be the same. */
async function readThroughBoth(of: RecordCase, known: Fields): Promise<Fields> {
  const { readPath = of.path } = of;
  const reply = await member.client.get(readPath(known), undefined, options(of));
  expect(reply.status, reply.text).toBe(200);
  expect(reply.record(of.key)).toStrictEqual(inRest(of, await read(member, of.type, idOf(of, known))));
  return reply.record(of.key);
}

/** Makes a change through its surface; REST leaves some links out of its response. */
async function make(of: RecordCase, change: Change, known: Fields): Promise<Fields> {
  server.clock.advance(1_001);
  if ('input' in change) {
    return recordOf(of, await update(callerWith(change.file), of.type, idOf(of, known), change.input));
  }
  const reply = await member.client.put(of.path(known), change.put, options(of));
  expect(reply.status, reply.text).toBe(200);
  return reply.record(of.key);
}

/** RU-90 The same change again, and what REST shows sent back, are answered in the same way and change nothing. */
async function expectNoChangeAgain(of: RecordCase, change: Change, known: Fields): Promise<void> {
  const entries = await rowsIn(server, 'ledger');
  await make(of, change, known);
  const reply = await member.client.put(of.path(known), known, options(of));
  expect(reply.status, reply.text).toBe(200);
  expect(await readThroughBoth(of, known), change.what).toStrictEqual(known);
  expect(await rowsIn(server, 'ledger'), change.what).toBe(entries);
}

describe('REST and GraphQL show the same fields', () => {
  it.each(Object.entries(RECORD_CASES))('of %s that GraphQL creates and deletes', async (_what, caseOf) => {
    const of = caseOf(related);
    const created = recordOf(of, await create(callerWith(of.file), of.type, of.input));
    let known = await readThroughBoth(of, created);
    expect(known).toStrictEqual(created);
    expect(known).toMatchObject(of.created);
    for (const change of of.changes) {
      const changed = await make(of, change, known);
      const shown = await readThroughBoth(of, { ...known, ...changed });
      expect(shown, change.what).toMatchObject(changed);
      const { updated_at } = shown;
      const isChanged = Object.keys(change.shows).length > 0;
      if (isChanged) expect(updated_at, change.what).not.toBe(known.updated_at);
      expect(shown, change.what).toStrictEqual({ ...known, ...change.shows, updated_at });
      await expectNoChangeAgain(of, change, shown);
      known = shown;
    }
    const id = idOf(of, known);
    expect(await remove(member, of.type, id)).toEqual({ deletedId: id, userErrors: [] });
    await expectGone(of, known);
  });

  it.each(Object.entries(RECORD_CASES))('of %s that REST creates and deletes', async (_what, caseOf) => {
    const of = caseOf(related);
    const reply = await member.client.post(of.collection, of.post, options(of));
    expect(reply.status, reply.text).toBe(201);
    const known = await readThroughBoth(of, reply.record(of.key));
    expect(known).toMatchObject(reply.record(of.key));
    expect(known).toMatchObject(of.posted ?? of.post);
    const deleted = await member.client.delete(of.path(known), undefined, options(of));
    expect([deleted.status, deleted.body], deleted.text).toEqual([200, {}]);
    await expectGone(of, known);
  });

  it.each([
    ['Group', ['revision']],
    ['LogicalNumber', ['revision', 'merchantName', 'merchantAddress', 'tags', 'notes']],
    [
      'Device',
      ['revision', 'tags', 'notes', 'model', 'batteryLevel', 'signal', 'simCardId', 'lastSeenAt', 'presence'],
    ],
    ['App', ['revision', 'createdAt']],
    ['AppVersion', ['revision', 'createdVia', 'sha256']],
    ['File', ['revision', 'sha256']],
    ['Parameter', ['revision']],
    ['Metacontent', ['revision']],
    ['Notification', ['revision', 'kind', 'range', 'expiresAt']],
    ['User', []],
    ['Transaction', ['reference', 'numberAtStart', 'recordedAt']],
  ])('of %s, except those that only GraphQL has', (type, fields) => {
    expect(fieldsOnlyInGraphql(type)).toEqual(fields);
  });
});

/** Neither surface shows the record, and both refuse to change or delete it with the same message. */
async function expectGone(of: RecordCase, known: Fields): Promise<void> {
  const id = idOf(of, known);
  expect(await read(member, of.type, id)).toBeNull();
  const { readPath = of.path } = of;
  const { client } = member;
  const found = await client.get(readPath(known), undefined, options(of));
  const refusals = [
    [await client.put(of.path(known), {}, options(of)), await update(member, of.type, id, {})],
    [await client.delete(of.path(known), undefined, options(of)), await remove(member, of.type, id)],
  ] as const;
  for (const [{ status, body }, payload] of refusals) {
    expect([status, body.code, found.status]).toEqual([404, 'not_found', 404]);
    expect(body.message).toBe(found.body.message);
    const { userErrors, ...nothing } = payload;
    expect(Object.values(nothing)).toEqual([null]);
    expect(userErrors).toEqual([{ code: 'NOT_FOUND', path: ['id'], message: body.message }]);
  }
}

async function listed(path: string): Promise<Fields[]> {
  return (await member.client.get(path, undefined, { query: { per_page: 100 } })).list(path);
}

const allInRest = (type: string, nodes: readonly object[]): Fields[] =>
  nodes.map((node) => asRest(type, node));

describe('REST and GraphQL list the same records', () => {
  it('users, whether they have signed in or not', async () => {
    const { email } = await addPerson(server, { acme: 'viewer' });
    expect((await signIn(server, { email, password: PASSWORD })).status).toBe(200);
    const shown = await listed('users');
    expect(shown).toStrictEqual(allInRest('User', await list(member, 'User')));
    expect(new Set(shown.map((user) => user.last_sign_in_at === null))).toEqual(new Set([true, false]));
    expect(shown).toContainEqual(expect.objectContaining({ time_zone: ZONE }));
    for (const user of shown) {
      const one = await member.client.get(`users/${String(user.id)}`);
      expect(one.record('user')).toStrictEqual(user);
    }
  });

  it('notifications, sent through either', async () => {
    const { group, app, numberName } = related;
    const sent: string[] = [];
    const target = { groupId: ids.group(group) };
    const toGroup = { range: 'group', group_id: group };
    const number = { range: 'specific_logical_numbers', logical_numbers: numberName };
    for (const [rest, graphql] of [
      [
        { content: 'Closing', ...toGroup },
        { content: 'Closing', target },
      ],
      [
        { content: 'BEEP|twice', ...number },
        { content: 'BEEP|twice', target: { logicalNumbers: [numberName] } },
      ],
      [
        { content: 'Update now', kind: 'processing', app_id: app, ...toGroup },
        { content: 'Update now', kind: 'PROCESSING', appId: ids.app(app), target },
      ],
    ] satisfies readonly (readonly [Fields, Fields])[]) {
      const reply = await member.client.post('notifications', rest);
      expect(reply.status, reply.text).toBe(201);
      const payload = await mutate(member, 'notificationSend', { input: graphql });
      expect(payload.userErrors).toEqual([]);
      const [before, after] = (await listed('notifications')).slice(-2);
      expect(after).toStrictEqual(asRest('Notification', payload.record ?? {}));
      expect(after?.content).toBe(before?.content);
      sent.push(String(after?.content));
    }
    expect(sent).toEqual(['SHOW_MESSAGE|Closing', 'BEEP|twice', 'PROCESSING_MESSAGE|Update now']);
    expect(await listed('notifications')).toStrictEqual(
      allInRest('Notification', await list(member, 'Notification')),
    );
  });

  it('transactions of every status and type, with the text "null" of REST where GraphQL has null', async () => {
    const ended = (status: string) => (status === 'running' ? { finishedAt: null } : {});
    const kinds = TRANSACTION_STATUSES.flatMap((status) =>
      TRANSACTION_TYPES.map((transactionType) => report({ status, transactionType, ...ended(status) })),
    );
    const messages = {
      sent: 'request',
      received: 'ü\u{1f600}\nanswer',
      detail: 'what',
      frameworkVersion: '7.1',
    };
    const card = { holderName: 'ANA SOUZA', firstDigits: '411111', lastDigits: '1111' };
    await record(server, member, [
      ...kinds,
      report(messages),
      report({ sent: 'request', received: null }),
      report({ sent: '', received: 'answer' }),
      payment(),
      payment({ status: 'denied', nsuReference: '000122', card, amount: 999_999_999_999 }),
      payment({ merchant: {}, installment: {}, nsu: null, metadata: { camelCase: { snake_case: null } } }),
    ]);
    const transactions = await list(member, 'Transaction');
    const shown = await listed('transactions');
    expect(shown).toHaveLength(kinds.length + 6);
    expect(shown).toStrictEqual(allInRest('Transaction', transactions).map(withTextsForNothing));
    const values = (field: string) => new Set(shown.map((each) => each[field]));
    expect(values('status')).toEqual(new Set(TRANSACTION_STATUSES));
    expect(values('transaction_type')).toEqual(new Set(TRANSACTION_TYPES));
    expect(transactions).toContainEqual(expect.objectContaining({ sent: 'request', received: null }));
    expect(shown).toContainEqual(
      expect.objectContaining({ sent: 'request', received: 'null', parsed: 'null' }),
    );
    expect(shown.filter(({ parsed }) => parsed !== 'null')).toHaveLength(3);
  });
});

/** Two fields of a payment are left out by REST where they are unknown; three of a transaction are texts. */
function withTextsForNothing({ sent, received, parsed, ...transaction }: Fields): Fields {
  return {
    ...transaction,
    sent: sent ?? 'null',
    received: received ?? 'null',
    parsed: parsed === null ? 'null' : withoutUnknown(parsed as Fields),
  };
}

function withoutUnknown({ nsu_reference, card, ...payment }: Fields): Fields {
  const { holder_name, ...rest } = card as Fields;
  return {
    ...payment,
    ...(nsu_reference === null ? {} : { nsu_reference }),
    card: holder_name === null ? rest : { ...rest, holder_name },
  };
}

describe('contract 29: a record says through what it was created', () => {
  it.each(['REST', ...Object.keys(TRANSPORTS)])('%s is the channel `api`', async (way) => {
    const mutation = `mutation { groupCreate(input: { name: "by ${way}" }) { userErrors { message } } }`;
    const { client, graphql } = server.acme;
    if (way === 'REST') await client.post('groups', { name: `by ${way}` });
    else await TRANSPORTS[way]?.(server, server.acme, mutation);
    const record = (await client.get(`groups/${encodeURIComponent(`by ${way}`)}`)).record('group');
    expect(record.created_via).toBe('api');
    const shown = `{ group(name: "by ${way}") { createdVia } ledger(last: 1) { nodes { action channel } } }`;
    expect((await graphql(shown)).body.data).toEqual({
      group: { createdVia: 'API' },
      ledger: { nodes: [{ action: 'create', channel: 'API' }] },
    });
  });
});
