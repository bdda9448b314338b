/** Rollouts whose terminals vanish, whose waves are empty, and whose terminals fail late; on both databases. */
import { describe, expect, it } from 'vitest';

import { DAY, HOUR } from '../../src/platform/clock.js';
import { answered, changed, nodeId } from '../support/dashboard.js';
import { fleet } from '../support/fleet.js';
import {
  briefly,
  lookAgain,
  newRollout,
  reportAll,
  rolloutFleet,
  shownRollout,
} from '../support/rollouts.js';
import { type Member, useServer } from '../support/server.js';

const server = useServer({ rateLimitPerHour: 100_000 });

const OBSTACLES = `query ($id: ID!) { rollout(id: $id) { terminals(first: 10, filter: { obstacle: { isNull: false } }) {
  nodes { wave state obstacle device { serialNumber } } } } }`;

const pathOf = (serialNumber: string): string => `devices/${encodeURIComponent(serialNumber)}`;

/** Ways in which the terminal `name 1` vanishes, each with the reason for which it does not count; null: another one does. */
const VANISHING = {
  deleted: async (name: string) => {
    expect((await server.acme.client.delete(pathOf(`${name} 1`))).status).toBe(200);
    return 'DELETED';
  },
  disabled: async (_name: string, deviceId: number) => {
    const disable = 'mutation ($id: ID!) { deviceDisable(id: $id) { userErrors { message } } }';
    expect(await changed(server.acme, disable, { id: nodeId('Device', deviceId) })).toEqual({
      userErrors: [],
    });
    return 'DISABLED';
  },
  moved: async (name: string) => {
    expect((await server.acme.client.put(pathOf(`${name} 1`), { logical_number_id: null })).status).toBe(200);
    return 'MOVED';
  },
  swapped: async (name: string, _deviceId: number, numberId: number) => {
    await VANISHING.moved(name);
    await fleet.device(server.acme.client, `${name} new`, { logical_number_id: numberId });
    return null;
  },
} as const;

type Moment = 'drawn' | 'granted' | 'proven';

/** Rollouts, each to three terminals, two of them in the first of two waves, which must all be proven. */
async function vanishing(moment: Moment) {
  const { acme } = server;
  const startAt = new Date(server.clock.now().getTime() + HOUR).toISOString();
  const rollouts = await Promise.all(
    (Object.keys(VANISHING) as (keyof typeof VANISHING)[]).map(async (how) => {
      const name = `${how} ${moment}`;
      const own = await rolloutFleet(server, acme, 3, name);
      const waves = [
        { logicalNumbers: [`${name} 1`, `${name} 2`], minProvenPercent: 100 },
        { minProvenPercent: 100 },
      ];
      const id = await newRollout(acme, own.input({ waves, startAt }));
      const vanish = () => VANISHING[how](name, own.deviceIds[0] ?? 0, own.numberIds[0] ?? 0);
      const prove = (wave: number) => reportAll(server, acme, { version: own.after, state: 'proven', wave });
      return { how, name, id, vanish, prove };
    }),
  );
  await server.app.steps.idle();
  const obstacles = new Map<string, string | null>();
  const vanishAll = async (): Promise<void> => {
    for (const { how, vanish } of rollouts) obstacles.set(how, await vanish());
  };
  const proveAll = async (wave: number): Promise<void> => {
    for (const { prove } of rollouts) await prove(wave);
  };
  if (moment === 'drawn') await vanishAll();
  server.clock.advance(HOUR);
  await lookAgain(server);
  if (moment === 'proven') await proveAll(0);
  if (moment !== 'drawn') {
    await vanishAll();
    await lookAgain(server);
  }
  await proveAll(0);
  await lookAgain(server);
  await lookAgain(server);
  return { rollouts, obstacles, proveAll };
}

