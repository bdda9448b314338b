import { describe, expect, it, onTestFinished } from 'vitest';

import { HOUR, systemClock } from '../../src/platform/clock.js';
import type { Summary } from '../../src/simulator/simulation.js';
import { Simulation, type SimulationOptions } from '../../src/simulator/simulation.js';
import { startStandIn, type Faults, type StandIn } from './stand-in.js';

async function standIn(faults: Faults = {}): Promise<StandIn> {
  const started = await startStandIn(faults);
  onTestFinished(() => started.stop());
  return started;
}

function simulationOf({ url }: StandIn, options: Partial<SimulationOptions> = {}): Simulation {
  return new Simulation({
    url,
    clock: systemClock,
    transport: { over: 'http' },
    forMs: HOUR,
    rampMs: 0,
    everyMs: 50,
    renewEveryMs: null,
    scenario: null,
    seed: 1,
    hasFaults: false,
    notify: null,
    terminals: terminals(1),
    ...options,
  });
}

const terminals = (count: number): SimulationOptions['terminals'] =>
  Array.from({ length: count }, (_, n) => ({ serialNumber: `SN-${n + 1}`, token: 'secret', isNamed: true }));

/** Runs terminals until `isEnough`: by default until they have sent 60 requests, confirmations among them. */
async function run(
  server: StandIn,
  options?: Partial<SimulationOptions>,
  isEnough: (soFar: Summary) => boolean = () => server.requests.length >= 60 && server.confirmed.length > 0,
): Promise<Summary> {
  const simulation = simulationOf(server, options);
  const running = simulation.run();
  await expect.poll(() => isEnough(simulation.summary())).toBe(true);
  simulation.stop();
  return await running;
}

/** Some promises are checked at the end of a run only. */
async function brokenBy(
  faults: Faults,
  options: Partial<SimulationOptions> = {},
): Promise<readonly string[]> {
  const server = await standIn(faults);
  const isEnough = ({ broken }: Summary): boolean => broken.length > 0 || server.requests.length >= 60;
  return (await run(server, options, isEnough)).broken.map(({ promise }) => promise);
}

