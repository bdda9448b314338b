import { setImmediate } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';

import { audited, insertMany } from '../../../support/databases/rows.js';
import { notificationRows, targetsOf } from '../../../support/deliveries.js';
import { errorsOf, fleet } from '../../../support/fleet.js';
import { useServer, type Fields, type TestServer } from '../../../support/server.js';

const server = useServer();
let [group, app, foreignGroup, foreignApp] = [0, 0, 0, 0];

beforeAll(async () => {
  [group, app] = await createTargets(server.acme.client);
  [foreignGroup, foreignApp] = await createTargets(server.beta.client);
  await fleet.logicalNumber(server.beta.client, 'of beta');
  const { client } = server.acme;
  for (const number of ['200', '300', 'é 4']) await fleet.logicalNumber(client, number);
  for (const number of ['100', 'in group']) await fleet.logicalNumber(client, number, { group_id: group });
});

async function createTargets(client: TestServer['acme']['client']): Promise<[number, number]> {
  const created = await client.post('apps', { name: 'pay' });
  return [await fleet.group(client, 'Shops'), Number(created.record('app').id)];
}

async function latest(): Promise<{ id: number; stored: string; targets: string[] }> {
  const sql = 'select id, content from notifications order by id desc limit 1';
  const [{ id, content } = { id: 0, content: '' }] = await server.place.sql<{ id: number; content: string }>(
    sql,
  );
  return { id, stored: content, targets: await targetsOf(server, id) };
}

const counts = () => notificationRows(server);

const send = (body: Fields) => server.acme.client.post('notifications', body);

const RANGE = 'specific_logical_numbers';
const specific = (numbers: unknown): Fields => ({ content: 'x', range: RANGE, logical_numbers: numbers });

describe('/v1/notifications', () => {
  it('contract 26: queues a message for each logical number of a group and confirms it', async () => {
    const reply = await send({ content: 'Closing at 18:00', range: 'group', group_id: group });
    const message = expect.stringMatching(/received and queued/) as string;
    expect([reply.status, reply.body]).toEqual([201, { message }]);
    const { id, targets } = await latest();
    expect(targets).toEqual(['100', 'in group']);
    const read = await server.acme.client.get(`notifications/${id}`);
    expect(read.headers.get('etag')).toBe(`"notification-${id}-1"`);
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
    const reply = await send(specific(logical_numbers));
    expect(reply.status, reply.text).toBe(201);
    expect((await latest()).targets).toEqual(expected);
  });

  it('takes empty fields as absent', async () => {
    const empty = { logical_numbers: '', kind: null, app_id: null };
    expect((await send({ content: 'x', range: 'group', group_id: group, ...empty })).status).toBe(201);
  });

  const toGroup = (more: Fields = {}): Fields => ({ content: 'x', range: 'group', group_id: group, ...more });
  const toNumber = (more: Fields): Fields => ({ ...specific('100'), ...more });
  const REFUSED: [string, () => Fields, string, string][] = [
    ['no content', () => toGroup({ content: undefined }), 'content', 'is required'],
    ['empty content', () => toGroup({ content: ' ' }), 'content', 'empty'],
    ['4097 characters', () => toGroup({ content: 'x'.repeat(4097) }), 'content', 'at most 4096'],
    ['no range', () => toGroup({ range: undefined }), 'range', 'must be one of'],
    ['range all', () => toGroup({ range: 'all' }), 'range', 'must be one of'],
    ['range group without a group', () => toGroup({ group_id: undefined }), 'group_id', 'is required'],
    ['an unknown group', () => toGroup({ group_id: 999 }), 'group_id', 'is not'],
    ["another company's group", () => toGroup({ group_id: foreignGroup }), 'group_id', 'is not'],
    ['group 0', () => toGroup({ group_id: 0 }), 'group_id', 'positive'],
    ['numbers beside a group', () => toGroup({ logical_numbers: '100' }), 'logical_numbers', 'absent'],
    ['no numbers', () => specific(undefined), 'logical_numbers', 'is required'],
    ['empty numbers', () => specific(''), 'logical_numbers', 'is required'],
    ['a comma only', () => specific(','), 'logical_numbers', 'empty entries'],
    ['an empty entry', () => specific('100,,200'), 'logical_numbers', 'empty entries'],
    ['an entry of spaces', () => specific('100, '), 'logical_numbers', 'empty entries'],
    ['10,001 entries', () => specific(Array(10_001).fill('100').join(',')), 'logical_numbers', '10000'],
    ['one unknown number', () => specific('100,404,200'), 'logical_numbers', 'known: 404'],
    ["another company's number", () => specific('100,of beta'), 'logical_numbers', 'known: of beta'],
    ['an object of numbers', () => specific({ 0: '100' }), 'logical_numbers', 'must be comma-separated'],
    ['kind other', () => toNumber({ kind: 'other' }), 'kind', 'must be one of'],
    ['an app with kind show', () => toNumber({ kind: 'show', app_id: app }), 'app_id', 'processing'],
    ['an app without a kind', () => toNumber({ app_id: app }), 'app_id', 'processing'],
    ["another company's app", () => toNumber({ kind: 'processing', app_id: foreignApp }), 'app_id', 'is not'],
  ];
  it.each(REFUSED)('RI-35 refuses %s and queues nothing', async (_what, body, field, words) => {
    const before = await counts();
    const reply = await send(body());
    expect(errorsOf(reply)).toEqual([422, [field]]);
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
});

describe('queueing', () => {
  it('takes a constant number of statements for up to 500 targets, which one statement stores', async () => {
    const { companyId, userId } = server.acme.caller;
    await insertMany(server.place, ['logical_numbers', companyId, 500], (n) => ({
      number: `many ${n}`,
      group_id: null,
      ...audited(userId),
    }));
    const many = Array.from({ length: 500 }, (_, n) => `many ${n + 1}`);
    const statements = async (body: Fields): Promise<number> =>
      (await server.statements(() => send(body))).statements.length;
    const one = await statements(specific('100'));
    expect(await statements(specific(many.join(',')))).toBe(one);
    expect((await latest()).targets).toHaveLength(500);
    expect(await statements({ content: 'x', range: 'group', group_id: group })).toBe(one + 1);
  });

  it('CC-08 targets one consistent state of a group that changes concurrently', async () => {
    const { client } = server.acme;
    const changing = await fleet.group(client, 'changing');
    const pairs = 20;
    for (let n = 0; n < pairs; n += 1) {
      await fleet.logicalNumber(client, `a${n}`, { group_id: changing });
      await fleet.logicalNumber(client, `b${n}`);
    }
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
    const ids = Array.from({ length: 20 }, (_, n) => before + 1 + n);
    const messages = await Promise.all(ids.map((id) => targetsOf(server, id)));
    const everyPair = Array.from({ length: pairs }, (_, n) => String(n)).sort();
    for (const targets of messages) {
      expect(targets.map((number) => number.slice(1)).sort()).toEqual(everyPair);
    }
    expect(new Set(messages.map(String)).size).toBeGreaterThan(1);
  });
});
