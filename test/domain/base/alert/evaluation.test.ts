import { beforeEach, describe, expect, it } from 'vitest';

import { CountWithin } from '../../../../src/domain/base/alert/alert.model.js';
import { findOpen } from '../../../../src/domain/base/alert/alert.repository.js';
import {
  addAlertKind,
  alertKinds,
  getAlertRule,
  openAlert,
} from '../../../../src/domain/base/alert/alert.service.js';
import { evaluateAlerts } from '../../../../src/domain/base/alert/evaluation.service.js';
import { sendCommand } from '../../../../src/domain/messages/command/command.service.js';
import { addUnknownTerminals } from '../../../../src/domain/terminals/terminal/terminal.repository.js';
import { HOUR, MINUTE } from '../../../../src/platform/clock.js';
import { createMailer } from '../../../../src/platform/mail.js';
import { answered, nodeId } from '../../../support/dashboard.js';
import { fleet } from '../../../support/fleet.js';
import { openOtherNode, useServerPerTest } from '../../../support/server.js';
import { waitFor } from '../../../support/wait-for.js';
import {
  acknowledge,
  addDevices,
  after,
  alertsOf,
  createRule,
  deleteRule,
  events,
  refuse,
  see,
  updateRule,
} from './alerts.js';

const server = useServerPerTest();
beforeEach(() => server.clock.stop());

const toolsOf = () => ({
  units: server.app.units,
  mail: createMailer({ settings: null, publicUrl: '', onError: () => undefined }),
  conditionOf: () => Promise.reject(new Error('No rule has a filter')),
  isStopped: () => false,
  onError: (error: unknown) => expect.unreachable(String(error)),
});

const HALF_SILENT = { silent: { percent: 50, silentFor: '1h' } };

describe('an alert of silent terminals', () => {
  it('opens at the share, is one for all of them, and closes five minutes after it was below', async () => {
    const ids = await addDevices(server.acme, ['a', 'b', 'c', 'd', 'never seen']);
    const [a = 0, b = 0, c = 0, d = 0] = ids;
    await see(server, [a, b, c, d]);
    await createRule(server.acme, { on: HALF_SILENT });
    expect(await after(server, HOUR)).toEqual([]);
    await see(server, [a, c]);
    server.clock.advance(1);
    await see(server, [b]);
    expect(await after(server, MINUTE)).toEqual([]);
    server.clock.advance(HOUR - MINUTE);
    await see(server, [a]);
    server.clock.advance(1);
    const [alert, ...others] = await after(server, 0);
    expect(others).toEqual([]);
    expect(alert).toMatchObject({
      name: 'Rule',
      kind: 'silent',
      affected: 3,
      total: 4,
      examples: ['b', 'c', 'd'],
      openedAt: server.clock.now().toISOString(),
      closedAt: null,
      rule: { name: 'Rule' },
    });

    await see(server, [b, c]);
    expect(await after(server, MINUTE)).toMatchObject([{ affected: 1, closedAt: null }]);
    // Above again before the five minutes are over: the time begins anew.
    server.clock.advance(HOUR);
    await see(server, [a]);
    expect(await after(server, MINUTE)).toMatchObject([{ affected: 3, closedAt: null }]);
    await see(server, [b, c, d]);
    expect(await after(server, MINUTE)).toMatchObject([{ affected: 0, closedAt: null }]);
    expect(await after(server, 5 * MINUTE - 1)).toMatchObject([{ closedAt: null }]);
    expect(await after(server, 1)).toMatchObject([{ closedAt: server.clock.now().toISOString() }]);
    expect(await events(server)).toEqual(['opened', 'closed']);

    expect(await after(server, 2 * HOUR)).toMatchObject([{ affected: 4, closedAt: null }, {}]);
  });

  it('looks at the devices of its filter only, and not at disabled ones', async () => {
    const group = await fleet.group(server.acme.client, 'North');
    const number = await fleet.logicalNumber(server.acme.client, '1', { group_id: group });
    const inside = await fleet.device(server.acme.client, 'inside', { logical_number_id: number });
    const disabled = await fleet.device(server.acme.client, 'off', {
      logical_number_id: number,
      enabled: false,
    });
    const [outside = 0] = await addDevices(server.acme, ['outside']);
    await see(server, [inside, disabled, outside]);
    const filter = { group: { eq: nodeId('Group', group) } };
    await createRule(server.acme, { on: { silent: { ...HALF_SILENT.silent, filter } } });
    server.clock.advance(2 * HOUR);
    await see(server, [inside]);
    expect(await after(server, 0)).toEqual([]);
    expect(await after(server, 2 * HOUR)).toMatchObject([{ affected: 1, total: 1, examples: ['inside'] }]);
  });

  it('opens in its hours only, in their time zone, once terminals had the time to be seen', async () => {
    const midnight = new Date(server.clock.now()).setUTCHours(24, 0, 0, 0);
    const setTo = (hour: number, minute = 0): void =>
      server.clock.set(new Date(midnight + hour * HOUR + minute * MINUTE));
    setTo(10, 30);
    const ids = await addDevices(server.acme, ['a']);
    await see(server, ids);
    // 08:00 to 18:00 in São Paulo are 11:00 to 21:00 UTC.
    const hours = { fromHour: 8, toHour: 18, timeZone: 'America/Sao_Paulo' };
    await createRule(server.acme, { on: { silent: { ...HALF_SILENT.silent, ...hours } } });
    setTo(24 + 10, 59);
    expect(await after(server, 0)).toEqual([]);
    expect(await after(server, HOUR)).toEqual([]);
    expect(await after(server, MINUTE)).toMatchObject([{ affected: 1, closedAt: null }]);
    // An alert that is open closes at any time.
    setTo(24 + 22);
    await see(server, ids);
    expect(await after(server, MINUTE)).toMatchObject([{ affected: 0, closedAt: null }]);
    expect(await after(server, 5 * MINUTE)).toMatchObject([{ closedAt: server.clock.now().toISOString() }]);
    expect(await after(server, 3 * HOUR)).toHaveLength(1);
  });
});

