import type { BrokenPromise } from './broken-promises.js';

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
  'notifications_sent',
  'notifications_received',
  'notifications_repeated',
  'notifications_confirmed',
  'transactions_created',
  'transactions_repeated',
] as const;
export type FigureName = (typeof NAMES)[number];

/** Each bucket is 5 % wider than the one before; the first begins at 0.1 ms, the last at more than 3 hours. */
const GROWTH = Math.log(1.05);
const FIRST_MS = 0.1;
const BUCKETS = 384;

/** A histogram of durations, of the same size for any number of them; percentiles are right to within 5 %. */
export class Latencies {
  readonly #counts = new Uint32Array(BUCKETS);
  #count = 0;
  max = 0;

  add(ms: number): void {
    const bucket = Math.ceil(Math.log(Math.max(ms, FIRST_MS) / FIRST_MS) / GROWTH);
    const index = Math.min(bucket, BUCKETS - 1);
    this.#counts[index] = (this.#counts[index] ?? 0) + 1;
    this.#count += 1;
    this.max = Math.max(this.max, ms);
  }

  /** In milliseconds; 0 if there is none. `share` is from 0 to 1, for example 0.95. */
  percentile(share: number): number {
    const rank = Math.ceil(this.#count * share);
    if (rank === 0) return 0;
    let passed = 0;
    const bucket = this.#counts.findIndex((count) => (passed += count) >= rank);
    return Math.min(FIRST_MS * Math.exp(bucket * GROWTH), this.max);
  }
}

/** Maximum error texts kept as examples. */
const MAX_ERRORS = 5;

/** Counters and latencies of all terminals of a run. */
export class Figures {
  readonly latencies = new Latencies();
  readonly counts = Object.fromEntries(NAMES.map((name) => [name, 0])) as Record<FigureName, number>;
  /** Distinct error texts, at most 5. */
  readonly errors = new Set<string>();

  count(name: FigureName, by = 1): void {
    this.counts[name] += by;
  }

  /** Counts an error that breaks no promise, for example a refused connection. */
  error(text: string): void {
    this.count('errors');
    if (this.errors.size < MAX_ERRORS) this.errors.add(text);
  }
}

/** The result of a run, as `--json` prints it. Times are in milliseconds. */
export interface Summary extends Readonly<Record<FigureName, number>> {
  readonly terminals: number;
  /** Number of terminals that connected successfully. */
  readonly connected: number;
  readonly seconds: number;
  readonly requests_per_second: number;
  readonly latency_ms: Readonly<Record<'p50' | 'p95' | 'p99' | 'max', number>>;
  /** Notifications of the run not received by its end, without those counted as lost. */
  readonly notifications_outstanding: number;
  readonly error_examples: readonly string[];
  readonly broken: readonly BrokenPromise[];
}
