import { describe, expect, it } from 'vitest';

import { DAY, HOUR } from '../../../../src/platform/clock.js';
import { answered, changed, listed, nodeId, statementsFor } from '../../../support/dashboard.js';
import { actionsOf, fleet, rowsIn } from '../../../support/fleet.js';
import {
  briefly,
  createRollout,
  lookAgain,
  newRollout,
  reportAll,
  rolloutFleet,
  shownRollout,
} from '../../../support/rollouts.js';
import { useServer, type Fields, type Member } from '../../../support/server.js';
import { subscribe } from '../../../support/subscribe.js';

const server = useServer({ rateLimitPerHour: 100_000 });

const act = async (member: Member, name: string, id: string): Promise<Fields> =>
  await changed<Fields>(
    member,
    `mutation ($id: ID!) { ${name}(id: $id) { rollout { state } userErrors { code message } } }`,
    { id },
  );

/** Ids of the versions of each logical number that has the versions, by their number. */
async function holders(version: number): Promise<number> {
  const { companyId } = server.acme.caller;
  return await rowsIn(
    server,
    'logical_number_app_versions',
    `company_id = ${companyId} and app_version_id = ${version}`,
  );
}

/** Number of devices that the jobs of each wave have changed. */
async function changedByWaves(id: string): Promise<readonly number[]> {
  const query = 'query ($id: ID!) { rollout(id: $id) { waves { jobIds } } }';
  const { rollout } = await answered<{ rollout: { waves: Fields[] } }>(server.acme, query, { id });
  const count = 'query ($filter: DeviceFilter) { devices(filter: $filter) { totalCount } }';
  const counted = rollout.waves.map(async ({ jobIds }) => {
    const filter = { changedByJob: { in: jobIds } };
    return (await answered<{ devices: { totalCount: number } }>(server.acme, count, { filter })).devices;
  });
  return (await Promise.all(counted)).map(({ totalCount }) => totalCount);
}

