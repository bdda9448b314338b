import { describe, expect, it } from 'vitest';

import { DAY, HOUR, MINUTE } from '../../../../src/platform/clock.js';
import { answered, nodeId } from '../../../support/dashboard.js';
import { actionsOf } from '../../../support/fleet.js';
import { briefly, lookAgain, newRollout, rolloutFleet, shownRollout } from '../../../support/rollouts.js';
import { type Sale, SALES, sell, type Sold } from '../../../support/sales.js';
import { type Member, useServer } from '../../../support/server.js';

const server = useServer({ rateLimitPerHour: 100_000 });

interface Figures {
  readonly terminals: number;
  readonly payments: number;
  readonly approved: number;
  readonly failed: number;
  readonly approvedPercent: number | null;
  readonly perTerminalDay: number | null;
}

interface Payments {
  readonly from: string;
  readonly to: string;
  readonly now: Figures;
  readonly before: Figures;
  readonly waiting: Figures | null;
}

async function paymentsOf(member: Member, id: string): Promise<readonly (Payments | null)[]> {
  const figures = '{ terminals payments approved failed approvedPercent perTerminalDay }';
  const query = `query ($id: ID!) { rollout(id: $id) { waves { payments { from to now ${figures} before ${figures} waiting ${figures} } } } }`;
  const { rollout } = await answered<{ rollout: { waves: readonly { payments: Payments | null }[] } }>(
    member,
    query,
    { id },
  );
  return rollout.waves.map(({ payments }) => payments);
}

/** Figures of terminals from a list of all transactions, by their meaning alone. */
function plainly(sold: readonly Sold[], terminals: readonly string[], from: number, to: number): Figures {
  const own = sold.filter(
    ({ serialNumber, at }) => terminals.includes(serialNumber) && at >= from && at < to,
  );
  const count = (...sales: readonly Sale[]): number => own.filter(({ sale }) => sales.includes(sale)).length;
  const payments = count('approved', 'denied', 'refund');
  const [approved, failed] = [count('approved', 'refund'), count('failed')];
  return {
    terminals: terminals.length,
    payments,
    approved,
    failed,
    approvedPercent: payments + failed === 0 ? null : (approved * 100) / (payments + failed),
    perTerminalDay: terminals.length === 0 ? null : payments / terminals.length / ((to - from) / DAY),
  };
}

interface Drawn {
  readonly wave: number;
  readonly serial: string;
  readonly granted: boolean;
}

/** The terminals of a rollout that take part, as they are stored. */
async function drawnOf(member: Member, id: string): Promise<readonly Drawn[]> {
  const query = `query ($id: ID!) { rollout(id: $id) { terminals(first: 100) {
    nodes { wave obstacle grantedAt device { serialNumber } } } } }`;
  const { rollout } = await answered<{
    rollout: {
      terminals: {
        nodes: readonly {
          wave: number;
          obstacle: string | null;
          grantedAt: string | null;
          device: { serialNumber: string } | null;
        }[];
      };
    };
  }>(member, query, { id });
  return rollout.terminals.nodes.flatMap(({ wave, obstacle, grantedAt, device }) =>
    obstacle !== null || device === null
      ? []
      : [{ wave, serial: device.serialNumber, granted: grantedAt !== null }],
  );
}

function numbersFrom(seed: number) {
  let state = seed;
  const below = (end: number): number => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor((state / 2 ** 31) * end);
  };
  return { below, oneOf: <T>(list: readonly T[]): T => list[below(list.length)] as T };
}

/** Lets the server count, and compares what it shows of each wave with a plain computation over all transactions. */
async function compare(member: Member, id: string, sold: readonly Sold[]): Promise<number> {
  const drawn = await drawnOf(member, id);
  await lookAgain(server);
  const serials = (wanted: (terminal: Drawn) => boolean) => drawn.filter(wanted).map(({ serial }) => serial);
  const shown = await paymentsOf(member, id);
  for (const [place, payments] of shown.entries()) {
    if (payments === null) continue;
    const [from, to] = [payments.from, payments.to].map((at) => Date.parse(at)) as [number, number];
    expect(to).toBe(Math.min(server.clock.now().getTime(), from + 7 * DAY));
    const own = serials(({ wave, granted }) => wave === place + 1 && granted);
    const waiting = serials(({ wave, granted }) => wave > place + 1 && !granted);
    expect(payments.now).toEqual(plainly(sold, own, from, to));
    expect(payments.before).toEqual(plainly(sold, own, from - 7 * DAY, to - 7 * DAY));
    expect(payments.waiting).toEqual(waiting.length === 0 ? null : plainly(sold, waiting, from, to));
  }
  return shown.filter((each) => each !== null).length;
}

