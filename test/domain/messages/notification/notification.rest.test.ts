import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { instant } from '../../../../src/database/storage.js';
import { sendNotification } from '../../../../src/domain/messages/notification/notification.service.js';
import { DAY } from '../../../../src/platform/clock.js';
import type { Fields } from '../../../support/client.js';
import { startServer, type TestServer } from '../../../support/server.js';

let server: TestServer;
/** Ids of records of acme. */
let group: number;
let app: number;
let foreignGroup: number;
let foreignApp: number;
const NUMBERS = ['100', '200', '300', 'é 4'];

beforeAll(async () => {
  server = await startServer();
  [group, app] = await createTargets(server.acme.client);
  [foreignGroup, foreignApp] = await createTargets(server.beta.client);
  await server.beta.client.post('logical_numbers', { number: 'of beta' });
  for (const number of NUMBERS.slice(1)) await server.acme.client.post('logical_numbers', { number });
  await server.app.database.writes
    .insertInto('logical_numbers')
    .values(['100', 'in group'].map((number) => numberRow(number, group)))
    .execute();
});
afterAll(async () => {
  await server.stop();
});

async function createTargets(client: TestServer['acme']['client']): Promise<[number, number]> {
  const made = await client.post('groups', { name: 'Shops' });
  const createdApp = await client.post('apps', { name: 'pay' });
  return [Number(made.record('group').id), Number(createdApp.record('app').id)];
}

async function latest(): Promise<{ id: number; stored: string; targets: string[] }> {
  const { reads } = server.app.database;
  const { id, content } = await reads
    .selectFrom('notifications')
    .select(['id', 'content'])
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirstOrThrow();
  const targets = await reads
    .selectFrom('notification_deliveries')
    .innerJoin('logical_numbers', 'logical_numbers.id', 'notification_deliveries.logical_number_id')
    .select(['number', 'state'])
    .where('notification_id', '=', id)
    .orderBy('number')
    .execute();
  expect(targets.every(({ state }) => state === 'queued')).toBe(true);
  return { id, stored: content, targets: targets.map(({ number }) => number) };
}

async function counts(): Promise<number[]> {
  const { reads } = server.app.database;
  const tables = ['notifications', 'notification_deliveries', 'ledger'] as const;
  return await Promise.all(
    tables.map(async (table) => {
      const rows = await reads.selectFrom(table).select('company_id').execute();
      return rows.length;
    }),
  );
}

const send = (body: Fields) => server.acme.client.post('notifications', body);

const specific = (logical_numbers: unknown): Fields => ({
  content: 'x',
  range: 'specific_logical_numbers',
  logical_numbers,
});

