import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';

import { openDatabase } from '../../../src/database/postgres/open.js';
import { MAX_ROWS, SharedLimits } from '../../../src/database/postgres/shared-limits.js';
import { createSignInThrottle } from '../../../src/domain/people/user/sign-in.service.js';
import { HOUR, MINUTE } from '../../../src/platform/clock.js';
import { createNetworkCounter } from '../../../src/platform/windows.js';
import { testClock } from '../../support/clock.js';
import { adminUrlOf, createDatabase, dropDatabase } from '../../support/postgres/boot.js';
import { Relay } from '../../support/postgres/relay.js';
import { waitFor } from '../../support/wait-for.js';

const SOON = { interval: 20 };
const ADDRESS = '203.0.113.7';
/** Keys that a node sends in one statement. */
const SENT_AT_ONCE = 1_000;

const server = inject('postgres');
let url: string;
let admin: pg.Client;
const opened: SharedLimits[] = [];

beforeAll(async () => {
  url = await createDatabase(server);
  await (await openDatabase(url)).close();
  admin = new pg.Client({ connectionString: adminUrlOf(server, url) });
  await admin.connect();
});
afterAll(async () => {
  await admin.end();
  await dropDatabase(server, url);
});
beforeEach(async () => {
  await admin.query('delete from rate_limits');
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((limits) => limits.close()));
});

/** A node that waits as long as it takes, however busy the machine is. */
const PATIENT = { waitMs: 60_000, statementMs: 60_000 };
/** A sign-in waits for 250 ms, a statement may take a second. */
const DEFAULT = null;

function node(clock = testClock(), at = url, patience: typeof PATIENT | null = PATIENT) {
  const warnings: unknown[] = [];
  const limits = new SharedLimits(at, (error) => warnings.push(error), patience ?? undefined);
  opened.push(limits);
  const windows = limits.windows(clock);
  const counterOf = (points: number, windowMs = HOUR) =>
    createNetworkCounter({ name: 'test', points, windowMs }, windows);
  return { clock, limits, windows, warnings, counterOf };
}

type Counter = ReturnType<ReturnType<typeof node>['counterOf']>;

async function repeat(times: number, action: (n: number) => unknown): Promise<void> {
  for (let n = 0; n < times; n += 1) await action(n);
}

const count = (counter: Counter, times: number, address = ADDRESS) =>
  repeat(times, () => counter.count(address));

async function rowCount(): Promise<number> {
  const { rows } = await admin.query<{ count: string }>('select count(*) from rate_limits');
  return Number(rows[0]?.count);
}

async function pointsOf(key: string): Promise<number | undefined> {
  const { rows } = await admin.query<{ points: number }>('select points from rate_limits where key = $1', [
    key,
  ]);
  return rows[0]?.points;
}

/** True if it resolves before the event loop looks for events again: it waits for no statement. */
const isAtOnce = (use: Promise<unknown>): Promise<boolean> =>
  Promise.race([use.then(() => true), new Promise<boolean>((resolve) => setImmediate(resolve, false))]);

