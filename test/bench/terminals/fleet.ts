/** Simulated terminals in a process of their own, which answers each message of its parent with its figures. */
import { systemClock } from '../../../src/platform/clock.js';
import type { Transport } from '../../../src/simulator/shared.js';
import { Simulation } from '../../../src/simulator/simulation.js';

/** What the process is started with, as JSON. */
export interface FleetPlan {
  readonly url: string;
  readonly token: string;
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
  readonly megabytes: number;
}

const { url, token, serialNumbers, rampMs, mqtt } = JSON.parse(process.argv[2] ?? '{}') as FleetPlan;
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
  terminals: serialNumbers.map((serialNumber) => ({ serialNumber, token, isNamed: true })),
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
    megabytes: process.memoryUsage().rss / 2 ** 20,
  };
  process.send?.(report);
});
process.on('disconnect', () => process.exit());
await simulation.run();