describe('the payments of a rollout', () => {
  it.each([1, 2, 3])('equal a plain computation over all transactions, in random fleet %i', async (seed) => {
    const { acme, beta, clock, place } = server;
    clock.stop();
    const { below, oneOf } = numbersFrom(seed * 7919);
    const name = `random${seed}`;
    const own = await rolloutFleet(server, acme, 12 + below(20), name);
    const serials = own.deviceIds.map((_, index) => `${name} ${index + 1}`);
    // Two terminals share a logical number, one moves to another before its wave, one is deleted.
    await place.sql(
      `update devices set logical_number_id = $1 where company_id = ${acme.caller.companyId} and id = $2`,
      [own.numberIds[0] ?? 0, own.deviceIds[1] ?? 0],
    );
    const waves = [{ percent: 20, minDuration: '1h' }, { percent: 30, minDuration: '2d' }, {}];
    const start = clock.now().getTime();
    const id = await newRollout(acme, own.input({ waves }));
    await server.app.steps.idle();
    const late = await drawnOf(acme, id);
    const [moved = '', deleted = ''] = late.flatMap(({ wave, serial }) => (wave === 3 ? [serial] : []));
    const path = (serial: string): string => `devices/${encodeURIComponent(serial)}`;
    expect((await acme.client.put(path(moved), { logical_number_id: null })).status).toBe(200);
    expect((await acme.client.delete(path(deleted))).status).toBe(200);

    const sold: Sold[] = [];
    const sellMore = async (count: number): Promise<void> => {
      const now = clock.now().getTime();
      const random = Array.from({ length: count }, () => ({
        serialNumber: oneOf([...serials, 'another terminal']),
        sale: oneOf(SALES),
        at: start - 8 * DAY + below(now - start + 9 * DAY),
      }));
      // The first and the last instants of each span, and those beside them.
      const counted = (await paymentsOf(acme, id)).flatMap((each) => (each === null ? [] : [each]));
      const ends = [start, ...counted.flatMap(({ from, to }) => [Date.parse(from), Date.parse(to)])];
      const edges = ends.flatMap((at) =>
        [at - 1, at, at + 1]
          .flatMap((end) => [end, end - 7 * DAY])
          .map((end) => ({
            serialNumber: oneOf(serials),
            sale: oneOf(SALES),
            at: end,
          })),
      );
      await sell(server, acme, [...random, ...edges]);
      sold.push(...random, ...edges);
      // Another company has terminals with the same serial numbers.
      await sell(server, beta, random.slice(0, 20));
    };
    await sellMore(300);
    expect(await paymentsOf(acme, id)).toEqual([null, null, null]);
    for (const [after, counted] of [
      [2 * MINUTE, 1],
      [HOUR, 1],
      [MINUTE, 2],
      [2 * DAY, 2],
      [MINUTE, 3],
      [5 * DAY, 3],
      [DAY / 2, 3],
    ] as const) {
      clock.advance(after);
      await sellMore(60);
      clock.advance(3 * HOUR);
      expect(await compare(acme, id, sold), `${after} ms later`).toBeGreaterThanOrEqual(counted);
    }
    expect(await briefly(acme, id)).toContain('FINISHED');
  });
});

