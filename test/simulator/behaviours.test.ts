import { describe, expect, it, onTestFinished } from 'vitest';

import { systemClock } from '../../src/platform/clock.js';
import { crc16Of, formatCrc16 } from '../../src/platform/hashes.js';
import type { Behaviour } from '../../src/simulator/shared.js';
import { Simulation, type SimulationOptions } from '../../src/simulator/simulation.js';
import { startStandIn, type StandIn } from './stand-in.js';

const RELEASE = Buffer.from('another sale');
const CRC = formatCrc16(crc16Of(RELEASE));

/** A scenario without a rollout, in which all terminals behave in one way with the version 1.1. */
const allOf = (behaviour: Behaviour | null): SimulationOptions['scenario'] => ({
  isAbout: ({ version }) => version === '1.1',
  behaviourOf: () => Promise.resolve(behaviour),
  run: async ({ work }) => {
    while (!work.hasEnded()) await work.pause(60_000);
    return { state: 'UNDONE', because: null, waves: [], problems: [] };
  },
});

/** Terminals that have the version before when the release comes. */
async function start(behaviour: Behaviour | null, count = 1): Promise<StandIn & { simulation: Simulation }> {
  const server = await startStandIn();
  const simulation = new Simulation({
    url: server.url,
    // Hours pass in a second.
    clock: { ...systemClock, elapsed: () => systemClock.elapsed() * 5_000 },
    transport: { over: 'http' },
    forMs: 600_000,
    rampMs: 0,
    everyMs: 10,
    renewEveryMs: null,
    seed: 1,
    hasFaults: false,
    notify: null,
    scenario: allOf(behaviour),
    terminals: Array.from({ length: count }, (_, n) => ({
      serialNumber: `SN-${n + 1}`,
      token: 'secret',
      isNamed: true,
    })),
  });
  const running = simulation.run();
  onTestFinished(async () => {
    simulation.abort();
    await running;
    await server.stop();
  });
  await expect.poll(() => server.installs.length).toBe(count);
  server.release(RELEASE);
  return { ...server, simulation };
}

/** Reports about the release. */
const later = ({ installs }: StandIn): readonly Record<string, unknown>[] => installs.slice(1);
const downloads = ({ requests }: StandIn): number =>
  requests.filter((each) => each.startsWith('GET /terminal/v1/assets/')).length;
const looks = ({ requests }: StandIn): number =>
  requests.filter((each) => each.includes('manifest unless')).length;

/** Waits until the terminal has looked at its manifest so many times more. */
async function looksAgain(server: StandIn, times: number): Promise<void> {
  const before = looks(server);
  await expect.poll(() => looks(server)).toBeGreaterThanOrEqual(before + times);
}

describe('a simulated terminal that gets a release', () => {
  it('reports that it is installed', async () => {
    const server = await start(null);
    await expect
      .poll(() => later(server))
      .toEqual([{ name: 'acme_sale.posxml', crc: CRC, result: 'installed' }]);
    expect(downloads(server)).toBe(2);
  });

  it('and cannot install it tries three times, with a reason, and keeps what it had', async () => {
    const server = await start('fails');
    await expect.poll(() => later(server).length).toBe(3);
    await looksAgain(server, 2);
    expect(later(server)).toEqual(
      [1, 2, 3].map((attempt) => ({
        name: 'acme_sale.posxml',
        crc: CRC,
        result: 'failed',
        code: 'SIGNATURE',
        detail: `simulated, attempt ${attempt}`,
      })),
    );
    expect(downloads(server)).toBe(4);
    expect(server.simulation.summary()).toMatchObject({ installs_reported: 1, installs_failed: 3 });
  });

  it('and lies about its CRC reports that of other bytes', async () => {
    const server = await start('wrongCrc');
    await expect
      .poll(() => later(server))
      .toEqual([{ name: 'acme_sale.posxml', crc: '0000', result: 'installed' }]);
    expect(CRC).not.toBe('0000');
  });

  it('and pretends reports it without a download', async () => {
    const server = await start('pretends');
    await expect
      .poll(() => later(server))
      .toEqual([{ name: 'acme_sale.posxml', crc: CRC, result: 'installed' }]);
    await looksAgain(server, 2);
    expect(downloads(server)).toBe(1);
  });

  it('and reports late has downloaded it long before', async () => {
    const server = await start('late', 30);
    await expect.poll(() => downloads(server)).toBe(60);
    expect(server.installs).toHaveLength(30);
    // The end of the activities ends the delay.
    server.simulation.endWork();
    await expect.poll(() => server.installs.length).toBe(60);
  });

  it('and sells less under it gets most payments refused', async () => {
    const server = await start('sellsLess', 30);
    await expect.poll(() => server.installs.length).toBe(60);
    server.rows.clear();
    const answers = (): readonly string[] =>
      [...server.rows.values()].flatMap(({ parsed }) => (parsed as { status: string } | null)?.status ?? []);
    await expect.poll(() => answers().length).toBeGreaterThan(80);
    const approved = answers().filter((each) => each === 'approved').length;
    expect(approved / answers().length).toBeLessThan(0.5);
    expect(approved).toBeGreaterThan(0);
  });
});
