import type { BrokenPromise } from './broken-promises.js';
import { Latencies } from './latencies.js';

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

/** Maximum error texts kept as examples. */
const MAX_ERRORS = 5;

/** Counters and latencies of all terminals of a run. */
export class Figures {
  readonly latencies = new Latencies();
  readonly #counts = new Map<FigureName, number>(NAMES.map((name) => [name, 0]));
  readonly #errors = new Set<string>();

  count(name: FigureName, by = 1): void {
    this.#counts.set(name, this.of(name) + by);
  }

  of(name: FigureName): number {
    return this.#counts.get(name) ?? 0;
  }

  /** Counts an error that breaks no promise, for example a refused connection. */
  error(text: string): void {
    this.count('errors');
    if (this.#errors.size < MAX_ERRORS) this.#errors.add(text);
  }

  /** Distinct error texts, at most 5. */
  get errors(): readonly string[] {
    return [...this.#errors];
  }

  all(): Readonly<Record<FigureName, number>> {
    return Object.fromEntries(this.#counts) as Record<FigureName, number>;
  }
}

/** The result of a run, as `--json` prints it. Times are in milliseconds. */
export interface Summary extends Readonly<Record<FigureName, number>> {
  readonly terminals: number;
  /** Number of terminals that connected successfully. */
  readonly connected: number;
  readonly seconds: number;
  readonly requests_per_second: number;
  readonly latency_ms: {
    readonly p50: number;
    readonly p95: number;
    readonly p99: number;
    readonly max: number;
  };
  /** Notifications of the run not received by its end, without those counted as lost. */
  readonly notifications_outstanding: number;
  readonly error_examples: readonly string[];
  readonly broken: readonly BrokenPromise[];
}
