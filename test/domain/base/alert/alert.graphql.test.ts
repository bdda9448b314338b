import { beforeEach, describe, expect, it } from 'vitest';

import { MINUTE } from '../../../../src/platform/clock.js';
import { answered, changed, nodeId } from '../../../support/dashboard.js';
import { fleet } from '../../../support/fleet.js';
import { useServerPerTest, type Fields } from '../../../support/server.js';
import { subscribe } from '../../../support/subscribe.js';
import { change, createWebhook } from '../webhook/hooks.js';
import {
  acknowledge,
  addDevices,
  after,
  createRule,
  deleteRule,
  refuse,
  tryRule,
  updateRule,
} from './alerts.js';

const server = useServerPerTest();

const REFUSED = { refused: { count: 1, within: '1h' } };
const silent = (more: Fields) => ({ on: { silent: { percent: 50, silentFor: '1h', ...more } } });
const OPEN = { fromHour: 8, toHour: 18, timeZone: 'UTC' };
const without = (more: Fields) => ({ on: { noPayments: { count: 1, lasting: '1h', ...more } } });

describe('a rule', () => {
  it('is created, changed with the revision that it has, and deleted', async () => {
    const { webhook } = await createWebhook(server.acme, { url: 'https://hooks.example/' });
    const rule = await createRule(server.acme, { on: REFUSED, webhookId: webhook.id, repeatAfter: '12h' });
    expect(rule).toMatchObject({
      name: 'Rule',
      on: { refused: { count: 1, within: '1h' }, silent: null, unknownTerminals: null },
      webhookId: webhook.id,
      repeatAfter: '12h',
      revision: 1,
    });
    const hours = { fromHour: 22, toHour: 6, timeZone: 'Europe/Lisbon' };
    const filter = { serialNumber: { startsWith: 'A' } };
    const on = silent({ ...hours, filter }).on;
    const updated = await updateRule(server.acme, rule.id, { on, webhookId: null, repeatAfter: null }, 1);
    expect(updated.alertRule).toMatchObject({
      on: { silent: { percent: 50, silentFor: '1h', ...hours, filter }, refused: null },
      webhookId: null,
      repeatAfter: null,
      revision: 2,
    });
    expect(await updateRule(server.acme, rule.id, { name: 'Late' }, 1)).toMatchObject({
      alertRule: null,
      userErrors: [{ code: 'STALE' }],
    });
    expect(await deleteRule(server.acme, rule.id)).toMatchObject({ deletedId: rule.id, userErrors: [] });
    expect(await answered(server.acme, '{ alertRules { totalCount } }')).toEqual({
      alertRules: { totalCount: 0 },
    });
  });

  const IN_ON = ['input', 'on'];
  it.each<[string, Fields, readonly string[], RegExp]>([
    ['no condition', { on: {} }, IN_ON, /exactly one of/],
    ['null for a condition', { on: { refused: null } }, IN_ON, /exactly one of/],
    ['two conditions', { on: { ...REFUSED, unknownTerminals: REFUSED.refused } }, IN_ON, /exactly one of/],
    ['0 percent', silent({ percent: 0 }), IN_ON, /silent\.percent must be at least 1$/],
    ['101 percent', silent({ percent: 101 }), IN_ON, /silent\.percent must be at most 100$/],
    ['4 minutes', silent({ silentFor: '4m' }), IN_ON, /at least 5 minutes/],
    ['91 days', silent({ silentFor: '91d' }), IN_ON, /at most 90 days/],
    [
      'hour 25',
      silent({ fromHour: 25, toHour: 26, timeZone: 'UTC' }),
      IN_ON,
      /silent\.fromHour must be at most 23$/,
    ],
    ['half of the hours', silent({ fromHour: 8 }), IN_ON, /silent\.toHour is required/],
    [
      'neither count nor percent',
      { on: { silent: { silentFor: '1h' } } },
      IN_ON,
      /exactly one of count, percent/,
    ],
    ['count and percent', silent({ count: 1 }), IN_ON, /exactly one of count, percent/],
    [
      'a battery below 101',
      { on: { lowBattery: { below: 101, count: 1 } } },
      IN_ON,
      /below must be at most 100$/,
    ],
    [
      'a signal of no terminals',
      { on: { weakSignal: { below: 9 } } },
      IN_ON,
      /exactly one of count, percent/,
    ],
    ['days without hours', without({ days: ['MONDAY'] }), IN_ON, /noPayments\.fromHour is required/],
    ['no day', without({ ...OPEN, days: [] }), IN_ON, /noPayments\.days must not be empty/],
    ['4 days without payments', without({ lasting: '4d' }), IN_ON, /at most 3 days/],
    ['a week of payments', { on: { highSales: { above: 1, within: '7d' } } }, IN_ON, /at most 24 hours$/],
    ['an amount of 0', { on: { highSales: { above: 0, within: '1h' } } }, IN_ON, /above must be at least 1$/],
    [
      'no least number of payments',
      { on: { lowApproval: { below: 50, minPayments: 0, within: '1h' } } },
      IN_ON,
      /minPayments must be at least 1$/,
    ],
    [
      'large payments of all together',
      { on: { largePayments: { above: 1, within: '1h' } } },
      IN_ON,
      /exactly one of count, percent/,
    ],
    [
      'a filter of devices for payments',
      { on: { highSales: { above: 1, within: '1h', filter: { enabled: { eq: true } } } } },
      [...IN_ON, 'highSales', 'filter'],
      /does not fit the list/,
    ],
    ['an unknown zone', silent({ fromHour: 8, toHour: 9, timeZone: 'Mars' }), IN_ON, /IANA time zone/],
    [
      'a count of 0',
      { on: { refused: { count: 0, within: '1h' } } },
      IN_ON,
      /refused\.count must be at least 1$/,
    ],
    ['a time of 8 days', { on: { refused: { count: 1, within: '8d' } } }, IN_ON, /at most 7 days/],
    [
      'a filter that the list does not take',
      silent({ filter: { colour: { eq: 'red' } } }),
      [...IN_ON, 'silent', 'filter'],
      /does not fit the list/,
    ],
    ['a filter that is no object', silent({ filter: 'all' }), IN_ON, /silent\.filter must be a JSON object/],
    ['an empty filter', silent({ filter: {} }), [...IN_ON, 'silent', 'filter'], /must not be empty/],
    ['a long name', { name: 'x'.repeat(101), on: REFUSED }, ['input', 'name'], /at most 100 characters/],
    ['a short pause', { on: REFUSED, repeatAfter: '1m' }, ['input', 'repeatAfter'], /at least 5 minutes/],
    ['no webhook', { on: REFUSED, webhookId: nodeId('Webhook', 77) }, ['input', 'webhookId'], /not the id/],
    [
      'a device as webhook',
      { on: REFUSED, webhookId: nodeId('Device', 1) },
      ['input', 'webhookId'],
      /webhook/,
    ],
  ])('is refused with %s, and nothing changes', async (_name, input, path, message) => {
    const created = await tryRule(server.acme, { name: 'Rule', ...input });
    expect(created.alertRule).toBeNull();
    expect(created.userErrors[0]).toMatchObject({ path, code: 'INVALID' });
    expect(created.userErrors[0]?.message).toMatch(message);
    expect(created.userErrors[0]?.rule).toEqual(expect.any(String));
    const rule = await createRule(server.acme, { name: 'Kept', on: REFUSED });
    const { userErrors } = await updateRule(server.acme, rule.id, input);
    expect(userErrors[0]).toMatchObject({ path, code: 'INVALID' });
    expect(await answered(server.acme, '{ alertRules { nodes { name revision } } }')).toEqual({
      alertRules: { nodes: [{ name: 'Kept', revision: 1 }] },
    });
  });

  it('says that its filter names a deleted record, and that the server sends no e-mail', async () => {
    const { client } = server.acme;
    const [kept, gone] = [await fleet.group(client, 'kept'), await fleet.group(client, 'gone')];
    const naming = (id: number) => silent({ filter: { or: [{ group: { in: [nodeId('Group', id)] } }] } });
    const recipientIds = [nodeId('User', server.acme.caller.userId)];
    const rules = [
      { name: 'kept', ...naming(kept) },
      { name: 'gone', ...naming(gone) },
      { name: 'mailed', on: REFUSED, recipientIds },
    ];
    for (const input of rules) await createRule(server.acme, input);
    expect((await client.delete('groups/gone')).status).toBe(200);
    const list = '{ alertRules { nodes { name problems } } }';
    expect(await answered(server.acme, list)).toEqual({
      alertRules: {
        nodes: [
          { name: 'kept', problems: [] },
          { name: 'gone', problems: ['DELETED'] },
          { name: 'mailed', problems: ['NO_MAIL'] },
        ],
      },
    });
  });

  it('has a name of its own in the company, and no webhook of another', async () => {
    await createRule(server.acme, { on: REFUSED });
    await createRule(server.beta, { on: REFUSED });
    expect(await tryRule(server.acme, { name: 'Rule', on: REFUSED })).toMatchObject({
      userErrors: [{ path: ['input', 'name'], code: 'TAKEN' }],
    });
    const { webhook } = await createWebhook(server.beta, { url: 'https://hooks.example/' });
    expect(await tryRule(server.acme, { name: 'Other', on: REFUSED, webhookId: webhook.id })).toMatchObject({
      userErrors: [{ path: ['input', 'webhookId'], code: 'INVALID' }],
    });
  });

  it('is one of at most 50', async () => {
    for (let n = 0; n < 50; n += 1) await createRule(server.acme, { name: `Rule ${n}`, on: REFUSED });
    expect(await tryRule(server.acme, { name: 'One more', on: REFUSED })).toMatchObject({
      userErrors: [{ message: 'must have at most 50 entries' }],
    });
  });

  it('of another company does not exist', async () => {
    const { id } = await createRule(server.acme, { on: REFUSED });
    const read = 'query ($id: ID!) { alertRule(id: $id) { name } node(id: $id) { id } }';
    expect(await answered(server.beta, read, { id })).toEqual({ alertRule: null, node: null });
  });

  it('gets an earlier name back, but not an earlier condition', async () => {
    const { id } = await createRule(server.acme, { on: REFUSED });
    const lastSequence = async (): Promise<number> =>
      (
        await answered<{ ledger: { nodes: readonly { sequence: number }[] } }>(
          server.acme,
          '{ ledger(last: 1) { nodes { sequence } } }',
        )
      ).ledger.nodes[0]?.sequence ?? 0;
    const revert = async (): Promise<Fields> =>
      await changed(
        server.acme,
        'mutation ($sequence: Int!) { revert(sequence: $sequence) { userErrors { code rule } } }',
        { sequence: await lastSequence() },
      );
    await updateRule(server.acme, id, { name: 'Renamed', repeatAfter: '1h' });
    expect(await revert()).toEqual({ userErrors: [] });
    const read = 'query ($id: ID!) { alertRule(id: $id) { name repeatAfter on { refused { within } } } }';
    const before = { name: 'Rule', repeatAfter: null, on: { refused: { within: '1h' } } };
    expect(await answered(server.acme, read, { id })).toEqual({ alertRule: before });
    await updateRule(server.acme, id, { on: { refused: { count: 1, within: '2h' } } });
    expect(await revert()).toEqual({ userErrors: [{ code: 'INVALID', rule: 'not_revertible' }] });
  });

  it('loses its webhook when that is deleted', async () => {
    const { webhook } = await createWebhook(server.acme, { url: 'https://hooks.example/' });
    const { id } = await createRule(server.acme, { on: REFUSED, webhookId: webhook.id });
    await answered(server.acme, 'mutation ($id: ID!) { webhookDelete(id: $id) { deletedId } }', {
      id: webhook.id,
    });
    const read = 'query ($id: ID!) { alertRule(id: $id) { webhookId revision } }';
    expect(await answered(server.acme, read, { id })).toEqual({
      alertRule: { webhookId: null, revision: 2 },
    });
    expect(await change(server.acme, 'webhookUpdate', webhook.databaseId, 'input: {}')).toMatchObject({
      userErrors: [{ code: 'NOT_FOUND' }],
    });
  });
});

