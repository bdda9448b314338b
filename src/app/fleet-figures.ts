import { setTimeout as sleep } from 'node:timers/promises';

import { fleetTotals, queuedDeliveries } from '../database/counters.js';
import type { Database } from '../database/database.js';
import type { FleetFigures } from '../http/monitoring/sources.js';
import { SECOND, type Clock } from '../platform/clock.js';

const RECORDS = ['devices', 'logical_numbers', 'groups', 'apps', 'files', 'transactions'] as const;

/** How old the figures may be that are shown without reading them again. */
const INTERVAL_MS = 15 * SECOND;
/** A request for the metrics waits so long for figures that are read; then it gets the ones before. */
const MAX_WAIT_MS = SECOND / 5;

/** The figures of the fleet. They are read when somebody asks for them, at most every 15 seconds. */
export function createFleetFigures(
  database: Pick<Database, 'snapshot'>,
  clock: Pick<Clock, 'elapsed'>,
): () => Promise<FleetFigures | null> {
  let figures: FleetFigures | null = null;
  let readAt = -Infinity;
  let reading: Promise<void> | null = null;

  const read = async (): Promise<void> => {
    try {
      const records = Object.fromEntries(await fleetTotals(database, RECORDS));
      figures = { records, queuedDeliveries: await queuedDeliveries(database) };
    } catch {
      // Old numbers would look like new ones; what is wrong with the storage is in the log.
      figures = null;
    } finally {
      reading = null;
    }
  };

  return async () => {
    if (reading === null && clock.elapsed() - readAt >= INTERVAL_MS) {
      readAt = clock.elapsed();
      reading = read();
    }
    if (reading !== null) await withinTime(reading);
    return figures;
  };
}

async function withinTime(end: Promise<void>): Promise<void> {
  const ended = new AbortController();
  const timeout = sleep(MAX_WAIT_MS, undefined, { signal: ended.signal }).catch(() => undefined);
  await Promise.race([end, timeout]);
  ended.abort();
}
