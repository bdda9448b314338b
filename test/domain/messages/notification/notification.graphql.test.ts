import { beforeAll, describe, expect, it } from 'vitest';

import { DAY, SECOND } from '../../../../src/platform/clock.js';
import { answered, listed, nodeId } from '../../../support/dashboard.js';
import { notificationRows, targetsOf } from '../../../support/deliveries.js';
import { fleet, ledgerOf } from '../../../support/fleet.js';
import { expectRefused, mutated } from '../../../support/mutations.js';
import { useServer, type Fields, type Member } from '../../../support/server.js';

const server = useServer();
let group = 0;
let app = 0;
beforeAll(async () => {
  const { client } = server.acme;
  group = await fleet.group(client, 'Shops');
  app = (await client.post('apps', { name: 'pay' })).record('app').id as number;
  for (const number of ['100', '200']) await fleet.logicalNumber(client, number, { group_id: group });
  await fleet.logicalNumber(client, 'é 3');
  await fleet.group(server.beta.client, 'of beta');
  await fleet.logicalNumber(server.beta.client, 'of beta');
});

const FIELDS = 'notification { id databaseId kind range group { id name } app { name } createdAt expiresAt }';

type Sent = Fields & { readonly id: string; readonly databaseId: number };
const send = async (input: Fields, member: Member = server.acme): Promise<Sent> => {
  const variables = { input: { content: 'x', ...input } };
  return (await mutated<{ notification: Sent }>(member, 'notificationSend', variables, FIELDS)).notification;
};
const toGroup = (id: number = group): Fields => ({ groupId: nodeId('Group', id) });
const toNumbers = (...logicalNumbers: string[]): Fields => ({ logicalNumbers });

const stored = () => notificationRows(server);

describe('notificationSend', () => {
  it('RU-50 queues nothing with dryRun or another count than the expected one', async () => {
    const before = await stored();
    for (const target of [toGroup(), toNumbers('200', '100', '100')]) {
      const input = { content: 'x', target };
      const fields = 'notification { id } count examples { number }';
      expect(await mutated(server.acme, 'notificationSend', { input, dryRun: true }, fields)).toEqual({
        notification: null,
        count: 2,
        examples: [{ number: '100' }, { number: '200' }],
      });
      const other = { input, expectCount: 3 };
      const message = /^This now affects 2 logical numbers, not 3\. Check the list/;
      await expectRefused(server.acme, 'notificationSend', other, 'INVALID expectCount', message);
    }
    expect(await stored()).toEqual(before);
    const input = { content: 'x', target: toNumbers('100') };
    const one = { input, expectCount: 1 };
    expect(await mutated(server.acme, 'notificationSend', one, 'count examples { number }')).toEqual({
      count: 1,
      examples: null,
    });
  });

  it('RU-50 counts and names the logical numbers without a device with dryRun alone', async () => {
    const { client } = server.acme;
    const mixed = await fleet.group(client, 'Mixed');
    const [withDevice] = [
      await fleet.logicalNumber(client, 'mixed 0', { group_id: mixed }),
      ...(await Promise.all(
        Array.from({ length: 21 }, (_, index) =>
          fleet.logicalNumber(client, `mixed ${index + 1}`, { group_id: mixed }),
        ),
      )),
    ];
    await fleet.device(client, 'in mixed', { logical_number_id: withDevice });
    const fields = 'count withoutTerminal withoutTerminalExamples';
    const tried = async (target: Fields, dryRun = true) =>
      await mutated(server.acme, 'notificationSend', { input: { content: 'x', target }, dryRun }, fields);
    const ofGroup = await tried(toGroup(mixed));
    expect(ofGroup).toMatchObject({ count: 22, withoutTerminal: 21 });
    expect(ofGroup.withoutTerminalExamples).toHaveLength(20);
    expect(await tried(toNumbers('mixed 1', '100', 'mixed 0'))).toEqual({
      count: 3,
      withoutTerminal: 2,
      withoutTerminalExamples: ['100', 'mixed 1'],
    });
    expect(await tried(toNumbers('mixed 0'))).toEqual({
      count: 1,
      withoutTerminal: 0,
      withoutTerminalExamples: [],
    });
    expect(await tried(toNumbers('mixed 1'), false)).toEqual({
      count: 1,
      withoutTerminal: null,
      withoutTerminalExamples: null,
    });
  });

  it('queues a message for each logical number of a group', async () => {
    const notification = await send({ target: toGroup() });
    const { databaseId, createdAt } = notification;
    const shops = { id: nodeId('Group', group), name: 'Shops' };
    expect(notification).toMatchObject({ kind: 'SHOW', range: 'GROUP', app: null, group: shops });
    expect(Date.parse(String(notification.expiresAt)) - Date.parse(String(createdAt))).toBe(7 * DAY);
    expect(await targetsOf(server, databaseId)).toEqual(['100', '200']);
    const entries = await ledgerOf(server, server.acme, 'notification', databaseId);
    expect(entries).toMatchObject([{ action: 'create', after: { groupId: group, queued: 2 } }]);
  });

  it('takes an app with the kind PROCESSING', async () => {
    const input = { kind: 'PROCESSING', appId: nodeId('App', app), target: toNumbers('100') };
    expect(await send(input)).toMatchObject({
      kind: 'PROCESSING',
      range: 'SPECIFIC_LOGICAL_NUMBERS',
      group: null,
      app: { name: 'pay.posxml' },
    });
  });

  const numbers = 'target.logicalNumbers';
  it.each<[string, () => Fields, string, RegExp]>([
    ['no target', () => ({ target: {} }), 'target', /either a group or logical numbers/],
    ['two targets', () => ({ target: { ...toGroup(), ...toNumbers('100') } }), 'target', /either/],
    ['null', () => ({ target: { groupId: null, logicalNumbers: null } }), 'target', /either/],
    ['no logical numbers', () => ({ target: toNumbers() }), numbers, /must not be empty/],
    ['no id of a group', () => ({ target: { groupId: '1' } }), 'target.groupId', /id of a group/],
    ['no id of an app', () => ({ appId: nodeId('Group', 1) }), 'appId', /id of an app/],
  ])(
    'RI-35 sends nothing with %s, and reports the path of the error',
    async (_what, input, path, message) => {
      const before = await stored();
      const variables = { input: { content: 'x', target: toGroup(), ...input() } };
      await expectRefused(server.acme, 'notificationSend', variables, `INVALID input.${path}`, message);
      expect(await stored()).toEqual(before);
    },
  );
});

