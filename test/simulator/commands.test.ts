import { describe, expect, it, onTestFinished } from 'vitest';

import { HOUR, MINUTE, SECOND, systemClock } from '../../src/platform/clock.js';
import { drawFaults, type WantedFault } from '../../src/simulator/commands.js';
import { Simulation } from '../../src/simulator/simulation.js';
import { startStandIn, type StandIn } from './stand-in.js';

/** A terminal that gets a command, which ends `forMs` after now. */
async function start(wantedFaults: readonly WantedFault[], forMs = HOUR): Promise<StandIn & Running> {
  const server = await startStandIn({ commandUntil: new Date(Date.now() + forMs) });
  const simulation = new Simulation({
    url: server.url,
    clock: systemClock,
    transport: { over: 'http' },
    forMs: HOUR,
    rampMs: 0,
    everyMs: 0,
    renewEveryMs: null,
    seed: 1,
    hasFaults: false,
    notify: null,
    scenario: null,
    wantedFaults,
    terminals: [{ serialNumber: 'SN-1', token: 'secret', isNamed: true }],
  });
  const running = simulation.run();
  onTestFinished(async () => {
    simulation.abort();
    await running;
    await server.stop();
  });
  await expect.poll(() => server.confirmed).toContain('9');
  return { ...server, simulation };
}

interface Running {
  readonly simulation: Simulation;
}

describe('a simulated terminal of a scenario that gets a command', () => {
  it.each([
    ['fails', 'failed'],
    ['refuses', 'refused'],
  ] as const)('and %s reports it as %s', async (behaviour, state) => {
    const server = await start([{ behaviour, serialNumbers: ['SN-1'] }]);
    const detail = 'SYSTEM_UPDATE is not possible now';
    await expect.poll(() => server.commandReports).toEqual([{ state, code: 'SIMULATED', detail }]);
    const figures = { commands_received: 1, commands_failed: 1, commands_done: 0 };
    expect(server.simulation.summary()).toMatchObject(figures);
  });

  it('and is late does it after its time', async () => {
    const before = Date.now();
    const server = await start([{ behaviour: 'late', percent: 100, seconds: 1.5 }]);
    await expect.poll(() => server.commandReports, { timeout: 10_000 }).toEqual([{ state: 'done' }]);
    expect(Date.now() - before).toBeGreaterThanOrEqual(1_500);
  });

  it('and is late beyond its end does nothing', async () => {
    const server = await start([{ behaviour: 'late', percent: 100, seconds: 600 }], 2 * SECOND);
    await new Promise((resolve) => setTimeout(resolve, 2_100));
    // The end of the activities ends the delay.
    server.simulation.endWork();
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(server.commandReports).toEqual([]);
    expect(server.simulation.summary()).toMatchObject({ commands_received: 1, commands_done: 0, broken: [] });
  });

  it('and is not named does it at once', async () => {
    const server = await start([{ behaviour: 'fails', serialNumbers: ['SN-2'] }], MINUTE);
    await expect.poll(() => server.commandReports).toEqual([{ state: 'done' }]);
  });
});

describe('faults of commands', () => {
  const serials = Array.from({ length: 30 }, (_, n) => `SN-${n + 10}`);
  const wanted: readonly WantedFault[] = [
    { behaviour: 'refuses', serialNumbers: ['SN-10', 'SN-11', 'SN-99'] },
    { behaviour: 'fails', percent: 11 },
    { behaviour: 'late', percent: 10, seconds: 40 },
    { behaviour: 'fails', serialNumbers: ['SN-10'] },
  ];

  it('are drawn for shares rounded up and named terminals, one for each, of those that are simulated', () => {
    const drawn = [...drawFaults(wanted, serials, 1)];
    const having = (behaviour: string): readonly string[] =>
      drawn.flatMap(([serial, fault]) => (fault.behaviour === behaviour ? [serial] : []));
    expect(having('refuses')).toEqual(['SN-10', 'SN-11']);
    expect(having('fails')).toHaveLength(4);
    expect(having('late')).toHaveLength(3);
    expect(new Set(drawn.map(([serial]) => serial)).size).toBe(9);
  });

  it('are the same with the same seed, whatever the order of the terminals is', () => {
    const one = new Map([...drawFaults(wanted, serials, 1)].toSorted());
    expect(new Map([...drawFaults(wanted, serials.toReversed(), 1)].toSorted())).toEqual(one);
    expect(new Map([...drawFaults(wanted, serials, 2)].toSorted())).not.toEqual(one);
  });
});