describe('an alert of a count', () => {
  it('counts refused terminals within the time', async () => {
    const ids = await addDevices(server.acme, ['a', 'b', 'c']);
    await createRule(server.acme, { on: { refused: { count: 2, within: '10m' } } });
    await refuse(server, ids.slice(0, 1));
    expect(await after(server, MINUTE)).toEqual([]);
    await refuse(server, ids.slice(1, 2));
    const opened = { kind: 'refused', affected: 2, total: null, examples: ['b', 'a'] };
    expect(await after(server, MINUTE)).toMatchObject([opened]);
    expect(await after(server, 8 * MINUTE + 1)).toMatchObject([{ affected: 1, examples: ['b', 'a'] }]);
    expect(await after(server, 5 * MINUTE)).toMatchObject([
      { affected: 0, closedAt: expect.any(String) as string },
    ]);
  });

  it('counts unknown serial numbers within the time', async () => {
    await createRule(server.acme, { on: { unknownTerminals: { count: 1, within: '10m' } } });
    const now = server.clock.now();
    await server.app.units.writeWithoutLedger(server.acme.caller.companyId, (work) =>
      addUnknownTerminals(work, [{ serialNumber: 'X1', firstSeenAt: now, lastSeenAt: now, count: 3 }]),
    );
    expect(await after(server, MINUTE)).toMatchObject([
      { kind: 'unknownTerminals', affected: 1, examples: ['X1'] },
    ]);
  });

  it('counts deliveries of notifications that have failed within the time', async () => {
    await createRule(server.acme, { on: { deliveriesFailed: { count: 2, within: '10m' } } });
    for (const number of ['N1', 'N2', 'N3']) await fleet.logicalNumber(server.acme.client, number);
    const message = { content: 'Hello', range: 'specific_logical_numbers', logical_numbers: 'N1,N2,N3' };
    await server.acme.client.post('notifications', message);
    await server.app.steps.idle();
    const end = (number: string, state: string): Promise<unknown> =>
      server.place.sql(
        `update notification_deliveries set state = $1, finished_at = $2, due_at = null where logical_number_id =
          (select id from logical_numbers where number = $3)`,
        [state, server.clock.now(), number],
      );
    await end('N1', 'failed');
    await end('N2', 'expired');
    expect(await after(server, MINUTE)).toEqual([]);
    await end('N3', 'failed');
    const opened = { kind: 'deliveriesFailed', affected: 2, total: null, examples: ['N3', 'N1'] };
    expect(await after(server, MINUTE)).toMatchObject([opened]);
    expect(await after(server, 9 * MINUTE)).toMatchObject([{ affected: 1, closedAt: null }]);
  });

  it('counts commands that terminals could not do, or did not confirm', async () => {
    await createRule(server.acme, { on: { commandsFailed: { count: 2, within: '10m' } } });
    const ids = await addDevices(server.acme, ['C1', 'C2', 'C3']);
    await server.app.units.write(server.acme.caller, (work) => sendCommand(work, { action: 'REBOOT' }, ids));
    const end = (id: number, state: string): Promise<unknown> =>
      server.place.sql(
        `update notification_deliveries set state = $1, finished_at = $2, due_at = null where device_id = $3`,
        [state, server.clock.now(), id],
      );
    await end(ids[0] ?? 0, 'failed');
    await end(ids[1] ?? 0, 'done');
    expect(await after(server, MINUTE)).toEqual([]);
    await end(ids[2] ?? 0, 'expired');
    const opened = { kind: 'commandsFailed', affected: 2, examples: ['C3', 'C1'] };
    expect(await after(server, MINUTE)).toMatchObject([opened]);
  });
});

