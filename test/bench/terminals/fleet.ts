/** Simulated terminals in a process of their own, which answers each message of its parent after the first with its figures. */
import { once } from 'node:events';

import { systemClock } from '../../../src/platform/clock.js';
import type { Transport } from '../../../src/simulator/shared.js';
import { Simulation } from '../../../src/simulator/simulation.js';

/** The first message to the process. */
export interface FleetPlan {
  readonly url: string;
  /** With one token of a gateway, terminals are named in each request. */
  readonly tokens: readonly string[] | string;
  readonly serialNumbers: readonly string[];
  readonly rampMs: number;
  readonly mqtt: { readonly url: string; readonly companyId: string } | null;
}

/** Figures of all terminals together. */
export interface FleetReport {
  readonly connected: number;
  readonly received: number;
  readonly repeated: number;
  readonly confirmed: number;
  readonly errors: readonly string[];
  readonly broken: number;
  /** Answers with Retry-After. */
  readonly throttled: number;
  readonly megabytes: number;
  /** Processor time since the start, in seconds. */
  readonly cpu: number;
}

const { url, tokens, serialNumbers, rampMs, mqtt } = ((await once(process, 'message')) as [FleetPlan])[0];
const transport: Transport =
  mqtt === null
    ? { over: 'http' }
    : {
        ...{ over: 'mqtt', companyId: mqtt.companyId },
        broker: { url: new URL(mqtt.url), username: undefined, password: undefined, ca: undefined },
      };
const simulation = new Simulation({
  ...{ url: new URL(url), clock: systemClock, transport, rampMs, seed: 1, hasFaults: false, notify: null },
  ...{ forMs: 3_600_000, everyMs: 0 },
  terminals: serialNumbers.map((serialNumber, index) =>
    typeof tokens === 'string'
      ? { serialNumber, token: tokens, isNamed: true }
      : { serialNumber, token: tokens[index] ?? '', isNamed: false },
  ),
});
process.on('message', () => {
  const summary = simulation.summary();
  const report: FleetReport = {
    connected: summary.connected,
    received: summary.notifications_received,
    repeated: summary.notifications_repeated,
    confirmed: summary.notifications_confirmed,
    errors: summary.error_examples,
    broken: summary.broken.reduce((sum, { count }) => sum + count, 0),
    throttled: summary.throttled,
    cpu: process.cpuUsage().user / 1e6 + process.cpuUsage().system / 1e6,
    megabytes: process.memoryUsage().rss / 2 ** 20,
  };
  process.send?.(report);
});
process.on('disconnect', () => process.exit());
await simulation.run();
