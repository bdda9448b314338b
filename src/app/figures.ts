import { setTimeout as sleep } from 'node:timers/promises';

import { fleetTotals, queuedDeliveries } from '../database/counters.js';
import type { Database } from '../database/database.js';
import type { Units } from '../database/work.js';
import { retentionFigures } from '../domain/base/ledger/retention.service.js';
import type { FleetFigures, StorageFigures } from '../http/monitoring/sources.js';
import { HOUR, MINUTE, SECOND, type Clock } from '../platform/clock.js';
import { PRESENCE_LIMITS } from '../platform/terminal.js';

const RECORDS = ['devices', 'logical_numbers', 'groups', 'apps', 'files', 'transactions'] as const;
const FLEET_INTERVAL_MS = 15 * SECOND;
/** Maximum wait of a request for the metrics for figures of the fleet; then it gets the ones before. */
const MAX_WAIT_MS = SECOND / 5;
/** Sizes of tables: the whole file is read. */
const SIZES_INTERVAL_MS = HOUR;
/** Minimum time between two measurements of sizes, as a multiple of what one takes. */
const SIZES_FACTOR = 100;

/** Figures of the fleet, at most 15 seconds old; null after a failure. Waits up to 200 ms for them. */
export function createFleetFigures(
  database: Pick<Database, 'snapshot'>,
  clock: Pick<Clock, 'elapsed'>,
): () => Promise<FleetFigures | null> {
  const read = async (): Promise<FleetFigures> => {
    const records = Object.fromEntries(await fleetTotals(database, RECORDS));
    return { records, queuedDeliveries: await queuedDeliveries(database) };
  };
  const figures = new Background(clock, read, () => FLEET_INTERVAL_MS);
  return async () => {
    figures.value();
    const timeout = new AbortController();
    const late = sleep(MAX_WAIT_MS, undefined, { signal: timeout.signal }).catch(() => undefined);
    await Promise.race([figures.reading, late]);
    timeout.abort();
    return figures.value();
  };
}

/** Sizes and retention statistics as they were last read: never waits. Null before that and after a failure. */
export function createStorageFigures(
  database: Pick<Database, 'sizes' | 'snapshot'>,
  clock: Clock,
): () => StorageFigures {
  const units: Pick<Units, 'systemRead'> = {
    systemRead: (use) =>
      database.snapshot(null, (db) => use({ db, now: clock.now(), presence: PRESENCE_LIMITS })),
  };
  const pauseOfSizes = (took: number): number => Math.max(SIZES_INTERVAL_MS, SIZES_FACTOR * took);
  const sizes = new Background(clock, () => database.sizes(), pauseOfSizes);
  const rows = new Background(
    clock,
    () => retentionFigures(units),
    () => MINUTE,
  );
  return () => ({ sizes: sizes.value(), rows: rows.value() });
}

/** A value that is read again in the background when it is asked for after a pause. */
class Background<T> {
  reading: Promise<void> | null = null;
  #value: T | null = null;
  #nextAt = -Infinity;

  constructor(
    private readonly clock: Pick<Clock, 'elapsed'>,
    private readonly read: () => Promise<T | null>,
    /** Milliseconds from the end of a reading to the next, given the duration of the last one. */
    private readonly pauseAfter: (tookMs: number) => number,
  ) {}

  value(): T | null {
    const now = this.clock.elapsed();
    if (this.reading === null && now >= this.#nextAt) this.reading = this.#refresh(now);
    return this.#value;
  }

  async #refresh(begun: number): Promise<void> {
    // Old numbers would look like new ones; what is wrong with the storage is in the log.
    this.#value = await this.read().catch(() => null);
    const ended = this.clock.elapsed();
    this.#nextAt = ended + this.pauseAfter(ended - begun);
    this.reading = null;
  }
}