describe('an open alert', () => {
  const MET = { on: { refused: { count: 1, within: '7d' } } };
  const open = async (input: object = {}) => {
    await refuse(server, await addDevices(server.acme, ['a']));
    const rule = await createRule(server.acme, { ...MET, ...input });
    const [alert] = await after(server, MINUTE);
    return { rule, id: alert?.databaseId ?? 0 };
  };

  it('is sent again after repeatAfter, until a person acknowledges it', async () => {
    const { id } = await open({ repeatAfter: '1h' });
    await after(server, HOUR - 1);
    expect(await events(server)).toEqual(['opened']);
    await after(server, 1);
    await after(server, MINUTE);
    expect(await events(server)).toEqual(['opened', 'repeated']);
    await acknowledge(server.acme, id);
    await after(server, 2 * HOUR);
    expect(await events(server)).toEqual(['opened', 'repeated', 'acknowledged']);
  });

  it('keeps who acknowledged it first', async () => {
    const { id } = await open();
    const operator = await server.member('acme', 'operator');
    const at = server.clock.now().toISOString();
    const first = { acknowledgedAt: at, acknowledgedBy: { databaseId: operator.caller.userId } };
    expect(await acknowledge(operator, id)).toMatchObject({ alert: first, userErrors: [] });
    server.clock.advance(MINUTE);
    expect(await acknowledge(server.acme, id)).toMatchObject({ alert: first, userErrors: [] });
    expect(await events(server)).toEqual(['opened', 'acknowledged']);
  });

  it('is closed with its rule, and by another condition, but not by another name', async () => {
    const { rule } = await open();
    await updateRule(server.acme, rule.id, { name: 'Renamed' });
    expect(await alertsOf(server.acme)).toMatchObject([
      { name: 'Rule', closedAt: null, rule: { name: 'Renamed' } },
    ]);
    await updateRule(server.acme, rule.id, { on: { refused: { count: 1, within: '6d' } } });
    expect(await alertsOf(server.acme)).toMatchObject([{ closedAt: server.clock.now().toISOString() }]);
    expect(await after(server, MINUTE)).toMatchObject([{ name: 'Renamed', closedAt: null }, {}]);
    await deleteRule(server.acme, rule.id);
    const [last] = await after(server, MINUTE);
    expect(last).toMatchObject({ rule: null, name: 'Renamed', closedAt: expect.any(String) as string });
    expect(await events(server)).toEqual(['opened', 'closed', 'opened', 'closed']);
  });
});