describe('a rollout', () => {
  it('gives the versions to one wave after the other, once each is proven', async () => {
    const { acme } = server;
    const own = await rolloutFleet(server, acme, 450, 'waves');
    const waves = [{ percent: 2, minProvenPercent: 100 }, { percent: 48, minDuration: '1h' }, {}];
    const id = await newRollout(acme, own.input({ waves }));
    await server.app.steps.idle();
    expect(await briefly(acme, id)).toEqual([
      'RUNNING',
      'BEGUN 9 granted',
      'WAITING 216 waiting',
      'WAITING 225 waiting',
    ]);
    expect([await holders(own.after), await holders(own.before)]).toEqual([9, 441]);
    await lookAgain(server);
    expect((await briefly(acme, id))[2]).toBe('WAITING 216 waiting');
    await reportAll(server, acme, { version: own.after, state: 'proven', wave: 0 });
    await lookAgain(server);
    await lookAgain(server);
    expect(await briefly(acme, id)).toEqual([
      'RUNNING',
      'PASSED 9 proven',
      'BEGUN 216 granted',
      'WAITING 225 waiting',
    ]);
    await lookAgain(server);
    expect((await briefly(acme, id))[3]).toBe('WAITING 225 waiting');
    server.clock.advance(HOUR);
    await lookAgain(server);
    await lookAgain(server);
    expect((await briefly(acme, id))[0]).toBe('RUNNING');
    server.clock.advance(DAY);
    await lookAgain(server);
    expect(await briefly(acme, id)).toEqual([
      'FINISHED',
      'PASSED 9 proven',
      'PASSED 216 granted',
      'PASSED 225 granted',
    ]);
    expect([await holders(own.after), await holders(own.before)]).toEqual([450, 0]);
    expect(await changedByWaves(id)).toEqual([9, 216, 225]);
    const [databaseId] = await listed(acme, 'Rollout', 'databaseId', {});
    expect(await actionsOf(server, acme, 'rollout', Number(databaseId))).toEqual([
      'create',
      'start_wave',
      'start_wave',
      'start_wave',
      'end',
    ]);
  });

  it('stops by itself when terminals fail, and is undone', async () => {
    const { acme } = server;
    const own = await rolloutFleet(server, acme, 300, 'stops');
    const rule = `mutation { alertRuleCreate(input: { name: "stopped", on: { rolloutStopped: { count: 1, within: "1h" } } }) {
      userErrors { message } } }`;
    expect(await changed(acme, rule)).toEqual({ userErrors: [] });
    const waves = [{ percent: 10 }, { percent: 50, minProvenPercent: 1 }, {}];
    const id = await newRollout(acme, own.input({ waves, stopWhen: { failedPercent: 4 } }));
    await server.app.steps.idle();
    await lookAgain(server);
    expect((await briefly(acme, id)).slice(1)).toEqual([
      'PASSED 30 granted',
      'BEGUN 150 granted',
      'WAITING 120 waiting',
    ]);
    await reportAll(server, acme, { version: own.after, state: 'failed', wave: 1, count: 6 });
    await lookAgain(server);
    const stopped = await shownRollout(acme, id);
    expect(stopped).toMatchObject({
      state: 'STOPPED_BY_FAILURES',
      stoppedBecause: '6 of 150 terminals have failed in wave 2: at least 4 %.',
    });
    await lookAgain(server);
    expect([await holders(own.after), await holders(own.before)]).toEqual([180, 120]);
    await server.app.alerts.run();
    const alerts = '{ alerts { nodes { name affected examples } } }';
    expect(await answered(acme, alerts)).toEqual({
      alerts: { nodes: [{ name: 'stopped', affected: 1, examples: ['rollout of stops'] }] },
    });
    expect(await act(acme, 'rolloutUndo', id)).toEqual({ rollout: { state: 'UNDONE' }, userErrors: [] });
    await lookAgain(server);
    expect([await holders(own.after), await holders(own.before)]).toEqual([0, 300]);
    expect((await shownRollout(acme, id)).waves).toEqual(stopped.waves);
    expect((await shownRollout(acme, id)).job).toEqual({
      kind: 'rolloutUndo',
      state: 'DONE',
      done: 180,
      rejected: 0,
    });
    expect(await act(acme, 'rolloutUndo', id)).toMatchObject({
      rollout: null,
      userErrors: [{ code: 'INVALID' }],
    });
  });

  it('counts terminals as silent until they report or are seen', async () => {
    const { acme, place, clock } = server;
    const own = await rolloutFleet(server, acme, 20, 'answers');
    const id = await newRollout(acme, own.input({ waves: [{ percent: 50, minProvenPercent: 100 }, {}] }));
    await server.app.steps.idle();
    const silentOnes = async (): Promise<unknown> => {
      await lookAgain(server);
      return (await shownRollout(acme, id)).waves[0]?.silent;
    };
    expect(await silentOnes()).toBe(10);
    await reportAll(server, acme, { version: own.after, state: 'downloaded', wave: 0, count: 3 });
    expect(await silentOnes()).toBe(7);
    // A terminal may have been seen before it got the versions.
    for (const [at, silent] of [
      [new Date(clock.now().getTime() - HOUR), 7],
      [clock.now(), 0],
    ] as const) {
      await place.sql('update device_presence set last_seen_at = $1 where company_id = $2', [
        at,
        acme.caller.companyId,
      ]);
      expect(await silentOnes()).toBe(silent);
    }
  });

  it('is paused and resumed', async () => {
    const { acme } = server;
    const own = await rolloutFleet(server, acme, 20, 'paused');
    const startAt = new Date(server.clock.now().getTime() + HOUR).toISOString();
    const id = await newRollout(acme, own.input({ startAt }));
    await lookAgain(server);
    expect((await briefly(acme, id))[0]).toBe('PLANNED');
    expect(await act(acme, 'rolloutPause', id)).toMatchObject({ rollout: { state: 'PAUSED' } });
    server.clock.advance(HOUR);
    await lookAgain(server);
    expect(await briefly(acme, id)).toEqual(['PAUSED', 'WAITING 2 waiting', 'WAITING 18 waiting']);
    expect(await act(acme, 'rolloutResume', id)).toMatchObject({ rollout: { state: 'PLANNED' } });
    await lookAgain(server);
    await lookAgain(server);
    await lookAgain(server);
    server.clock.advance(DAY);
    await lookAgain(server);
    expect(await briefly(acme, id)).toEqual(['FINISHED', 'PASSED 2 granted', 'PASSED 18 granted']);
    expect(await act(acme, 'rolloutPause', id)).toMatchObject({
      userErrors: [{ code: 'INVALID', message: 'A rollout that is finished cannot be changed in this way.' }],
    });
  });

  it('says who gets the versions, who cannot, and changes nothing with dryRun', async () => {
    const { acme } = server;
    const own = await rolloutFleet(server, acme, 20, 'draft');
    const { companyId } = acme.caller;
    const set = (change: string, ...ids: readonly (number | undefined)[]) =>
      server.place.sql(
        `update devices set ${change} where company_id = ${companyId} and id in (${ids.join()})`,
        [],
      );
    await set('enabled = false', own.deviceIds[0]);
    await set(`created_at = created_at`, own.deviceIds[1]);
    await set('logical_number_id = null', own.deviceIds[2], own.deviceIds[3]);
    const other = await fleet.group(acme.client, 'without the version');
    await fleet.device(acme.client, 'outside', {
      logical_number_id: await fleet.logicalNumber(acme.client, 'outside', { group_id: other }),
    });
    const target = {
      logicalNumbers: [...Array.from({ length: 20 }, (_, index) => `draft ${index + 1}`), 'outside'],
    };
    const before = await listed(acme, 'Rollout', 'id', {});
    const draft = await createRollout(
      acme,
      own.input({ target, waves: [{ logicalNumbers: ['draft 20'] }, {}] }),
      true,
    );
    expect(draft).toMatchObject({
      count: 17,
      waves: [{ count: 1, examples: ['draft 20'] }, { count: 16 }],
      withoutTerminal: 2,
      withoutTerminalExamples: ['draft 3', 'draft 4'],
      rollout: null,
      userErrors: [],
    });
    expect(draft.obstacles).toEqual([
      { obstacle: 'DISABLED', count: 1, examples: ['draft 1'] },
      { obstacle: 'NOT_ATTACHED', count: 1, examples: ['outside'] },
    ]);
    server.clock.advance(8 * DAY);
    const later = await createRollout(acme, own.input({ target }), true);
    expect(later.obstacles).toContainEqual(expect.objectContaining({ obstacle: 'SILENT', count: 17 }));
    expect(await listed(acme, 'Rollout', 'id', {})).toEqual(before);
    const { userErrors } = await createRollout(acme, own.input({ target }));
    expect(userErrors).toMatchObject([{ code: 'INVALID', path: ['target'] }]);
  });

  it('leaves out a terminal that has another number when its wave begins', async () => {
    const { acme } = server;
    const own = await rolloutFleet(server, acme, 4, 'moved');
    const startAt = new Date(server.clock.now().getTime() + HOUR).toISOString();
    const id = await newRollout(acme, own.input({ waves: [{}], startAt }));
    await server.app.steps.idle();
    const path = `devices/${encodeURIComponent('moved 1')}`;
    expect((await acme.client.put(path, { logical_number_id: null })).status).toBe(200);
    server.clock.advance(HOUR);
    await lookAgain(server);
    expect(await briefly(acme, id)).toEqual(['RUNNING', 'BEGUN 1 excluded 3 granted']);
    const terminals = `query ($id: ID!) { rollout(id: $id) { terminals(first: 10, filter: { obstacle: { eq: MOVED } }) {
      totalCount nodes { wave state obstacle device { serialNumber } logicalNumber { number } grantedAt undoneAt } } } }`;
    expect(await answered(acme, terminals, { id })).toEqual({
      rollout: {
        terminals: {
          totalCount: 1,
          nodes: [
            {
              wave: 1,
              state: 'EXCLUDED',
              obstacle: 'MOVED',
              device: { serialNumber: 'moved 1' },
              logicalNumber: { number: 'moved 1' },
              grantedAt: null,
              undoneAt: null,
            },
          ],
        },
      },
    });
    const granted = `query ($id: ID!) { rollout(id: $id) { terminals(filter: { state: { eq: GRANTED }, wave: { eq: 1 } }) { totalCount } } }`;
    expect(await answered(acme, granted, { id })).toEqual({ rollout: { terminals: { totalCount: 3 } } });
  });

  it('stops when the person who started it may not change the company any more', async () => {
    const operator = await server.member('acme', 'operator');
    const own = await rolloutFleet(server, server.acme, 4, 'left');
    const startAt = new Date(server.clock.now().getTime() + HOUR).toISOString();
    const id = await newRollout(operator, own.input({ startAt }));
    await server.app.steps.idle();
    const disable = 'mutation ($id: ID!) { userDisable(id: $id) { userErrors { code } } }';
    await changed(server.acme, disable, { id: nodeId('User', operator.caller.userId) });
    server.clock.advance(HOUR);
    await lookAgain(server);
    expect(await shownRollout(server.acme, id)).toMatchObject({
      state: 'STOPPED_BY_FAILURES',
      stoppedBecause: 'The person who started it may not change the company any more.',
    });
    expect(await holders(own.after)).toBe(0);
  });

  it('stops one that cannot be looked at, so that the others go on', async () => {
    const { acme, place } = server;
    const own = await rolloutFleet(server, acme, 2, 'damaged');
    const startAt = new Date(server.clock.now().getTime() + HOUR).toISOString();
    const id = await newRollout(acme, own.input({ startAt }));
    await server.app.steps.idle();
    await place.sql(`update rollouts set stop_when = 'null' where name = 'rollout of damaged'`);
    server.clock.advance(HOUR);
    await lookAgain(server);
    await lookAgain(server);
    const query = 'query ($id: ID!) { rollout(id: $id) { state stoppedBecause } }';
    expect(await answered(acme, query, { id })).toEqual({
      rollout: {
        state: 'STOPPED_BY_FAILURES',
        stoppedBecause: 'An internal error: see the log of the server.',
      },
    });
    expect(server.logs.some((line) => line.includes('TypeError'))).toBe(true);
  });

  it('refuses what is not clear, and changes nothing', async () => {
    const { acme } = server;
    const own = await rolloutFleet(server, acme, 2, 'refused');
    const other = await rolloutFleet(server, acme, 1, 'other');
    const later = (hours: number) => new Date(server.clock.now().getTime() + hours * HOUR).toISOString();
    const before = await listed(acme, 'Rollout', 'id', {});
    for (const [more, path] of [
      [{ waves: [] }, 'waves'],
      [{ waves: [{}, {}] }, 'waves'],
      [{ waves: [{ percent: 60 }, { percent: 60 }] }, 'waves'],
      [{ waves: [{ percent: 0 }] }, 'waves'],
      [{ waves: [{ percent: 10, logicalNumbers: ['refused 1'] }] }, 'waves'],
      [{ waves: [{ minDuration: '91d' }] }, 'waves'],
      [{ waves: [{ minProvenPercent: 101 }] }, 'waves'],
      [{ stopWhen: { failedPercent: 101 } }, 'stopWhen'],
      [{ stopWhen: { failedCount: 0 } }, 'stopWhen'],
      [{ stopWhen: { approvalDropPercent: 0 } }, 'stopWhen'],
      [{ stopWhen: { approvalDropPercent: 101 } }, 'stopWhen'],
      [{ window: { from: 25, to: 3, zone: 'UTC' } }, 'window'],
      [{ window: { from: 1, to: 3, zone: 'Mars/Base' } }, 'window'],
      [{ window: { from: 1, to: 1 } }, 'window'],
      [{ window: { from: 24, to: 0 } }, 'window'],
      [{ waves: [{ groupIds: [nodeId('Group', other.groupId)] }, {}] }, 'waves'],
      [{ waves: [{ groupIds: [] }, {}] }, 'waves'],
      [{ waves: [{ logicalNumbers: ['refused 1', 'unknown'] }, {}] }, 'waves'],
      [{ waves: [{ logicalNumbers: ['other 1'] }, {}] }, 'waves'],
      [{ waves: [{ logicalNumbers: ['refused 1'] }, { logicalNumbers: ['refused 1'] }, {}] }, 'waves'],
      [{ startAt: '0001-01-01T00:00:00Z' }, 'startAt'],
      [{ stopWhen: { deadline: server.clock.now().toISOString() } }, 'stopWhen'],
      [{ startAt: later(2), stopWhen: { deadline: later(1) } }, 'startAt'],
      [{ name: '' }, 'name'],
      [{ appVersionIds: [] }, 'appVersionIds'],
      [{ appVersionIds: [own.before, own.after].map((each) => nodeId('AppVersion', each)) }, 'appVersionIds'],
      [{ target: {} }, 'target'],
      [{ startAt: new Date(server.clock.now().getTime() + 61 * DAY).toISOString() }, 'startAt'],
    ] as const) {
      const { rollout, userErrors } = await createRollout(acme, own.input(more));
      const [error] = userErrors;
      expect([rollout, error?.code], JSON.stringify(more)).toEqual([null, 'INVALID']);
      expect(error?.path.slice(0, path === 'target' ? 1 : 2)).toEqual(
        path === 'target' ? ['target'] : ['input', path],
      );
    }
    expect(await listed(acme, 'Rollout', 'id', {})).toEqual(before);
  });

  it('opens its hours in the zone of the company, if it names none', async () => {
    const { acme, place } = server;
    await place.sql(`update companies set time_zone = 'Asia/Kolkata' where id = ${acme.caller.companyId}`);
    const own = await rolloutFleet(server, acme, 1, 'zoned');
    const startAt = new Date(server.clock.now().getTime() + HOUR).toISOString();
    for (const [zone, expected] of [
      [null, 'Asia/Kolkata'],
      ['UTC', 'UTC'],
    ]) {
      const id = await newRollout(acme, own.input({ startAt, window: { from: 1, to: 5, zone } }));
      expect((await shownRollout(acme, id)).window).toEqual({ from: 1, to: 5, zone: expected });
    }
  });

  it('is seen by its company only, with a constant number of statements', async () => {
    const { acme, beta } = server;
    const [id] = await listed(acme, 'Rollout', 'id', {});
    const query = 'query ($id: ID!) { rollout(id: $id) { name } }';
    expect(await answered(beta, query, { id })).toEqual({ rollout: null });
    const page = `query ($first: Int) { rollouts(first: $first) { nodes { name waves { proven } appVersions { number }
      job { state } terminals(first: 2) { totalCount nodes { state device { serialNumber } } } } } }`;
    const counts = [];
    for (const size of [1, 2, 5])
      counts.push((await statementsFor(server, acme, page, { first: size })).length);
    expect(new Set(counts).size).toBe(1);
  });

  it('sends each step to subscribers', async () => {
    const { acme } = server;
    const own = await rolloutFleet(server, acme, 2, 'events');
    const startAt = new Date(server.clock.now().getTime() + HOUR).toISOString();
    const id = await newRollout(acme, own.input({ startAt }));
    await server.app.steps.idle();
    const { events } = subscribe(
      server,
      acme,
      `subscription { rolloutChanged(id: "${id}", after: 0) { rollout { state } } }`,
    );
    await act(acme, 'rolloutPause', id);
    await expect.poll(() => events.at(-1)).toEqual({ rolloutChanged: { rollout: { state: 'PAUSED' } } });
  });
});