describe('a wave whose terminals vanish (RU-74)', () => {
  it.each(['drawn', 'granted', 'proven'] as const)(
    'passes when terminals are deleted, disabled, moved or swapped after they were %s, and counts them with the reason',
    async (moment) => {
      const { acme } = server;
      const { rollouts, obstacles, proveAll } = await vanishing(moment);
      const firstOf = (how: string): string =>
        obstacles.get(how) === null ? 'PASSED 2 proven' : 'PASSED 1 excluded 1 proven';
      for (const { how, name, id } of rollouts) {
        const obstacle = obstacles.get(how);
        expect(await briefly(acme, id), how).toEqual(['RUNNING', firstOf(how), 'BEGUN 1 granted']);
        const device = obstacle === 'DELETED' ? null : { serialNumber: `${name} 1` };
        const nodes = obstacle === null ? [] : [{ wave: 1, state: 'EXCLUDED', obstacle, device }];
        expect(await answered(acme, OBSTACLES, { id }), how).toEqual({ rollout: { terminals: { nodes } } });
      }
      await proveAll(1);
      await lookAgain(server);
      for (const { how, id } of rollouts) {
        expect(await briefly(acme, id), how).toEqual(['FINISHED', firstOf(how), 'PASSED 1 proven']);
      }
    },
  );

  it('passes when all of its terminals are deleted', async () => {
    const { acme } = server;
    const own = await rolloutFleet(server, acme, 2, 'all gone');
    const waves = [{ percent: 50, minProvenPercent: 1, minDuration: '1d' }, {}];
    const id = await newRollout(acme, own.input({ waves }));
    await server.app.steps.idle();
    const device = `{ rollout(id: "${id}") { terminals(filter: { wave: { eq: 1 } }) { nodes { device { serialNumber } } } } }`;
    const { rollout } = await answered<{
      rollout: { terminals: { nodes: readonly { device: { serialNumber: string } }[] } };
    }>(acme, device);
    await acme.client.delete(pathOf(rollout.terminals.nodes[0]?.device.serialNumber ?? ''));
    await lookAgain(server);
    await lookAgain(server);
    expect((await briefly(acme, id)).slice(1)).toEqual(['PASSED 1 excluded', 'BEGUN 1 granted']);
  });

  it('counts a terminal again that is enabled again, with what is known by then', async () => {
    const { acme } = server;
    const own = await rolloutFleet(server, acme, 2, 'back');
    const id = await newRollout(acme, own.input({ waves: [{ minProvenPercent: 100 }] }));
    await server.app.steps.idle();
    await VANISHING.disabled('', own.deviceIds[0] ?? 0);
    await lookAgain(server);
    await reportAll(server, acme, { version: own.after, state: 'failed', wave: 0, count: 1 });
    await lookAgain(server);
    expect(await briefly(acme, id)).toEqual(['RUNNING', 'BEGUN 1 excluded 1 granted']);
    const enable = 'mutation ($id: ID!) { deviceEnable(id: $id) { userErrors { message } } }';
    await changed(acme, enable, { id: nodeId('Device', own.deviceIds[0] ?? 0) });
    await lookAgain(server);
    expect(await briefly(acme, id)).toEqual(['RUNNING', 'BEGUN 1 granted 1 failed']);
  });
});

describe('a rollout whose terminals fail late (RU-76)', () => {
  it('stops when terminals of an earlier wave fail after the next one has begun', async () => {
    const { acme } = server;
    const own = await rolloutFleet(server, acme, 6, 'late');
    const waves = [{ percent: 33 }, { percent: 33, minProvenPercent: 100 }, {}];
    const id = await newRollout(acme, own.input({ waves, stopWhen: { failedPercent: 50 } }));
    await server.app.steps.idle();
    await lookAgain(server);
    expect(await briefly(acme, id)).toEqual([
      'RUNNING',
      'PASSED 2 granted',
      'BEGUN 2 granted',
      'WAITING 2 waiting',
    ]);
    await reportAll(server, acme, { version: own.after, state: 'failed', wave: 0 });
    await lookAgain(server);
    expect(await shownRollout(acme, id)).toMatchObject({
      state: 'STOPPED_BY_FAILURES',
      stoppedBecause: '2 of 2 terminals have failed in wave 1: at least 50 %.',
    });
  });

  it('stops when terminals of the last wave fail after its grant, and is watched for a day', async () => {
    const { acme } = server;
    const own = await rolloutFleet(server, acme, 2, 'last');
    const id = await newRollout(acme, own.input({ waves: [{}], stopWhen: { failedPercent: 50 } }));
    await server.app.steps.idle();
    server.clock.advance(DAY - HOUR);
    await lookAgain(server);
    expect(await briefly(acme, id)).toEqual(['RUNNING', 'BEGUN 2 granted']);
    await reportAll(server, acme, { version: own.after, state: 'failed', wave: 0, count: 1 });
    await lookAgain(server);
    expect((await shownRollout(acme, id)).stoppedBecause).toBe(
      '1 of 2 terminals have failed in wave 1: at least 50 %.',
    );
  });
});