describe('evaluations', () => {
  it('find again what a node has measured that was killed before it wrote', async () => {
    await refuse(server, await addDevices(server.acme, ['a']));
    await createRule(server.acme, { on: { refused: { count: 1, within: '7d' } } });
    const { units } = server.app;
    const write = (): Promise<never> => Promise.reject(new Error('killed'));
    const errors: unknown[] = [];
    await evaluateAlerts({ ...toolsOf(), units: { ...units, write }, onError: (e) => errors.push(e) });
    expect(errors).toEqual([new Error('killed')]);
    expect(await alertsOf(server.acme)).toEqual([]);
    for (let run = 0; run < 2; run += 1) await server.app.alerts.run();
    expect(await alertsOf(server.acme)).toHaveLength(1);
    expect(await events(server)).toEqual(['opened']);
  });

  it('cannot open a second alert of a rule in the database', async () => {
    const { databaseId } = await createRule(server.acme, { on: { refused: { count: 1, within: '7d' } } });
    const open = () =>
      server.app.units.write(server.acme.caller, async (work) => {
        const rule = await getAlertRule(work, databaseId);
        return await openAlert(work, rule, { affected: 1, total: null, examples: [] });
      });
    await open();
    await expect(open()).rejects.toThrow();
    expect(await alertsOf(server.acme)).toHaveLength(1);
    expect(await events(server)).toEqual(['opened']);
  });

  it('of two nodes at the same time open one alert', async () => {
    await refuse(server, await addDevices(server.acme, ['a', 'b']));
    for (const name of ['1', '2', '3'])
      await createRule(server.acme, { name, on: { refused: { count: 1, within: '7d' } } });
    const other = await openOtherNode(server);
    for (let run = 0; run < 5; run += 1) {
      await Promise.all([server.app.alerts.run(), other?.alerts.run(), server.app.alerts.run()]);
    }
    await other?.stop(1_000);
    await server.app.alerts.run();
    expect((await alertsOf(server.acme)).map(({ name }) => name).sort()).toEqual(['1', '2', '3']);
    expect(await events(server)).toEqual(['opened', 'opened', 'opened']);
  });

  it('that both have measured open one alert: the second finds it', async () => {
    await refuse(server, await addDevices(server.acme, ['a']));
    await createRule(server.acme, { on: { refused: { count: 1, within: '7d' } } });
    const tools = toolsOf();
    await Promise.all([evaluateAlerts(tools), evaluateAlerts(tools), evaluateAlerts(tools)]);
    expect(await alertsOf(server.acme)).toHaveLength(1);
    expect(await events(server)).toEqual(['opened']);
  });

  it('go on with the other rules and companies when one fails, and report it', async () => {
    // The server evaluates by itself, too: the kind fails from the first rule on.
    const kind = alertKinds.get('unknownTerminals');
    const measure = () => Promise.reject(new Error('broken kind'));
    addAlertKind('unknownTerminals', { model: CountWithin, measure, examples: measure });
    for (const member of [server.acme, server.beta]) {
      await refuse(server, await addDevices(member, ['a']), member);
      await createRule(member, { name: 'fails', on: { unknownTerminals: { count: 1, within: '7d' } } });
      await createRule(member, { name: 'works', on: { refused: { count: 1, within: '7d' } } });
    }
    await server.app.alerts.run();
    if (kind !== undefined) alertKinds.set('unknownTerminals', kind);
    for (const member of [server.acme, server.beta])
      expect(await alertsOf(member)).toMatchObject([{ name: 'works' }]);
    expect(server.logs.join('')).toContain('broken kind');
  });

  it('of a company that takes long let the others go on', async () => {
    const on = { refused: { count: 1, within: '7d' } };
    for (const member of [server.acme, server.beta]) {
      await refuse(server, await addDevices(member, ['a']), member);
      await createRule(member, { on });
    }
    const kind = alertKinds.get('refused');
    if (kind === undefined) throw new Error('The kind is missing');
    const released = Promise.withResolvers<undefined>();
    const measure: typeof kind.measure = async (work, ...given) => {
      if (work.caller.companyId === server.acme.caller.companyId) await released.promise;
      return await kind.measure(work, ...given);
    };
    alertKinds.set('refused', { ...kind, measure });
    const run = server.app.alerts.run();
    await waitFor(async () => expect(await alertsOf(server.beta)).toHaveLength(1));
    expect(await alertsOf(server.acme)).toEqual([]);
    released.resolve(undefined);
    await run;
    alertKinds.set('refused', kind);
    expect(await alertsOf(server.acme)).toHaveLength(1);
  });

  it('change nothing where the rule was changed since it was measured', async () => {
    await refuse(server, await addDevices(server.acme, ['a']));
    const rule = await createRule(server.acme, { on: { refused: { count: 1, within: '7d' } } });
    const kind = alertKinds.get('refused');
    if (kind === undefined) throw new Error('The kind is missing');
    const examples: typeof kind.examples = async (...given) => {
      await updateRule(server.acme, rule.id, { name: 'Changed' });
      return await kind.examples(...given);
    };
    alertKinds.set('refused', { ...kind, examples });
    await server.app.alerts.run();
    alertKinds.set('refused', kind);
    expect(await alertsOf(server.acme)).toEqual([]);
    await server.app.alerts.run();
    expect(await alertsOf(server.acme)).toMatchObject([{ name: 'Changed' }]);
  });

  it('see the terminals of their company only', async () => {
    await refuse(server, await addDevices(server.beta, ['a', 'b']), server.beta);
    await createRule(server.acme, { on: { refused: { count: 1, within: '7d' } } });
    const { databaseId } = await createRule(server.beta, { on: { refused: { count: 2, within: '7d' } } });
    await server.app.alerts.run();
    expect(await alertsOf(server.acme)).toEqual([]);
    expect(await alertsOf(server.beta)).toMatchObject([{ affected: 2 }]);
    const found = await server.app.units.read(server.acme.caller, (work) => findOpen(work, databaseId));
    expect(found).toBeUndefined();
    const { alertRules } = await answered<{ alertRules: object }>(
      server.acme,
      '{ alertRules { totalCount } }',
    );
    expect(alertRules).toEqual({ totalCount: 1 });
  });
});