it('the payments of more terminals than one read has are added up', async () => {
  const { acme, clock } = server;
  clock.stop();
  const own = await rolloutFleet(server, acme, 1_400, 'many');
  const id = await newRollout(acme, own.input({ waves: [{ percent: 50, minDuration: '1d' }, {}] }));
  await server.app.steps.idle();
  const now = clock.now().getTime();
  const sold = own.deviceIds.flatMap((_, index): readonly Sold[] => {
    const serialNumber = `many ${index + 1}`;
    const sale = (name: Sale, at: number): Sold => ({ serialNumber, sale: name, at });
    return [sale('approved', now + 1), sale('failed', now + 2), sale('denied', now + 1 - 7 * DAY)];
  });
  await sell(server, acme, sold);
  clock.advance(HOUR);
  await lookAgain(server);
  const [payments] = await paymentsOf(acme, id);
  const figures = { terminals: 700, payments: 700 };
  expect(payments).toMatchObject({
    now: { ...figures, approved: 700, failed: 700, approvedPercent: 50 },
    before: { ...figures, approved: 0, failed: 0, approvedPercent: 0 },
    waiting: { ...figures, approved: 700, failed: 700, approvedPercent: 50 },
  });
});

describe('a drop of approved payments', () => {
  /** A rollout whose first of ten terminals sells a day with these numbers of approved and denied payments each. */
  async function soldUnder(
    name: string,
    of: Readonly<Record<'before' | 'own' | 'waiting', readonly number[]>>,
  ) {
    const { acme, clock } = server;
    clock.stop();
    const own = await rolloutFleet(server, acme, 10, name);
    const waves = [{ logicalNumbers: [`${name} 1`], minDuration: '2d' }, {}];
    const id = await newRollout(acme, own.input({ waves, stopWhen: { approvalDropPercent: 20 } }));
    await server.app.steps.idle();
    const at = clock.now().getTime() + HOUR;
    const sold = ([approved = 0, denied = 0]: readonly number[], serialNumber: string, time: number) => [
      ...Array.from({ length: approved }, (): Sold => ({ serialNumber, sale: 'approved', at: time })),
      ...Array.from({ length: denied }, (): Sold => ({ serialNumber, sale: 'denied', at: time })),
    ];
    await sell(server, acme, [
      ...sold(of.before, `${name} 1`, at - 7 * DAY),
      ...sold(of.own, `${name} 1`, at),
      ...sold(of.waiting, `${name} 2`, at),
    ]);
    clock.advance(DAY);
    await lookAgain(server);
    return id;
  }

  it('stops the rollout, and gives the versions to no further terminal', async () => {
    const { acme } = server;
    const numbers = { before: [90, 10], own: [30, 30], waiting: [88, 12] };
    const id = await soldUnder('drop', numbers);
    const { state, stoppedBecause, stopWhen, waves } = await shownRollout(acme, id);
    expect({ state, stoppedBecause, stopWhen }).toEqual({
      state: 'STOPPED_BY_FAILURES',
      stoppedBecause:
        '50.0 % of 60 payments are approved in wave 1, but 90.0 % of 100 a week before and 88.0 % of 100 on terminals that wait: at least 20 points less.',
      stopWhen: {
        failedPercent: null,
        failedCount: null,
        silentPercent: null,
        approvalDropPercent: 20,
      },
    });
    expect(waves[1]).toMatchObject({ state: 'WAITING', waiting: 9 });
    expect((await paymentsOf(acme, id))[0]).toMatchObject({
      now: { terminals: 1, payments: 60, approved: 30, approvedPercent: 50 },
      before: { terminals: 1, payments: 100, approved: 90, approvedPercent: 90 },
      waiting: { terminals: 9, payments: 100, approved: 88, approvedPercent: 88 },
    });
    const databaseId = Number(Buffer.from(id, 'base64').toString().split(':')[1]);
    expect(nodeId('Rollout', databaseId)).toBe(id);
    const actions = await actionsOf(server, acme, 'rollout', databaseId);
    expect(actions).toEqual(['create', 'start_wave', 'stop']);
  });

  it('stops nothing during an outage that all terminals have', async () => {
    const id = await soldUnder('outage', { before: [90, 10], own: [30, 30], waiting: [40, 60] });
    expect((await briefly(server.acme, id))[0]).toBe('RUNNING');
    expect((await paymentsOf(server.acme, id))[0]?.now.approvedPercent).toBe(50);
  });

  it('is not seen in few payments', async () => {
    const id = await soldUnder('few', { before: [49, 0], own: [0, 60], waiting: [49, 0] });
    expect((await briefly(server.acme, id))[0]).toBe('RUNNING');
  });
});