describe('/v1/notifications', () => {
  it('contract 26: queues a message for each logical number of a group and confirms it', async () => {
    const reply = await send({ content: 'Closing at 18:00', range: 'group', group_id: group });
    expect([reply.status, Object.keys(reply.body)]).toEqual([201, ['message']]);
    expect(reply.body.message).toMatch(/received and queued/);
    const { id, stored, targets } = await latest();
    expect(stored).toBe('SHOW_MESSAGE|Closing at 18:00');
    expect(targets).toEqual(['100', 'in group']);

    const read = await server.acme.client.get(`notifications/${id}`);
    expect(read.headers.get('etag')).toBe(`"notification-${id}-1"`);
    const record = read.record('notification');
    const fields = ['id', 'content', 'updated_at', 'created_at', 'created_by', 'created_via'];
    expect(Object.keys(record)).toEqual(fields);
    expect(record).toMatchObject({
      content: stored,
      created_by: server.acme.caller.userId,
      created_via: 'api',
    });
  });

  it('contract 26: keeps it queued for 7 days', async () => {
    await send({ content: 'x', range: 'group', group_id: group });
    const row = await server.app.database.reads
      .selectFrom('notifications')
      .select(['created_at', 'expires_at'])
      .orderBy('id', 'desc')
      .limit(1)
      .executeTakeFirstOrThrow();
    expect(row.expires_at - row.created_at).toBe(7 * DAY);
  });

  it.each([
    ['Hello', 'show', 'SHOW_MESSAGE|Hello'],
    ['Hello', undefined, 'SHOW_MESSAGE|Hello'],
    ['Hello', 'Processing', 'PROCESSING_MESSAGE|Hello'],
    ['UPDATE_APPS|now', 'show', 'UPDATE_APPS|now'],
    ['SHOW_MESSAGE|a|b', 'processing', 'SHOW_MESSAGE|a|b'],
    ['UPDATE_APPS|line\nline', 'show', 'UPDATE_APPS|line\nline'],
  ])('contract 26: stores %j of kind %s as %j', async (content, kind, expected) => {
    const body = { content, range: 'group', group_id: group, ...(kind === undefined ? {} : { kind }) };
    expect((await send(body)).status).toBe(201);
    expect((await latest()).stored).toBe(expected);
  });

  it.each([
    ['one', '200', ['200']],
    ['several', '100,300', ['100', '300']],
    ['spaces around them', ' 100 , 200', ['100', '200']],
    ['one named twice', '200,200, 200', ['200']],
    ['one named 500 times', Array(500).fill('300').join(','), ['300']],
    ['another form of the same letters', 'e\u0301 4', ['é 4']],
  ])('RI-35 CC-08 notifies each number once, given %s', async (_what, logical_numbers, expected) => {
    const reply = await send({ content: 'x', range: 'specific_logical_numbers', logical_numbers });
    expect(reply.status, reply.text).toBe(201);
    expect((await latest()).targets).toEqual(expected);
  });

  it('takes an app, and a form as body', async () => {
    const body = `content=x&range=group&group_id=${group}&kind=processing&app_id=${app}`;
    const reply = await server.acme.client.post('notifications', body, {
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    expect(reply.status, reply.text).toBe(201);
    const empty = { logical_numbers: '', kind: null, app_id: null };
    expect((await send({ content: 'x', range: 'group', group_id: group, ...empty })).status).toBe(201);
  });

  const REFUSED: [string, () => Fields, string, string][] = [
    ['no content', () => ({ range: 'group', group_id: group }), 'content', 'is required'],
    ['empty content', () => ({ content: ' ', range: 'group', group_id: group }), 'content', 'empty'],
    [
      'content beyond 4096 characters',
      () => ({ content: 'x'.repeat(4097), range: 'group', group_id: group }),
      'content',
      'at most 4096',
    ],
    ['no range', () => ({ content: 'x', group_id: group }), 'range', 'must be one of'],
    ['range all', () => ({ content: 'x', range: 'all', group_id: group }), 'range', 'must be one of'],
    ['range group without a group', () => ({ content: 'x', range: 'group' }), 'group_id', 'is required'],
    ['an unknown group', () => ({ content: 'x', range: 'group', group_id: 999 }), 'group_id', 'is not'],
    [
      "another company's group",
      () => ({ content: 'x', range: 'group', group_id: foreignGroup }),
      'group_id',
      'is not',
    ],
    ['group 0', () => ({ content: 'x', range: 'group', group_id: 0 }), 'group_id', 'positive'],
    [
      'numbers beside a group',
      () => ({ content: 'x', range: 'group', group_id: group, logical_numbers: '100' }),
      'logical_numbers',
      'absent',
    ],
    ['no numbers', () => specific(undefined), 'logical_numbers', 'is required'],
    ['empty numbers', () => specific(''), 'logical_numbers', 'is required'],
    ['a comma only', () => specific(','), 'logical_numbers', 'empty entries'],
    ['an empty entry', () => specific('100,,200'), 'logical_numbers', 'empty entries'],
    ['an entry of spaces', () => specific('100, '), 'logical_numbers', 'empty entries'],
    ['10,001 entries', () => specific(Array(10_001).fill('100').join(',')), 'logical_numbers', '10000'],
    ['one unknown number', () => specific('100,404,200'), 'logical_numbers', 'known: 404'],
    ["another company's number", () => specific('100,of beta'), 'logical_numbers', 'known: of beta'],
    ['an object of numbers', () => specific({ 0: '100' }), 'logical_numbers', 'must be comma-separated'],
    ['kind other', () => ({ ...specific('100'), kind: 'other' }), 'kind', 'must be one of'],
    [
      'an app with kind show',
      () => ({ ...specific('100'), kind: 'show', app_id: app }),
      'app_id',
      'processing',
    ],
    ['an app without a kind', () => ({ ...specific('100'), app_id: app }), 'app_id', 'processing'],
    [
      "another company's app",
      () => ({ ...specific('100'), kind: 'processing', app_id: foreignApp }),
      'app_id',
      'is not',
    ],
  ];
  it.each(REFUSED)('RI-35 refuses %s and queues nothing', async (_what, body, field, words) => {
    const before = await counts();
    const reply = await send(body());
    expect([reply.status, reply.body.code]).toEqual([422, 'invalid']);
    expect(Object.keys(reply.body.errors as object)).toEqual([field]);
    expect(reply.text).toContain(words);
    expect(await counts()).toEqual(before);
  });

  it('names at most some of many unknown numbers', async () => {
    const unknown = Array.from({ length: 10_000 }, (_, n) => `none${n}`).join(',');
    const reply = await send(specific(unknown));
    expect(reply.status).toBe(422);
    expect(reply.text).toContain('and 9980 more');
    expect(reply.text.length).toBeLessThan(1_000);
  });

  it('is 404 for an unknown one and one of another company', async () => {
    const { id } = await latest();
    const foreign = await server.beta.client.get(`notifications/${id}`);
    const none = await server.acme.client.get('notifications/999999');
    expect([foreign.status, none.status]).toEqual([404, 404]);
    expect(foreign.body.message).toBe(none.body.message);
    expect((await server.beta.client.get('notifications')).body.pagination).toMatchObject({
      total_entries: 0,
    });
  });
});

describe('queueing', () => {
  it('takes a constant number of statements for up to 500 targets, which one statement stores', async () => {
    const many = Array.from({ length: 500 }, (_, n) => `many ${n}`);
    await server.app.database.writes
      .insertInto('logical_numbers')
      .values(many.map((number) => numberRow(number, null)))
      .execute();
    const statements = async (body: Fields): Promise<number> =>
      (await server.statements(() => send(body))).statements.length;
    const one = await statements(specific('100'));
    expect(await statements(specific(many.join(',')))).toBe(one);
    expect((await latest()).targets).toHaveLength(500);
    expect(await statements({ content: 'x', range: 'group', group_id: group })).toBe(one + 1);
  });

  it('lists in two statements', async () => {
    const { result, statements } = await server.statements(() => server.acme.client.get('notifications'));
    expect(statements).toHaveLength(2);
    const ids = result.list('notifications').map(({ id }) => Number(id));
    expect(ids).toEqual(ids.toSorted((a, b) => a - b));
    expect(result.body.pagination).toMatchObject({ total_entries: (await counts())[0] });
  });

  it('CF-03 stores nothing if the unit of work fails', async () => {
    const before = await counts();
    const stopped = server.app.units.write(server.acme.caller, async (work) => {
      await sendNotification(work, { content: 'x', range: 'group', groupId: group });
      throw new Error('stopped');
    });
    await expect(stopped).rejects.toThrow('stopped');
    expect(await counts()).toEqual(before);
  });

  it('CC-08 targets one consistent state of a group that changes concurrently', async () => {
    const changing = Number(
      (await server.acme.client.post('groups', { name: 'changing' })).record('group').id,
    );
    const pairs = 20;
    const { writes } = server.app.database;
    await writes
      .insertInto('logical_numbers')
      .values(
        Array.from({ length: pairs }, (_, n) => [
          numberRow(`a${n}`, changing),
          numberRow(`b${n}`, null),
        ]).flat(),
      )
      .execute();
    // At every instant one number of each pair belongs to the group.
    const swap = (n: number) =>
      server.app.units.write(server.acme.caller, async (work) => {
        for (const number of [`a${n % pairs}`, `b${n % pairs}`]) {
          const row = work.db.updateTable('logical_numbers').where('number', '=', number);
          await row
            .set((column) => ({
              group_id: column.case().when('group_id', 'is', null).then(changing).else(null).end(),
            }))
            .execute();
        }
      });
    const before = (await latest()).id;
    const body = { content: 'x', range: 'group', group_id: changing };
    let sent = 0;
    const sender = async (): Promise<void> => {
      for (; sent < 20; sent += 1) expect((await send(body)).status).toBe(201);
    };
    const changer = async (): Promise<void> => {
      for (let n = 0; n < 200 || sent < 20; n += 1) {
        await swap(n * 7);
        await setImmediate();
      }
    };
    await Promise.all([changer(), sender()]);
    const deliveries = await server.app.database.reads
      .selectFrom('notification_deliveries')
      .innerJoin('logical_numbers', 'logical_numbers.id', 'notification_deliveries.logical_number_id')
      .select(['notification_id', 'number'])
      .where('notification_id', '>', before)
      .execute();
    const messages = Array.from(new Set(deliveries.map((row) => row.notification_id)), (id) =>
      deliveries.filter((row) => row.notification_id === id).map(({ number }) => number),
    );
    expect(messages).toHaveLength(20);
    const everyPair = Array.from({ length: pairs }, (_, n) => String(n)).sort();
    for (const targets of messages) {
      expect(targets.map((number) => number.slice(1)).sort()).toEqual(everyPair);
    }
    expect(new Set(messages.map(String)).size).toBeGreaterThan(1);
  });
});

let lastId = 1_000;

function numberRow(number: string, groupId: number | null) {
  lastId += 1;
  return {
    id: lastId,
    company_id: server.acme.caller.companyId,
    number,
    group_id: groupId,
    revision: 1,
    created_at: instant.toColumn(new Date(0)),
    updated_at: instant.toColumn(new Date(0)),
    created_by: server.acme.caller.userId,
    created_via: 'api',
  };
}