describe('empty waves (RU-75)', () => {
  it('are passed where a percent rounds to nobody', async () => {
    const { acme } = server;
    const own = await rolloutFleet(server, acme, 1, 'single');
    const waves = [
      { percent: 1, minProvenPercent: 90, minDuration: '24h' },
      { percent: 24, minProvenPercent: 80, minDuration: '24h' },
      { minProvenPercent: 80, minDuration: '24h' },
    ];
    const id = await newRollout(acme, own.input({ waves }));
    await server.app.steps.idle();
    await reportAll(server, acme, { version: own.after, state: 'proven', wave: 0 });
    await lookAgain(server);
    expect((await briefly(acme, id))[0]).toBe('RUNNING');
    server.clock.advance(DAY);
    await lookAgain(server);
    await lookAgain(server);
    expect(await briefly(acme, id)).toEqual(['FINISHED', 'PASSED 1 proven', 'PASSED', 'PASSED']);
  });
});

const LEAVE_OUT = `mutation ($id: ID!, $deviceIds: [ID!]!, $reason: String!) {
  rolloutLeaveOut(id: $id, deviceIds: $deviceIds, reason: $reason) { rollout { state } userErrors { code path message } } }`;
const PASS_WAVE = `mutation ($id: ID!, $wave: Int!, $reason: String!) {
  rolloutPassWave(id: $id, wave: $wave, reason: $reason) { rollout { state } userErrors { code path message } } }`;
const HISTORY = `query ($id: ID!) { rollout(id: $id) { history(first: 20) { nodes { action channel actor { name }
  changes { field after } } } } }`;

interface Entry {
  readonly action: string;
  readonly actor: unknown;
  readonly changes: readonly { readonly field: string; readonly after: unknown }[];
}

const historyOf = async (id: string, member: Member = server.acme): Promise<readonly Entry[]> => {
  const { rollout } = await answered<{ rollout: { history: { nodes: readonly Entry[] } } }>(member, HISTORY, {
    id,
  });
  return rollout.history.nodes.toReversed();
};

