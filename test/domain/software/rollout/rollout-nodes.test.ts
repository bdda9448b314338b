import { describe, expect, it, onTestFinished } from 'vitest';

import { takeRolloutStep } from '../../../../src/domain/software/rollout/rollout-step.service.js';
import { HOUR, MINUTE } from '../../../../src/platform/clock.js';
import { answered, listed } from '../../../support/dashboard.js';
import { actionsOf, fleet, rowsIn } from '../../../support/fleet.js';
import { briefly, lookAgain, newRollout, reportAll, rolloutFleet } from '../../../support/rollouts.js';
import { sell } from '../../../support/sales.js';
import { openOtherNode, useServer } from '../../../support/server.js';

const server = useServer({ rateLimitPerHour: 100_000 });

const ofAcme = (table: string, condition: string): Promise<number> =>
  rowsIn(server, table, `company_id = ${server.acme.caller.companyId} and ${condition}`);

const lastRollout = async (): Promise<number> =>
  Number((await listed(server.acme, 'Rollout', 'databaseId', {})).at(-1));

describe('terminals that join the target of a rollout', () => {
  it('get nothing from it, and are not counted', async () => {
    const { acme, clock } = server;
    clock.stop();
    const own = await rolloutFleet(server, acme, 10, 'joined');
    const waves = [{ percent: 50, minDuration: '1h' }, {}];
    const id = await newRollout(acme, own.input({ waves }));
    await server.app.steps.idle();
    const before = await briefly(acme, id);
    const numberId = await fleet.logicalNumber(acme.client, 'joined later', { group_id: own.groupId });
    await fleet.device(acme.client, 'joined later', { logical_number_id: numberId });
    await sell(server, acme, [
      { serialNumber: 'joined later', sale: 'approved', at: clock.now().getTime() + 1 },
    ]);
    clock.advance(MINUTE);
    await lookAgain(server);
    expect(await briefly(acme, id)).toEqual(before);
    const payments = `query ($id: ID!) { rollout(id: $id) { total waves { payments { now { terminals } waiting { terminals payments } } } } }`;
    expect(await answered(acme, payments, { id })).toEqual({
      rollout: {
        total: 10,
        waves: [
          { payments: { now: { terminals: 5 }, waiting: { terminals: 5, payments: 0 } } },
          { payments: null },
        ],
      },
    });
    clock.advance(HOUR);
    await lookAgain(server);
    await lookAgain(server);
    expect(await briefly(acme, id)).toEqual(['RUNNING', 'PASSED 5 granted', 'BEGUN 5 granted']);
    expect(await ofAcme('logical_number_app_versions', `logical_number_id = ${numberId}`)).toBe(0);
    expect(await ofAcme('logical_number_app_versions', `app_version_id = ${own.after}`)).toBe(10);
  });
});

describe('nodes that look at a rollout at the same moment', () => {
  it('start each wave once, with one entry in the ledger', async () => {
    const { acme, app, place } = server;
    const other = await openOtherNode(server);
    onTestFinished(() => other?.stop(1_000));
    const nodes = [app.units, other?.units ?? app.units, app.units];
    const own = await rolloutFleet(server, acme, 40, 'nodes');
    const id = await newRollout(acme, own.input({ waves: [{ percent: 10 }, { percent: 40 }, {}] }));
    const rolloutId = await lastRollout();
    await place.sql('update rollouts set due_at = null where id <> $1', [rolloutId]);
    for (let round = 0; round < 14; round += 1) {
      for (const wave of round === 10 ? [0, 1, 2] : [])
        await reportAll(server, acme, { version: own.after, state: 'proven', wave });
      await place.sql('update rollouts set due_at = $1 where due_at is not null', [new Date(0)]);
      await Promise.all(nodes.map((units) => takeRolloutStep(units, 0)));
      await app.steps.idle();
    }
    expect(await briefly(acme, id)).toEqual([
      'FINISHED',
      'PASSED 4 proven',
      'PASSED 16 proven',
      'PASSED 20 proven',
    ]);
    const steps = ['create', 'start_wave', 'start_wave', 'start_wave', 'end'];
    expect(await actionsOf(server, acme, 'rollout', rolloutId)).toEqual(steps);
    const granted = `entity_type = 'logical_number' and entity_id in (${own.numberIds.join()})`;
    expect(await ofAcme('ledger', granted)).toBe(40);
    expect(await ofAcme('jobs', `kind = 'rolloutGrant' and total = 4`)).toBe(1);
  });

  it('keep the later count of payments, and waves that another one has begun', async () => {
    const { acme, app, clock, place } = server;
    clock.stop();
    const own = await rolloutFleet(server, acme, 600, 'counting');
    const waves = [{ percent: 90, minDuration: '30m' }, {}];
    const id = await newRollout(acme, own.input({ waves }));
    await app.steps.idle();
    const shown = async (): Promise<unknown> => {
      const query = `query ($id: ID!) { rollout(id: $id) { waves { payments { now { terminals } } } } }`;
      return (await answered<{ rollout: { waves: unknown } }>(acme, query, { id })).rollout.waves;
    };
    const rolloutId = await lastRollout();
    await place.sql('update rollouts set due_at = null where id <> $1', [rolloutId]);
    const none = { payments: null };
    const counted = (terminals: number) => ({ payments: { now: { terminals } } });
    clock.advance(HOUR);
    // The first part of a count, which the node goes on with later: other steps are taken between its parts.
    expect(await takeRolloutStep(app.units, 0)).toBe(acme.caller.companyId);
    expect(await shown()).toEqual([none, none]);
    const begun = JSON.stringify([
      { from: 0, countedAt: clock.now().getTime() + 1, now: SIDE, before: SIDE, waiting: SIDE },
      {
        from: clock.now().getTime(),
        countedAt: clock.now().getTime(),
        now: null,
        before: null,
        waiting: null,
      },
    ]);
    await place.sql(`update rollouts set payments = $1, wave = 1, state = 'paused' where id = $2`, [
      begun,
      rolloutId,
    ]);
    await lookAgain(server);
    expect(await shown()).toEqual([counted(77), none]);
    clock.advance(MINUTE);
    await lookAgain(server);
    expect(await shown()).toEqual([counted(77), counted(0)]);
  });
});

const SIDE = { terminals: 77, payments: 0, approved: 0, failed: 0 };
