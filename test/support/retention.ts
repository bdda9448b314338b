import '../../src/app/wings.js';
import type { Database } from '../../src/database/database.js';
import { createUnits } from '../../src/database/units.js';
import { prune } from '../../src/domain/base/ledger/retention.service.js';
import type { Kind, PruneOptions, Rules } from '../../src/domain/base/ledger/retention.service.js';
import { type Clock, systemClock } from '../../src/platform/clock.js';
import { parsePeriod } from '../../src/platform/config/parsing.js';
import { ledgerChainHash, type KeyedHash } from '../../src/platform/hashes.js';
import type { TestPlace } from './databases/place.js';
import { insertMany } from './databases/rows.js';

export const SECRET = 'a secret for tests only: 0123456789abcdef';
const NONE: Rules = {
  transactions: null,
  ledger: null,
  deliveries: null,
  logs: null,
  tokens: null,
  jobs: null,
  alerts: null,
};

export interface Pruning extends Partial<PruneOptions> {
  readonly clock?: Clock;
  readonly hash?: KeyedHash;
}

/** Deletes what is older than these periods, for example `{ ledger: '13 months' }`; resolves to the counts by kind. */
export async function pruneNow(
  database: Database,
  periods: Partial<Record<Kind, string>>,
  { clock = systemClock, ...options }: Pruning = {},
): Promise<Partial<Record<Kind, number>>> {
  const counts: Partial<Record<Kind, number>> = {};
  const rules = Object.fromEntries(
    Object.entries(periods).map(([kind, period]) => [kind, parsePeriod(period)]),
  );
  await prune(createUnits(database, clock), {
    rules: { ...NONE, ...rules },
    hash: ledgerChainHash(SECRET),
    now: clock.now(),
    maxUnits: Infinity,
    isStopped: () => false,
    onDeleted: (kind, _companyId, count) => (counts[kind] = (counts[kind] ?? 0) + count),
    ...options,
  });
  return counts;
}

/** Inserts transactions of a company that were recorded `stepMs` after each other; of several days, statuses and applications. */
export async function insertTransactions(
  place: Pick<TestPlace, 'sql'>,
  companyId: number,
  count: number,
  { first, stepMs }: { readonly first: Date; readonly stepMs: number },
): Promise<readonly number[]> {
  return await insertMany(place, ['transactions', companyId, count], (n) => {
    const recordedAt = new Date(first.getTime() + (n - 1) * stepMs);
    return {
      transaction_type: 'switch',
      serial_number: `S-${n % 7}`,
      logical_number: `L-${n % 5}`,
      app_name: `app ${n % 3}`,
      detail: 'credit',
      status: n % 4 === 0 ? 'fail' : 'success',
      amount: n,
      payment_outcome: n % 2 === 0 ? 'approved' : 'denied',
      started_at: new Date(recordedAt.getTime() - 60_000),
      recorded_at: recordedAt,
    };
  });
}