describe('a wave that does not move', () => {
  it('opens an alert after a day, and goes on when a person leaves its terminals out', async () => {
    // The other company has rollouts of other tests.
    const { beta: acme, acme: beta } = server;
    const own = await rolloutFleet(server, acme, 4, 'held');
    const rule = `mutation { alertRuleCreate(input: { name: "held", on: { rolloutUnmoved: { count: 1, within: "1d" } } }) {
      userErrors { message } } }`;
    expect(await changed(acme, rule)).toEqual({ userErrors: [] });
    const waves = [{ logicalNumbers: ['held 1', 'held 2'], minProvenPercent: 100 }, {}];
    const id = await newRollout(acme, own.input({ waves }));
    await server.app.steps.idle();
    const alerts = async () => {
      await lookAgain(server);
      await server.app.alerts.run();
      return await answered(acme, '{ alerts(filter: { open: { eq: true } }) { nodes { name examples } } }');
    };
    expect(await alerts()).toEqual({ alerts: { nodes: [] } });
    server.clock.advance(DAY);
    await reportAll(server, acme, { version: own.after, state: 'proven', wave: 0, count: 1 });
    expect(await alerts()).toEqual({ alerts: { nodes: [] } });
    server.clock.advance(DAY);
    expect(await alerts()).toEqual({
      alerts: { nodes: [{ name: 'held', examples: ['rollout of held'] }] },
    });
    const foreign = await rolloutFleet(server, beta, 1, 'not ours');
    const leave = async (deviceId: number, type = 'Device', reason = 'broken') =>
      await changed(acme, LEAVE_OUT, { id, deviceIds: [nodeId(type, deviceId)], reason });
    const elsewhere = await rolloutFleet(server, acme, 1, 'not in it');
    const [first = 0, second = 0] = own.deviceIds;
    for (const [deviceId, type] of [
      [999_999, 'Device'],
      [foreign.deviceIds[0] ?? 0, 'Device'],
      [elsewhere.deviceIds[0] ?? 0, 'Device'],
      [second, 'Group'],
    ] as const) {
      expect(await leave(deviceId, type)).toMatchObject({
        rollout: null,
        userErrors: [{ code: 'INVALID', path: ['deviceIds'] }],
      });
    }
    expect(await leave(second, 'Device', '')).toMatchObject({ userErrors: [{ path: ['reason'] }] });
    const proven = await answered(
      acme,
      `{ rollout(id: "${id}") { terminals(filter: { state: { eq: GRANTED } }) { nodes { device { databaseId } } } } }`,
    );
    const rest = JSON.stringify(proven).includes(`:${first}}`) ? first : second;
    expect(await leave(rest)).toEqual({ rollout: { state: 'RUNNING' }, userErrors: [] });
    await lookAgain(server);
    await lookAgain(server);
    expect((await briefly(acme, id)).slice(1)).toEqual(['PASSED 1 excluded 1 proven', 'BEGUN 2 granted']);
    const entries = await historyOf(id, acme);
    expect(entries.map(({ action }) => action)).toEqual(['create', 'start_wave', 'leave_out', 'start_wave']);
    expect(entries[2]?.changes).toContainEqual({ field: 'reason', after: 'broken' });
  });

  it('is passed by a person, with the reason in the ledger; what begins by itself is begun by nobody', async () => {
    const { acme } = server;
    const own = await rolloutFleet(server, acme, 3, 'passed');
    const id = await newRollout(
      acme,
      own.input({ waves: [{ percent: 30, minProvenPercent: 100, minDuration: '7d' }, {}] }),
    );
    await server.app.steps.idle();
    await lookAgain(server);
    const pass = async (wave: number) =>
      await changed(acme, PASS_WAVE, { id, wave, reason: 'tried in the office' });
    expect(await pass(2)).toMatchObject({ rollout: null, userErrors: [{ code: 'INVALID', path: ['wave'] }] });
    expect(await pass(1)).toEqual({ rollout: { state: 'RUNNING' }, userErrors: [] });
    await lookAgain(server);
    expect((await briefly(acme, id)).slice(1)).toEqual(['PASSED 1 granted', 'BEGUN 2 granted']);
    await pass(2);
    await lookAgain(server);
    expect((await briefly(acme, id))[0]).toBe('FINISHED');
    const entries = await historyOf(id);
    const person = { name: expect.any(String) as string };
    expect(entries.map(({ action, actor }) => [action, actor])).toEqual([
      ['create', person],
      ['start_wave', null],
      ['pass_wave', person],
      ['start_wave', null],
      ['pass_wave', person],
      ['end', null],
    ]);
    expect(entries[2]?.changes).toContainEqual({ field: 'reason', after: 'tried in the office' });
  });
});

describe('the undo of a rollout', () => {
  it('says who did not get back what it had, with the reason', async () => {
    const { acme } = server;
    const own = await rolloutFleet(server, acme, 3, 'back again');
    const id = await newRollout(acme, own.input({ waves: [{}] }));
    await server.app.steps.idle();
    const elsewhere = await fleet.group(acme.client, 'elsewhere');
    const move = await acme.client.put(`logical_numbers/${encodeURIComponent('back again 1')}`, {
      group_id: elsewhere,
    });
    expect(move.status).toBe(200);
    const removal = await acme.client.delete(`logical_numbers/${encodeURIComponent('back again 2')}`);
    expect(removal.status).toBe(200);
    const undo = 'mutation ($id: ID!) { rolloutUndo(id: $id) { userErrors { message } } }';
    expect(await changed(acme, undo, { id })).toEqual({ userErrors: [] });
    await server.app.steps.idle();
    const job = `query ($id: ID!) { rollout(id: $id) { job { done rejected rejections(first: 5) { nodes { name message } } }
      terminals(first: 5) { nodes { undoneAt } } } }`;
    const { rollout } = await answered<{
      rollout: { job: unknown; terminals: { nodes: readonly { undoneAt: string | null }[] } };
    }>(acme, job, { id });
    expect(rollout.job).toEqual({
      done: 1,
      rejected: 2,
      rejections: {
        nodes: [
          {
            name: 'back again 1',
            message: 'The group of its logical number does not have what it had before.',
          },
          { name: '', message: 'Its logical number was deleted.' },
        ],
      },
    });
    expect(rollout.terminals.nodes.map(({ undoneAt }) => undoneAt === null)).toEqual([true, true, false]);
  });
});