describe('RL-10 limits of several nodes', () => {
  it('are shared: a client over its limit on one node is soon refused on the other', async () => {
    const [a, b] = [node().counterOf(10), node().counterOf(10)];
    await count(a, 6);
    await waitFor(async () => expect(await pointsOf(`test 1 ${ADDRESS}`)).toBe(6), SOON);
    expect(b.count(ADDRESS)).toMatchObject({ remaining: 9 });
    await waitFor(() => expect(b.read(ADDRESS)).toMatchObject({ remaining: 3 }), SOON);
    await count(b, 4);
    await waitFor(async () => expect(await pointsOf(`test 1 ${ADDRESS}`)).toBe(11), SOON);
    expect(a.count(ADDRESS).isOver).toBe(false);
    await waitFor(() => expect(a.count(ADDRESS).isOver).toBe(true), SOON);
    expect(a.count('203.0.113.8')).toMatchObject({ isOver: false, remaining: 9 });
  });

  it('of a /48 are shared too', async () => {
    const [a, b] = [node().counterOf(1), node().counterOf(1)];
    await repeat(64, (n) => a.count(`2001:db8:1:${n.toString(16)}::1`));
    await waitFor(async () => expect(await pointsOf('test 64 32.1.13.184.0.1/48')).toBe(64), SOON);
    b.count('2001:db8:1:ff00::1');
    await waitFor(() => expect(b.count('2001:db8:1:ff01::1').isOver).toBe(true), SOON);
  });

  it('end on both nodes, also if their clocks are 2 seconds apart, and begin again in full', async () => {
    const [early, late] = [testClock(), testClock()];
    late.set(new Date(late.now().getTime() - 2_000));
    const [a, b] = [node(early).counterOf(5), node(late).counterOf(5)];
    for (let window = 0; window < 3; window += 1) {
      await count(a, 6);
      await waitFor(async () => expect(await pointsOf(`test 1 ${ADDRESS}`)).toBe(6), SOON);
      b.count(ADDRESS);
      await waitFor(() => expect(b.count(ADDRESS).isOver).toBe(true), SOON);
      const { msLeft } = b.read(ADDRESS);
      expect(msLeft).toBeGreaterThan(HOUR - MINUTE);
      expect(msLeft).toBeLessThanOrEqual(HOUR);
      for (const clock of [early, late]) clock.advance(HOUR + 2_500);
      for (const counter of [a, b]) expect(counter.read(ADDRESS).remaining).toBe(Infinity);
    }
  });

  it('whose clock jumps: a node counts on, and the others too', async () => {
    const clock = testClock();
    const [a, b] = [node(clock).counterOf(5), node().counterOf(5)];
    await count(a, 4);
    clock.set(new Date(clock.now().getTime() + 2 * HOUR));
    expect(a.count(ADDRESS)).toMatchObject({ remaining: 0, isOver: false });
    expect(a.count(ADDRESS).isOver).toBe(true);
    b.count(ADDRESS);
    await waitFor(async () => {
      await b.exchange(ADDRESS);
      expect(b.read(ADDRESS).remaining).toBeLessThan(4);
    }, SOON);
    expect(b.read(ADDRESS).msLeft).toBeLessThanOrEqual(HOUR);
  });

  it('cost a client far from its limit no row, and one over it no statement any more', async () => {
    const { counterOf } = node();
    const counter = counterOf(1_000);
    await count(counter, 9);
    await counter.exchange(ADDRESS);
    expect(await rowCount()).toBe(0);
    await count(counter, 1);
    await counter.exchange(ADDRESS);
    expect(await pointsOf(`test 1 ${ADDRESS}`)).toBe(10);
    await count(counter, 991);
    await counter.exchange(ADDRESS);
    await count(counter, 500);
    await counter.exchange(ADDRESS);
    expect(await pointsOf(`test 1 ${ADDRESS}`)).toBe(1_001);
  });

  it('of more addresses than have rows keep the bounded number of rows, which are deleted after their windows', async () => {
    const { counterOf, limits, clock } = node();
    const counter = counterOf(20);
    const addressOf = (n: number) => `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`;
    await repeat(MAX_ROWS + 2 * SENT_AT_ONCE, (n) => counter.count(addressOf(n)));
    await waitFor(async () => expect(await rowCount()).toBe(MAX_ROWS), { interval: 100 });
    // The addresses that are left would come with these.
    for (let sent = 0; sent <= 2; sent += 1) await counter.exchange(addressOf(0));
    expect(await rowCount()).toBe(MAX_ROWS);
    await limits.deleteEnded();
    expect(await rowCount()).toBe(MAX_ROWS);
    clock.advance(HOUR + 2 * MINUTE);
    await limits.deleteEnded();
    expect(await rowCount()).toBe(0);
    // Others have room again.
    counter.count(ADDRESS);
    await waitFor(async () => expect(await pointsOf(`test 1 ${ADDRESS}`)).toBe(1), SOON);
  });

  it('of sign-ins are known to the other nodes at once', async () => {
    const [a, b] = [createSignInThrottle(node().windows), createSignInThrottle(node().windows)];
    for (const address of [ADDRESS, '2001:db8:5:5::1']) {
      await repeat(29, () => a.countFailure(address));
      await b.check(address);
      await b.countFailure(address);
      await expect(a.check(address)).rejects.toMatchObject({ code: 'too_many_attempts' });
      await expect(b.check(address)).rejects.toMatchObject({ code: 'too_many_attempts' });
    }
  });

  it('of failures that arrive on all nodes at the same time are counted exactly, without deadlocks', async () => {
    const nodes = [1, 2, 3].map(() => node());
    const counters = nodes.map(({ counterOf }) => counterOf(500));
    const addresses = Array.from({ length: 40 }, (_, n) => `2001:db8:7:${n}::1`);
    await Promise.all(
      counters.flatMap((counter) =>
        addresses.map(async (address) => {
          await count(counter, 10, address);
          await counter.exchange(address);
        }),
      ),
    );
    for (const counter of counters) for (const address of addresses) await counter.exchange(address);
    expect(await pointsOf('test 64 32.1.13.184.0.7/48')).toBe(1_200);
    expect(nodes.map(({ warnings }) => warnings)).toEqual([[], [], []]);
  });
});

