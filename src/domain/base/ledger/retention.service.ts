import { setTimeout as sleep } from 'node:timers/promises';

import { NO_COMPANY } from '../../../database/ledger-chain.js';
import type { OldBatch, Retained } from '../../../database/prunings.js';
import type { Units } from '../../../database/work.js';
import type { Config } from '../../../platform/config/config.js';
import { DomainError } from '../../../platform/errors.js';
import type { KeyedHash } from '../../../platform/hashes.js';
import { LOCAL_ORIGIN } from '../../../platform/requests.js';
import { instantBefore, type Period } from '../../../platform/timestamps.js';
import {
  type OldRows,
  selectAgeOfNoCompany,
  selectAges,
  selectDeletedByTable,
  selectOld,
} from './retention.repository.js';

export {
  type Deleted,
  type DeletedRows,
  ledgerRetention,
  selectDeleted as deletedRows,
} from './retention.repository.js';

export const KINDS = ['transactions', 'ledger', 'deliveries', 'logs', 'tokens', 'jobs', 'alerts'] as const;
export type Kind = (typeof KINDS)[number];

/** Retention of expired and revoked tokens, ended jobs and closed alerts, so that members can still see them. */
const KEEP_ENDED: Period = { months: 0, days: 90 };

/** Retention period of each kind; null to keep rows for ever. */
export type Rules = Readonly<Record<Kind, Period | null>>;

export const rulesOf = (keep: Config['keep']): Rules => ({
  ...keep,
  tokens: KEEP_ENDED,
  jobs: KEEP_ENDED,
  alerts: KEEP_ENDED,
});

/** Rows that retention deletes, in this order; `app/wings.ts` adds what each wing declares. */
export const retained: Retained[] = [];

/** Pause between two transactions, in which other changes run. */
const PAUSE_MS = 5;
/** Minimum rows per transaction if the storage is full: it needs space in the log for each row. */
const LEAST_ROWS = 10;
const COMPANIES_PER_STATEMENT = 500;

export interface PruneOptions {
  readonly rules: Rules;
  /** Seals the heads of the hash chains again; see `database/ledger-chain.ts`. */
  readonly hash: KeyedHash;
  readonly now: Date;
  /** Maximum transactions for each kind. */
  readonly maxUnits: number;
  readonly isStopped: () => boolean;
  readonly onDeleted?: (kind: Kind, companyId: number, count: number) => void;
}

/** Deletes old rows in small transactions, at most `maxUnits`; the next call continues (decisions.md#retention). */
export async function prune(units: Units, options: PruneOptions): Promise<void> {
  for (const each of retained) {
    const period = options.rules[each.kind];
    if (period !== null) await pruneKind(units, each, instantBefore(options.now, period), options);
  }
}

async function pruneKind(units: Units, kept: Retained, before: Date, options: PruneOptions): Promise<void> {
  const waiting = await companiesWithOld(units, kept, before, options.isStopped);
  for (let unit = 0; unit < options.maxUnits && !options.isStopped(); unit += 1) {
    const companyId = waiting.shift();
    if (companyId === undefined) return;
    const count = await pruneOnce(units, kept, { companyId, before, hash: options.hash });
    if (count === 0) continue;
    options.onDeleted?.(kept.kind, companyId, count);
    waiting.push(companyId);
    await sleep(PAUSE_MS);
  }
}

/** Companies with the time of their oldest row in ms since 1970, null if they have none. */
async function* agesOf(units: Pick<Units, 'systemRead'>, kept: Retained) {
  for (let after = -1; ;) {
    const ages = await units.systemRead((work) => selectAges(work, kept, after, COMPANIES_PER_STATEMENT));
    yield* ages;
    if (ages.length < COMPANIES_PER_STATEMENT) return;
    after = ages.at(-1)?.id ?? after;
  }
}

/** Ids of companies that have rows from before a time. */
async function companiesWithOld(units: Units, kept: Retained, before: Date, isStopped = () => false) {
  const isOld = (at: number | null): boolean => at !== null && at < before.getTime();
  const found: number[] = [];
  for await (const { id, oldest } of agesOf(units, kept)) {
    if (isStopped()) break;
    if (isOld(oldest)) found.push(id);
  }
  if (kept.kind === 'ledger' && isOld(await units.systemRead(selectAgeOfNoCompany))) found.push(NO_COMPANY);
  return found;
}

async function pruneOnce(units: Units, kept: Retained, batch: Omit<OldBatch, 'limit'>): Promise<number> {
  for (let limit = kept.rowsPerUnit; ; limit = Math.floor(limit / 4)) {
    try {
      return await units.systemWrite(
        LOCAL_ORIGIN,
        async (work) => {
          work.freesDiskSpace();
          return await kept.deleteOld(work, { ...batch, limit });
        },
        batch.companyId === NO_COMPANY ? undefined : batch.companyId,
      );
    } catch (error) {
      const isFull = error instanceof DomainError && error.code === 'storage_full';
      if (!isFull || limit / 4 < LEAST_ROWS) throw error;
    }
  }
}

/** Rows of one company, or without a company, that `prune` would delete without `maxUnits`. */
export interface OldOfCompany extends OldRows {
  readonly kind: Kind;
  /** 0 for ledger entries without a company. */
  readonly companyId: number;
}

/** Counts the rows that are older than the rules allow. Changes nothing. */
export async function countOld(units: Units, { rules, now }: Pick<PruneOptions, 'rules' | 'now'>) {
  const found: OldOfCompany[] = [];
  for (const kept of retained) {
    const period = rules[kept.kind];
    if (period === null) continue;
    const before = instantBefore(now, period);
    for (const companyId of await companiesWithOld(units, kept, before)) {
      const old = await units.systemRead((work) => selectOld(work, kept, companyId, before));
      found.push({ kind: kept.kind, companyId, ...old });
    }
  }
  return found;
}

/** Time of the oldest row of all companies, in ms since 1970, and number of deleted rows, by kind. */
export async function retentionStats(units: Pick<Units, 'systemRead'>) {
  const oldest: Record<string, number | null> = {};
  for (const kept of retained.filter(({ kind }) => !['tokens', 'jobs', 'alerts'].includes(kind))) {
    let first: number | null = null;
    for await (const { oldest: at } of agesOf(units, kept)) {
      if (at !== null) first = Math.min(first ?? at, at);
    }
    oldest[kept.kind] = first;
  }
  const byTable = await units.systemRead(selectDeletedByTable);
  const deleted = retained.flatMap(({ kind, table }) => {
    const count = byTable[table];
    return count === undefined ? [] : [[kind, count] as const];
  });
  return { oldest, deleted: Object.fromEntries<number>(deleted) };
}
