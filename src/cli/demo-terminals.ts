import { DAY, MINUTE, SECOND, systemClock } from '../platform/clock.js';
import { Api } from '../simulator/api.js';
import { Figures } from '../simulator/figures.js';
import { findFleet } from '../simulator/fleet.js';
import { HttpClient } from '../simulator/http-client.js';
import { Pauses } from '../simulator/pauses.js';
import { Simulation } from '../simulator/simulation.js';
import type { CommandIo } from './command-io.js';

export const DEMO_TERMINALS = 10;

export interface DemoTerminals {
  /** Breaks all connections. */
  stop(): void;
}

/** Terminals of the demo fleet at work: a few requests a second in all, until `stop`. */
export function startDemoTerminals(io: CommandIo, url: string, token: string, seed: number): DemoTerminals {
  const all = new Pauses();
  let simulation: Simulation | null = null;
  const run = async (): Promise<void> => {
    const client = new HttpClient(new URL(url), new Figures(), systemClock);
    const fleet = await findFleet(new Api(client, token, all), DEMO_TERMINALS, undefined).finally(() =>
      client.close(),
    );
    if (all.hasEnded()) return;
    simulation = new Simulation({
      ...{ url: new URL(url), clock: systemClock, transport: { over: 'http' }, seed, hasFaults: true },
      ...{ forMs: 24 * DAY, rampMs: 5 * SECOND, everyMs: 10 * SECOND },
      terminals: fleet.devices.map((device) => ({ ...device, token, isNamed: true })),
      notify: { token, everyMs: MINUTE, groupId: null },
    });
    await simulation.run();
  };
  run().catch((error: unknown) => {
    if (all.hasEnded()) return;
    io.notice(
      `The simulated terminals have stopped: ${error instanceof Error ? error.message : String(error)}`,
    );
  });
  return {
    stop: () => {
      all.end();
      simulation?.abort();
    },
  };
}
