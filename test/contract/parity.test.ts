import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { GraphQLSchema } from 'graphql';

import { createSchema } from '../../src/app/schema.js';
import {
  TRANSACTION_STATUSES,
  TRANSACTION_TYPES,
} from '../../src/resources/transaction/transaction.model.js';
import { payment, record, report } from '../resources/transaction/records.js';
import type { NotificationSendInput } from '../gql/graphql.js';
import type { Fields } from '../support/client.js';
import { nodeId } from '../support/dashboard.js';
import { LIVES } from '../support/parity-lives.js';
import { createSetting, ids, type Setting } from '../support/parity-setting.js';
import {
  NotificationRead,
  NotificationSend,
  TransactionRead,
  UserRead,
} from '../support/parity-software-documents.js';
import { asRest, ZONE, type Change, type Done, type Life } from '../support/parity.js';
import { addPerson, PASSWORD, signIn } from '../support/people.js';
import { startServer, type Member, type TestServer } from '../support/server.js';
import { asked } from '../support/typed.js';

let server: TestServer;
let member: Member;
let schema: GraphQLSchema;
let setting: Setting;
beforeAll(async () => {
  server = await startServer();
  schema = await createSchema();
  member = await server.member('acme', 'admin', undefined, ZONE);
  setting = await createSetting(member);
});
afterAll(async () => {
  await server.stop();
});

/** A record that must have been answered, as REST spells it. */
function spelled({ type, time }: Life, answered: object | null | undefined): Fields {
  if (answered == null) throw new Error(`GraphQL answered no ${type}`);
  return asRest(schema, type, answered, time);
}

/** What a change that must succeed answers. */
function madeBy(life: Life, { done }: Done): Fields {
  expect(done.userErrors).toEqual([]);
  return spelled(life, done.record);
}

const idOf = ({ type }: Life, { id }: Fields): string => nodeId(type, Number(id));
const options = ({ query }: Life) => (query === undefined ? {} : { query });

/** What both surfaces show of a record, which must be the same, whole. */
async function shownByBoth(life: Life, known: Fields): Promise<Fields> {
  const { readPath = life.path } = life;
  const reply = await member.client.get(readPath(known), undefined, options(life));
  expect(reply.status, reply.text).toBe(200);
  const { found } = await life.read(member, idOf(life, known));
  expect(reply.record(life.key)).toStrictEqual(spelled(life, found));
  return reply.record(life.key);
}

/** What the surface that makes a change answers, of which REST leaves out links where it always did. */
async function made(life: Life, { by }: Change, known: Fields): Promise<Fields> {
  server.clock.advance(1_001);
  if (typeof by === 'function') return madeBy(life, await by(member, idOf(life, known)));
  const reply = await member.client.put(life.path(known), by.put, options(life));
  expect(reply.status, reply.text).toBe(200);
  return reply.record(life.key);
}

describe('REST and GraphQL show the same', () => {
  it.each(Object.entries(LIVES))('of %s that GraphQL makes and ends', async (_what, lifeIn) => {
    const life = lifeIn(setting, server);
    const answered = madeBy(life, await life.create(member));
    let known = await shownByBoth(life, answered);
    expect(known).toStrictEqual(answered);
    expect(known).toMatchObject(life.created);
    for (const change of life.changes) {
      const answer = await made(life, change, known);
      const shown = await shownByBoth(life, { ...known, ...answer });
      expect(shown, change.what).toMatchObject(answer);
      const { updated_at } = shown;
      expect(updated_at, change.what).not.toBe(known.updated_at);
      expect(shown, change.what).toStrictEqual({ ...known, ...change.shows, updated_at });
      known = shown;
    }
    const id = idOf(life, known);
    const { done } = await life.remove(member, id);
    expect(done).toEqual({ deletedId: id, userErrors: [] });
    await expectGone(life, known);
  });

  it.each(Object.entries(LIVES))('of %s that REST makes and ends', async (_what, lifeIn) => {
    const life = lifeIn(setting, server);
    const reply = await member.client.post(life.collection, life.post, options(life));
    expect(reply.status, reply.text).toBe(201);
    const known = await shownByBoth(life, reply.record(life.key));
    expect(known).toMatchObject(reply.record(life.key));
    expect(known).toMatchObject(life.posted ?? life.post);
    const ended = await member.client.delete(life.path(known), undefined, options(life));
    expect([ended.status, ended.body], ended.text).toEqual([200, {}]);
    await expectGone(life, known);
  });
});

