import { runLoad, type BenchRequest } from '../load.js';
import type { BenchServer } from '../measure.js';
import type { Place } from './places.js';
import { processorTime } from './processor-time.js';

/** A server, and the PostgreSQL that it uses, if any. */
export interface Measured {
  readonly server: BenchServer;
  readonly place: Place | null;
}

/** Cost of one request, in microseconds of processor time and in bytes: for each figure, the best round. */
export interface Cost {
  /** Requests. */
  readonly perSecond: number;
  readonly node: number;
  readonly database: number;
  /** Bytes of write-ahead log of PostgreSQL. */
  readonly log: number;
}

export interface Rounds {
  readonly milliseconds: number;
  readonly connections: number;
}

export async function measureOnce(
  { server, place }: Measured,
  request: BenchRequest,
  rounds: Rounds,
): Promise<Cost> {
  const pid = server.child.pid ?? 0;
  const databaseTime = (): number => (place === null ? 0 : processorTime(place.pid));
  const before = { node: processorTime(pid), database: databaseTime(), log: await logPosition(place) };
  const { requests, perSecond } = await runLoad(server.url, request, rounds);
  const per = (amount: number): number => Math.round(amount / requests);
  return {
    perSecond: Math.round(perSecond),
    node: per(processorTime(pid) - before.node),
    database: per(databaseTime() - before.database),
    log: per((await logPosition(place)) - before.log),
  };
}

async function logPosition(place: Place | null): Promise<number> {
  const rows = await place?.query<{ bytes: string }>(
    "select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::text as bytes",
  );
  return Number(rows?.[0]?.bytes ?? 0);
}

/** The highest rate and the lowest costs. */
export function best(costs: readonly Cost[]): Cost {
  const least = (key: keyof Cost): number => Math.min(...costs.map((cost) => cost[key]));
  return {
    perSecond: Math.max(...costs.map(({ perSecond }) => perSecond)),
    node: least('node'),
    database: least('database'),
    log: least('log'),
  };
}
