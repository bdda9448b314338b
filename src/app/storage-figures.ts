import type { Database, StorageSizes } from '../database/database.js';
import type { Units } from '../database/work.js';
import { retentionFigures } from '../domain/base/retention/retention.service.js';
import type { StorageFigures } from '../http/monitoring/sources.js';
import { HOUR, MINUTE, type Clock } from '../platform/clock.js';
import { PRESENCE_LIMITS } from '../platform/presence.js';

const INTERVAL_MS = MINUTE;
/** Sizes of tables: the whole file is read. */
const SIZES_INTERVAL_MS = HOUR;
/** The time between two measurements is this multiple of what one takes at least. */
const SIZES_FACTOR = 100;

/**
 * Figures that are read in the background when somebody asks for the metrics: a request gets those that were read before,
 * and never waits. Null until they were read for the first time, and after a failure.
 */
export function createStorageFigures(
  database: Pick<Database, 'sizes' | 'snapshot'>,
  clock: Clock,
): () => StorageFigures {
  const sizes = new Background<StorageSizes>(
    clock,
    () => database.sizes(),
    (took) => Math.max(SIZES_INTERVAL_MS, SIZES_FACTOR * took),
  );
  const units: Pick<Units, 'systemRead'> = {
    systemRead: (use) =>
      database.snapshot(null, (db) => use({ db, now: clock.now(), presence: PRESENCE_LIMITS })),
  };
  const rows = new Background(
    clock,
    () => retentionFigures(units),
    () => INTERVAL_MS,
  );
  return () => ({ sizes: sizes.value(), rows: rows.value() });
}

class Background<T> {
  #value: T | null = null;
  #nextAt = -Infinity;

  constructor(
    private readonly clock: Pick<Clock, 'elapsed'>,
    private readonly read: () => Promise<T | null>,
    private readonly pauseAfter: (tookMs: number) => number,
  ) {}

  value(): T | null {
    const now = this.clock.elapsed();
    if (now >= this.#nextAt) {
      this.#nextAt = Infinity;
      void this.#refresh(now);
    }
    return this.#value;
  }

  async #refresh(begun: number): Promise<void> {
    try {
      this.#value = await this.read();
    } catch {
      // Old numbers would look like new ones; what is wrong with the storage is in the log.
      this.#value = null;
    }
    const ended = this.clock.elapsed();
    this.#nextAt = ended + this.pauseAfter(ended - begun);
  }
}