/** Neither surface shows it, and both refuse to change or delete it in the same words. */
async function expectGone(life: Life, known: Fields): Promise<void> {
  const id = idOf(life, known);
  expect(await life.read(member, id)).toEqual({ found: null });
  const { readPath = life.path } = life;
  const { client } = member;
  const read = await client.get(readPath(known), undefined, options(life));
  const refusals = [
    [await client.put(life.path(known), {}, options(life)), await life.touch(member, id)],
    [await client.delete(life.path(known), undefined, options(life)), await life.remove(member, id)],
  ] as const;
  for (const [{ status, body }, { done }] of refusals) {
    expect([status, body.code, read.status]).toEqual([404, 'not_found', 404]);
    expect(body.message).toBe(read.body.message);
    const { userErrors, ...nothing } = done;
    expect(Object.values(nothing)).toEqual([null]);
    expect(userErrors).toEqual([{ code: 'NOT_FOUND', path: ['id'], message: body.message }]);
  }
}

async function listed(path: string): Promise<Fields[]> {
  return (await member.client.get(path, undefined, { query: { per_page: 100 } })).list(path);
}

const whole = (type: string, nodes: readonly object[]): Fields[] =>
  nodes.map((node) => asRest(schema, type, node));

describe('REST and GraphQL show the same records of those that are only read', () => {
  it('users, whether they ever signed in or not', async () => {
    const { email } = await addPerson(server, { acme: 'viewer' });
    expect((await signIn(server, { email, password: PASSWORD })).status).toBe(200);
    const { users } = await asked(member, UserRead, {});
    const shown = await listed('users');
    expect(shown).toStrictEqual(whole('User', users.nodes));
    expect(new Set(shown.map((user) => user.last_sign_in_at === null))).toEqual(new Set([true, false]));
    expect(shown).toContainEqual(expect.objectContaining({ time_zone: ZONE }));
    for (const user of shown) {
      const one = await member.client.get(`users/${String(user.id)}`);
      expect(one.record('user')).toStrictEqual(user);
    }
  });

  it('notifications, whichever of the two they were sent through', async () => {
    const { group, app, numberName } = setting;
    const sent: string[] = [];
    const processing = { content: 'Update now', kind: 'processing', app_id: app };
    for (const [rest, graphql] of [
      [
        { content: 'Closing', range: 'group', group_id: group },
        { content: 'Closing', target: { groupId: ids.group(group) } },
      ],
      [
        { content: 'BEEP|twice', range: 'specific_logical_numbers', logical_numbers: numberName },
        { content: 'BEEP|twice', target: { logicalNumbers: [numberName] } },
      ],
      [
        { ...processing, range: 'group', group_id: group },
        {
          ...{ content: 'Update now', kind: 'PROCESSING', appId: ids.app(app) },
          target: { groupId: ids.group(group) },
        },
      ],
    ] satisfies readonly (readonly [Fields, NotificationSendInput])[]) {
      const reply = await member.client.post('notifications', rest);
      expect(reply.status, reply.text).toBe(201);
      const { done } = await asked(member, NotificationSend, { input: graphql });
      expect(done.userErrors).toEqual([]);
      const [before, after] = (await listed('notifications')).slice(-2);
      expect(after).toStrictEqual(asRest(schema, 'Notification', done.record ?? {}));
      expect(after?.content).toBe(before?.content);
      sent.push(String(after?.content));
    }
    expect(sent).toEqual(['SHOW_MESSAGE|Closing', 'BEEP|twice', 'PROCESSING_MESSAGE|Update now']);
    const { notifications } = await asked(member, NotificationRead, {});
    expect(await listed('notifications')).toStrictEqual(whole('Notification', notifications.nodes));
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
    const { transactions } = await asked(member, TransactionRead, {});
    const shown = await listed('transactions');
    expect(shown).toHaveLength(kinds.length + 6);
    expect(shown).toStrictEqual(whole('Transaction', transactions.nodes).map(withTextsForNothing));
    const values = (field: string) => new Set(shown.map((each) => each[field]));
    expect(values('status')).toEqual(new Set(TRANSACTION_STATUSES));
    expect(values('transaction_type')).toEqual(new Set(TRANSACTION_TYPES));
    expect(transactions.nodes).toContainEqual(expect.objectContaining({ sent: 'request', received: null }));
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
