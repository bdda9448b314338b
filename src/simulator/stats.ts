import { createHistogram } from 'node:perf_hooks';

const NAMES = [
  'requests',
  'errors',
  'throttled',
  'refused',
  'connections_lost',
  'manifests_fetched',
  'manifests_unchanged',
  'params_fetched',
  'params_unchanged',
  'assets_downloaded',
  'assets_resumed',
  'assets_unchanged',
  'asset_bytes',
  'reports',
  'logs_sent',
  'installs_reported',
  'installs_failed',
  'notifications_sent',
  'notifications_received',
  'notifications_repeated',
  'notifications_confirmed',
  'commands_sent',
  'commands_received',
  'commands_done',
  'commands_failed',
  'transactions_created',
  'transactions_repeated',
  'tokens_renewed',
] as const;
type FigureName = (typeof NAMES)[number];

/** Promises of the server to terminals, with the text by which a summary reports a breach. */
export const PROMISES = {
  wrong_content: 'an asset whose bytes do not have the announced CRC, hash or size',
  unreadable_params: 'a params.dat that a terminal cannot read',
  lost_delivery: 'a notification that did not arrive',
  doubled_delivery: 'a notification twice within its lease, or again after its confirmation',
  late_command: 'a command after its end',
  wrong_order: 'a notification after a later one of the same terminal',
  refused_transaction: 'a valid transaction that was rejected',
  doubled_transaction: 'a transaction that was created twice',
  lost_token: 'a token of a device that ended before the one in its place was used',
  lost_transaction: 'an acknowledged transaction that was not there afterwards',
} as const;

type PromiseName = keyof typeof PROMISES;

/** Maximum error texts, and examples of each broken promise. */
const MAX_EXAMPLES = 5;

const MICROSECONDS = 1_000;

/** Counters, latencies and broken promises of all terminals of a run. */
export class Stats {
  readonly counts = Object.fromEntries(NAMES.map((name) => [name, 0])) as Record<FigureName, number>;
  /** Distinct error texts, at most 5. */
  readonly errors = new Set<string>();
  readonly #latencies = createHistogram();
  readonly #broken = new Map<PromiseName, { count: number; readonly examples: string[] }>();

  count(name: FigureName, by = 1): void {
    this.counts[name] += by;
  }

  /** Counts an error that breaks no promise, for example a refused connection. */
  error(text: string): void {
    this.count('errors');
    if (this.errors.size < MAX_EXAMPLES) this.errors.add(text);
  }

  broke(promise: PromiseName, example: string): void {
    const found = this.#broken.get(promise) ?? { count: 0, examples: [] };
    this.#broken.set(promise, found);
    found.count += 1;
    if (found.examples.length < MAX_EXAMPLES) found.examples.push(example);
  }

  /** Each with at most 5 examples, such as `terminal SN-1: 17 came again after 3 ms`. */
  get broken() {
    return [...this.#broken].map(([promise, { count, examples }]) => ({ promise, count, examples }));
  }

  addLatency(ms: number): void {
    this.#latencies.record(Math.max(1, Math.round(ms * MICROSECONDS)));
  }

  /** Percentiles in milliseconds, right to within 0.1 %; 0 if there was no request. */
  get latencies() {
    const percentile = (percent: number): number =>
      rounded(this.#latencies.percentile(percent) / MICROSECONDS);
    return { p50: percentile(50), p95: percentile(95), p99: percentile(99), max: percentile(100) };
  }
}

export const rounded = (value: number): number => Math.round(value * 10) / 10;

/**
 * A notification of the run as terminals execute it, with the text and a time as its two parameters:
 * `9|SHOW_MESSAGE|Simulation 3f9c2a, message 17|03-01-2026 09:00`. In any other form it counts as lost.
 */
const CONTENT = /^\d+\|SHOW_MESSAGE\|Simulation ([0-9a-f]+), message (\d+)\|\d\d-\d\d-\d{4} \d\d:\d\d$/;

export class SentNotifications {
  /** Terminals that have yet to receive it, and those that have: a group may have some that connect later. */
  readonly #sent: { readonly missing: Set<string>; readonly received: Set<string> }[] = [];

  constructor(
    private readonly run: string,
    private readonly stats: Stats,
  ) {}

  /** Call before it is sent; returns its text. */
  add(serialNumbers: Iterable<string>): string {
    const number = this.#sent.push({ missing: new Set(serialNumbers), received: new Set() });
    return `Simulation ${this.run}, message ${number}`;
  }

  /** A terminal has received a message for the first time under its id. */
  received(serialNumber: string, message: string): void {
    const [, run, number] = CONTENT.exec(message) ?? [];
    const sent = this.#sent[Number(number) - 1];
    if (run !== this.run || sent === undefined) return;
    sent.missing.delete(serialNumber);
    const example = `terminal ${serialNumber}: message ${number} came under two ids`;
    if (sent.received.has(serialNumber)) this.stats.broke('doubled_delivery', example);
    sent.received.add(serialNumber);
  }

  get outstanding(): number {
    return this.#sent.reduce((sum, { missing }) => sum + missing.size, 0);
  }

  noteLost(): void {
    for (const [index, { missing }] of this.#sent.entries()) {
      for (const serialNumber of missing) {
        const example = `terminal ${serialNumber}: message ${index + 1} did not arrive`;
        this.stats.broke('lost_delivery', example);
      }
      missing.clear();
    }
  }
}