describe('a viewer', () => {
  it('sees rules and alerts', async () => {
    const viewer = await server.member('acme', 'viewer');
    await refuse(server, await addDevices(server.acme, ['a']));
    await createRule(server.acme, { on: REFUSED });
    await server.app.alerts.run();
    const seen = await answered<{ alerts: { nodes: readonly unknown[] } }>(
      viewer,
      '{ alerts(filter: { open: { eq: true } }) { nodes { databaseId rule { name webhookId } } } }',
    );
    expect(seen.alerts.nodes).toMatchObject([{ rule: { name: 'Rule' } }]);
  });
});

describe('alertChanged', () => {
  beforeEach(() => server.clock.stop());

  const QUERY = `subscription ($after: Int) { alertChanged(after: $after) {
    sequence alert { name affected closedAt acknowledgedAt } } }`;
  interface Event {
    readonly alertChanged: { readonly sequence: number; readonly alert: Fields };
  }

  it('sends each change, and goes on after a position', async () => {
    const [a = 0, b = 0] = await addDevices(server.acme, ['a', 'b']);
    await createRule(server.acme, { on: REFUSED });
    const live = subscribe<Event>(server, server.acme, QUERY, { after: 0 });
    const other = subscribe<Event>(server, server.beta, QUERY, { after: 0 });
    await refuse(server, [a]);
    const [alert] = await after(server, 0);
    await live.until(1);
    await refuse(server, [b]);
    await after(server, MINUTE);
    await live.until(2);
    const count = async (isAcknowledged: boolean) => {
      const filter = `{ open: { eq: true }, acknowledged: { eq: ${isAcknowledged} } }`;
      return await answered(server.acme, `{ alerts(filter: ${filter}) { totalCount } }`);
    };
    expect([await count(false), await count(true)]).toMatchObject([
      { alerts: { totalCount: 1 } },
      { alerts: { totalCount: 0 } },
    ]);
    await acknowledge(server.acme, alert?.databaseId ?? 0);
    expect(await count(true)).toMatchObject({ alerts: { totalCount: 1 } });
    await live.until(3);
    expect(live.events.map(({ alertChanged }) => alertChanged)).toMatchObject([
      { sequence: 1, alert: { affected: 1, acknowledgedAt: null } },
      { sequence: 2, alert: { affected: 2, acknowledgedAt: null } },
      { sequence: 3, alert: { affected: 2, acknowledgedAt: expect.any(String) as string } },
    ]);
    const late = subscribe<Event>(server, server.acme, QUERY, { after: 2 });
    expect(await late.until(1)).toMatchObject([{ alertChanged: { sequence: 3 } }]);
    expect(other.events).toEqual([]);
  });
});