describe('RL-11 PostgreSQL is away for limits', () => {
  it.each(['refuses connections', 'is silent'])(
    'and %s: each node counts alone, and shares again later',
    async (how) => {
      const relay = new Relay(url);
      const patience = how === 'is silent' ? DEFAULT : PATIENT;
      const here = node(testClock(), await relay.start(), patience);
      const [a, b] = [here.counterOf(20), node().counterOf(20)];
      await count(a, 5);
      await waitFor(async () => expect(await pointsOf(`test 1 ${ADDRESS}`)).toBe(5), SOON);
      const before = here.limits.failures;
      const failures = () => here.limits.failures - before;
      if (how === 'is silent') relay.isSilent = true;
      else relay.stop();
      a.count(ADDRESS);
      await a.exchange(ADDRESS);
      await waitFor(
        () => {
          a.count('198.51.100.1');
          expect(failures()).toBeGreaterThan(1);
        },
        { interval: 500 },
      );
      for (let n = 0; n < 10; n += 1) {
        a.count(ADDRESS);
        expect(await isAtOnce(a.exchange(ADDRESS))).toBe(true);
      }
      expect(a.read(ADDRESS)).toMatchObject({ remaining: 4 });
      expect(here.warnings).toHaveLength(1);
      here.clock.advance(MINUTE + 1);
      a.count(ADDRESS);
      await waitFor(() => expect(here.warnings).toHaveLength(2));

      relay.isSilent = false;
      if (how === 'is silent') relay.cut();
      else await relay.start();
      b.count(ADDRESS);
      await waitFor(async () => {
        await b.exchange(ADDRESS);
        expect(b.read(ADDRESS).remaining).toBeLessThanOrEqual(4);
      });
      await a.exchange(ADDRESS);
      const failed = failures();
      await a.exchange(ADDRESS);
      expect(failures()).toBe(failed);
      relay.stop();
    },
  );

  it('a sign-in does not wait for PostgreSQL once it was silent for 250 ms', async () => {
    const relay = new Relay(url);
    const { limits, windows } = node(testClock(), await relay.start(), DEFAULT);
    const throttle = createSignInThrottle(windows);
    let failures = 0;
    await waitFor(async () => {
      failures = limits.failures;
      const checked = throttle.check(ADDRESS);
      expect(await isAtOnce(checked)).toBe(false);
      await checked;
      expect(limits.failures).toBe(failures);
    });
    relay.isSilent = true;
    await throttle.countFailure(ADDRESS);
    expect(limits.failures).toBe(failures + 1);
    for (let n = 0; n < 29; n += 1) expect(await isAtOnce(throttle.countFailure(ADDRESS))).toBe(true);
    await expect(throttle.check(ADDRESS)).rejects.toMatchObject({ code: 'too_many_attempts' });
    relay.stop();
  });

  it('connections that are ended are made anew', async () => {
    const counter = node().counterOf(5);
    await count(counter, 1);
    await counter.exchange(ADDRESS);
    await admin.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()`,
    );
    await waitFor(async () => {
      counter.count('203.0.113.9');
      await counter.exchange('203.0.113.9');
      expect(await pointsOf('test 1 203.0.113.9')).toBeGreaterThan(0);
    }, SOON);
  });
});