describe('a simulated terminal', () => {
  it('does what terminals do, and finds nothing wrong with a server that keeps its promises', async () => {
    const server = await standIn();
    const summary = await run(server);
    expect(summary.broken).toEqual([]);
    expect(summary).toMatchObject({
      terminals: 1,
      connected: 1,
      errors: 0,
      assets_downloaded: 1,
      manifests_fetched: 1,
      params_fetched: 1,
      notifications_received: 1,
      notifications_confirmed: 1,
      notifications_repeated: 0,
    });
    expect(server.confirmed).toEqual(['1']);
    expect(summary.transactions_created).toBeGreaterThan(0);
    expect(summary.transactions_repeated).toBeGreaterThan(0);
    expect(summary.requests).toBe(server.requests.length);
    expect(server.requests.slice(0, 5)).toEqual([
      'GET /terminal/v1/manifest',
      'GET /terminal/v1/params.dat',
      'GET /terminal/v1/assets/acme_sale.posxml',
      'POST /terminal/v1/installs',
      'POST /terminal/v1/report',
    ]);
    expect([...server.rows.values()].some(({ sent }) => String(sent).includes('pan='))).toBe(true);
  });

  it('reports what was known of its device, with another battery level', async () => {
    const server = await standIn();
    const reported = { frameworkVersion: '8.31.2', meta: { model: 'V240m', brand: 'Verifone' } };
    const reporting = terminals(1).map((terminal) => ({ ...terminal, reported }));
    await run(server, { terminals: reporting }, () => server.reports.length > 0);
    expect(server.reports[0]).toEqual({
      framework_version: '8.31.2',
      meta: {
        ...reported.meta,
        battery_level: expect.stringMatching(/^\d+$/) as string,
        started_at: expect.stringMatching(/^20.+Z$/) as string,
      },
    });
  });

  it('asks with the tag of what it has', async () => {
    const server = await standIn();
    const { manifests_unchanged: unchanged } = await run(
      server,
      { everyMs: 5, seed: 3 },
      (soFar) => soFar.manifests_unchanged > 0,
    );
    expect(unchanged).toBeGreaterThan(0);
    expect(server.requests).toContain('GET /terminal/v1/manifest unless changed');
    expect(server.requests.filter((each) => each.includes('/assets/'))).toHaveLength(1);
  });

  it('looks often whether its manifest has changed, and then fetches what is new', async () => {
    const server = await standIn();
    // Hours pass in a second.
    const clock = { ...systemClock, elapsed: () => systemClock.elapsed() * 5_000 };
    const simulation = simulationOf(server, { clock, everyMs: 10, forMs: 600_000 });
    const running = simulation.run();
    const asset = 'GET /terminal/v1/assets/acme_sale.posxml';
    const downloads = (): number => server.requests.filter((each) => each === asset).length;
    await expect.poll(downloads).toBe(1);
    server.release(Buffer.from('another sale'));
    await expect.poll(downloads).toBe(2);
    simulation.stop();
    expect(await running).toMatchObject({ broken: [], assets_downloaded: 2 });
    const own = server.requests.filter((each) => !each.includes('notifications'));
    const looks = own.filter(
      (each, index) => each.includes('manifest unless') && !own[index + 1]?.includes('params'),
    );
    expect(looks.length).toBeGreaterThan(0);
  });

  it('goes on with a download where the connection broke', async () => {
    const server = await standIn();
    const summary = await run(
      server,
      { terminals: terminals(40), hasFaults: true, everyMs: 60_000 },
      (soFar) => soFar.assets_downloaded === 40,
    );
    expect(summary.broken).toEqual([]);
    expect(summary.assets_resumed).toBeGreaterThan(0);
    expect(summary.assets_downloaded).toBe(40);
    expect(server.requests.some((each) => / bytes=\d+-$/.test(each))).toBe(true);
  });

  it('waits for as long as Retry-After says', async () => {
    const summary = await run(await standIn({ busy: 1 }), {}, ({ reports }) => reports > 0);
    expect(summary).toMatchObject({ throttled: 1, errors: 0 });
    expect(summary.seconds).toBeGreaterThan(1);
  });

  it('is active for its time, however long its start takes', async () => {
    // The start takes a second, as long as Retry-After says.
    const server = await standIn({ busy: 1 });
    const summary = await simulationOf(server, { forMs: 500 }).run();
    expect(summary).toMatchObject({ connected: 1, throttled: 1 });
    expect(summary.transactions_created).toBeGreaterThan(0);
  });

  it('only waits if it is to do nothing else', async () => {
    const server = await standIn();
    const summary = await run(server, { everyMs: 0 }, () => server.confirmed.length > 0);
    expect(summary).toMatchObject({ reports: 0, transactions_created: 0, notifications_confirmed: 1 });
    expect(new Set(server.requests)).toEqual(
      new Set([
        'GET /terminal/v1/manifest',
        'GET /terminal/v1/notifications',
        'POST /terminal/v1/notifications/confirm',
      ]),
    );
  });

  it('goes on with the token that it got in place of its own', async () => {
    const server = await standIn();
    const own = { serialNumber: 'SN-1', token: 'secret', isNamed: false };
    const options = { terminals: [own], renewEveryMs: 1 };
    const summary = await run(server, options, ({ tokens_renewed: renewed }) => renewed > 3);
    expect(summary).toMatchObject({ broken: [], errors: 0, refused: 0 });
    expect(own.token).not.toBe('secret');
  });

  it('receives by event streams', async () => {
    const server = await standIn();
    const summary = await run(server, { terminals: terminals(20), everyMs: 0 }, () => {
      const isStreamed = server.requests.includes('GET /terminal/v1/notifications/stream');
      return isStreamed && server.confirmed.length > 1;
    });
    expect(summary.errors).toBe(0);
    expect(summary.notifications_confirmed).toBeGreaterThan(1);
  });

  it('makes the same choices with the same seed', async () => {
    const kindsOf = async (seed: number): Promise<string[]> => {
      const server = await standIn();
      const activities = (): string[] => server.requests.filter((each) => !each.includes('notifications'));
      await run(server, { seed, everyMs: 20 }, () => activities().length >= 12);
      return activities().slice(0, 12);
    };
    const [one, same, other] = await Promise.all([kindsOf(5), kindsOf(5), kindsOf(2)]);
    expect(same).toEqual(one);
    expect(other).not.toEqual(one);
  });
});

describe('a promise is broken by', () => {
  it.each<[string, Faults, string]>([
    ['an asset with other bytes', { asset: Buffer.from('other') }, 'wrong_content'],
    ['a line without =', { params: 'host=a\nnonsense\n' }, 'unreadable_params'],
    ['a list with a missing end', { params: 'files_list=a_b,31C3\n' }, 'unreadable_params'],
    ['a message that comes twice', { ids: [['1'], ['1']] }, 'doubled_delivery'],
    ['an earlier message after a later one', { ids: [['2'], ['1']] }, 'wrong_order'],
    ['a rejected transaction', { result: () => 'rejected' }, 'refused_transaction'],
    ['a transaction that was there before it was sent', { result: () => 'repeated' }, 'doubled_transaction'],
    ['a transaction that is created again', { result: () => 'created' }, 'lost_transaction'],
    ['a new token that does not work', { endsTokens: true }, 'lost_token'],
  ])('%s', async (_what, faults, promise) => {
    expect(await brokenBy(faults, faults.endsTokens ? { renewEveryMs: 1 } : {})).toEqual([promise]);
  });
});