describe('the list of notifications', () => {
  const sentTo = { group: 0, app: 0, end: '' };
  beforeAll(async () => {
    const { beta, clock } = server;
    sentTo.group = await fleet.group(beta.client, 'listed');
    await send({ content: 'X|a', target: toGroup(sentTo.group) }, beta);
    clock.advance(SECOND);
    sentTo.end = new Date(clock.now().getTime() + 7 * DAY).toISOString();
    sentTo.app = await fleet.app(beta.client, 'listed');
    const processing = { kind: 'PROCESSING', appId: nodeId('App', sentTo.app) };
    await send({ content: 'X|b', target: toNumbers('of beta'), ...processing }, beta);
    clock.advance(SECOND);
    await send({ content: 'X|c', target: toNumbers('of beta') }, beta);
  });

  it('shows null for a deleted group or app', async () => {
    const { client } = server.acme;
    const gone = await fleet.group(client, 'gone');
    const lost = (await client.post('apps', { name: 'lost' })).record('app').id as number;
    const kinds = { kind: 'PROCESSING', appId: nodeId('App', lost) };
    const { id } = await send({ target: toGroup(gone), ...kinds });
    await client.delete('groups/gone');
    await client.delete(`apps/${lost}`);
    const query = 'query ($id: ID!) { notification(id: $id) { range group { name } app { name } } }';
    expect(await answered(server.acme, query, { id })).toEqual({
      notification: { range: 'GROUP', group: null, app: null },
    });
  });

  it.each<[string, Fields | (() => Fields), string[]]>([
    ['all', {}, ['a', 'b', 'c']],
    ['newest first', { orderBy: { field: 'CREATED_AT', direction: 'DESC' } }, ['c', 'b', 'a']],
    ['by their end', { orderBy: { field: 'EXPIRES_AT', direction: 'DESC' } }, ['c', 'b', 'a']],
    ['of a kind', { filter: { kind: { eq: 'SHOW' } } }, ['a', 'c']],
    ['of other kinds', { filter: { kind: { in: ['PROCESSING'] } } }, ['b']],
    ['to a group', () => ({ filter: { groupId: { eq: nodeId('Group', sentTo.group) } } }), ['a']],
    ['for an app', () => ({ filter: { appId: { eq: nodeId('App', sentTo.app) } } }), ['b']],
    [
      'by a user',
      () => ({ filter: { createdById: { eq: nodeId('User', server.beta.caller.userId) } } }),
      ['a', 'b', 'c'],
    ],
    [
      'by another',
      () => ({ filter: { createdById: { eq: nodeId('User', server.acme.caller.userId) } } }),
      [],
    ],
    ['to none', { filter: { groupId: { isNull: true } } }, ['b', 'c']],
    ['that hold longer', () => ({ filter: { expiresAt: { gte: sentTo.end } } }), ['b', 'c']],
    ['that hold less long', () => ({ filter: { expiresAt: { lt: sentTo.end } } }), ['a']],
  ])('is ordered and narrowed: %s', async (_what, given, expected) => {
    const contents = expected.map((letter) => `X|${letter}`);
    expect(await listed(server.beta, 'Notification', 'content', given)).toEqual(contents);
  });
});
