import { setTimeout as sleep } from 'node:timers/promises';

import { pruneLedger } from '../../../database/ledger/prune.js';
import type { SystemWriteWork, Units } from '../../../database/work.js';
import { LOCAL_ORIGIN } from '../../../platform/caller.js';
import { DomainError } from '../../../platform/errors.js';
import type { KeyedHash } from '../../../platform/keys/keyed-hash.js';
import { instantBefore } from '../../../platform/period.js';
import { KINDS, type Kind, type OldRows, type Rules } from './retention.model.js';
import {
  deleteEndedDeliveries,
  deleteEndedTokens,
  deleteOldTransactions,
  selectAged,
  selectAgeOfNoCompany,
  selectAges,
  selectDeletedByTable,
} from './retention.repository.js';

export { selectDeleted as deletedRows } from './retention.repository.js';

/** Maximum rows that one transaction deletes: other changes run between two transactions. */
export const ROWS_PER_UNIT: Readonly<Record<Kind, number>> = {
  transactions: 200,
  ledger: 400,
  deliveries: 400,
  tokens: 200,
};
/** Pause between two transactions, in which other changes run. */
const PAUSE_MS = 5;
/** Minimum rows per transaction if the storage is full: it needs space in the log for each row. */
const LEAST_ROWS = 10;
const COMPANIES_PER_STATEMENT = 500;
/** Id that represents ledger entries without a company. */
const NO_COMPANY = 0;

export interface PruneOptions {
  readonly rules: Rules;
  /** Seals the heads of the hash chains again; see `database/ledger/chain.ts`. */
  readonly hash: KeyedHash;
  readonly now: Date;
  /** Maximum transactions for each kind. */
  readonly maxUnits: number;
  readonly isStopped: () => boolean;
  readonly onDeleted?: (kind: Kind, companyId: number, count: number) => void;
}

/**
 * Deletes rows that are older than the rules allow, in small transactions, one company after the other. Ends
 * when nothing old is left, or after `maxUnits`: the next call continues (decisions.md#retention). Errors:
 * `busy` and storage errors.
 */
export async function prune(units: Units, options: PruneOptions): Promise<void> {
  for (const kind of KINDS) {
    const period = options.rules[kind];
    if (period !== null) await pruneKind(units, kind, instantBefore(options.now, period), options);
  }
}

async function pruneKind(units: Units, kind: Kind, before: Date, options: PruneOptions): Promise<void> {
  const waiting = await companiesWithOld(units, kind, before, options);
  for (let unit = 0; unit < options.maxUnits && !options.isStopped(); unit += 1) {
    const companyId = waiting.shift();
    if (companyId === undefined) return;
    const count = await pruneOnce(units, kind, { companyId, before, hash: options.hash });
    if (count === 0) continue;
    options.onDeleted?.(kind, companyId, count);
    waiting.push(companyId);
    await sleep(PAUSE_MS);
  }
}

/** Ids of companies that have rows from before a time. */
async function companiesWithOld(
  units: Units,
  kind: Kind,
  before: Date,
  { isStopped }: Pick<PruneOptions, 'isStopped'>,
): Promise<number[]> {
  const isOld = (at: number | null): boolean => at !== null && at < before.getTime();
  const found: number[] = [];
  for (let after = -1; !isStopped();) {
    const ages = await units.systemRead((work) => selectAges(work, kind, after, COMPANIES_PER_STATEMENT));
    found.push(...ages.filter(({ oldest }) => isOld(oldest)).map(({ id }) => id));
    if (ages.length < COMPANIES_PER_STATEMENT) break;
    after = ages.at(-1)?.id ?? after;
  }
  if (kind === 'ledger' && isOld(await units.systemRead(selectAgeOfNoCompany))) found.push(NO_COMPANY);
  return found;
}

interface Batch {
  readonly companyId: number;
  readonly before: Date;
  readonly hash: KeyedHash;
}

/** Deletes rows in one transaction. Returns their number. */
async function pruneOnce(units: Units, kind: Kind, batch: Batch): Promise<number> {
  for (let limit = ROWS_PER_UNIT[kind]; ; limit = Math.floor(limit / 4)) {
    try {
      return await units.systemWrite(
        LOCAL_ORIGIN,
        async (work) => {
          work.freesRoom();
          return await deleteOld(work, kind, { ...batch, limit });
        },
        batch.companyId === NO_COMPANY ? undefined : batch.companyId,
      );
    } catch (error) {
      const isFull = error instanceof DomainError && error.code === 'storage_full';
      if (!isFull || limit / 4 < LEAST_ROWS) throw error;
    }
  }
}

async function deleteOld(
  work: SystemWriteWork,
  kind: Kind,
  batch: Batch & { readonly limit: number },
): Promise<number> {
  if (kind === 'transactions') return await deleteOldTransactions(work, batch);
  if (kind === 'deliveries') return await deleteEndedDeliveries(work, batch);
  if (kind === 'tokens') return await deleteEndedTokens(work, batch);
  return await pruneLedger(work, batch);
}

/** Rows of one company, or without a company, that `prune` would delete without `maxUnits`. */
export interface OldOfCompany extends OldRows {
  readonly kind: Kind;
  /** 0 for ledger entries without a company. */
  readonly companyId: number;
}

const ROWS_PER_READ = 5_000;

/** Counts the rows that are older than the rules allow, one page at a time. Changes nothing. */
export async function countOld(
  units: Units,
  { rules, now }: Pick<PruneOptions, 'rules' | 'now'>,
): Promise<readonly OldOfCompany[]> {
  const found: OldOfCompany[] = [];
  for (const kind of KINDS) {
    const period = rules[kind];
    if (period === null) continue;
    const before = instantBefore(now, period);
    for (const companyId of await companiesWithOld(units, kind, before, { isStopped: () => false })) {
      found.push({ kind, companyId, ...(await countOfCompany(units, kind, companyId, before)) });
    }
  }
  return found;
}

async function countOfCompany(units: Units, kind: Kind, companyId: number, before: Date): Promise<OldRows> {
  let counted = { count: 0, oldest: Infinity, newest: -Infinity };
  let last = { id: 0, at: 0 };
  for (;;) {
    const page = { after: last, before, limit: ROWS_PER_READ };
    const rows = await units.systemRead((work) => selectAged(work, kind, companyId, page));
    const young = rows.findIndex(({ at }) => at >= before.getTime());
    for (const { at } of young === -1 ? rows : rows.slice(0, young)) {
      const { count, oldest, newest } = counted;
      counted = { count: count + 1, oldest: Math.min(oldest, at), newest: Math.max(newest, at) };
    }
    last = rows.at(-1) ?? last;
    if (rows.length < ROWS_PER_READ || young !== -1) break;
  }
  const { count, oldest, newest } = counted;
  const isNone = count === 0;
  return { count, oldest: isNone ? null : new Date(oldest), newest: isNone ? null : new Date(newest) };
}

/** Time of the oldest row of all companies, in ms since 1970, and number of deleted rows, by kind. */
export async function retentionFigures(units: Pick<Units, 'systemRead'>): Promise<{
  readonly oldest: Readonly<Record<string, number | null>>;
  readonly deleted: Readonly<Record<string, number>>;
}> {
  const oldest: Record<string, number | null> = {};
  for (const kind of KINDS.filter((name) => name !== 'tokens')) oldest[kind] = await oldestOf(units, kind);
  return { oldest, deleted: await units.systemRead(selectDeletedByTable) };
}

async function oldestOf(units: Pick<Units, 'systemRead'>, kind: Kind): Promise<number | null> {
  let oldest: number | null = null;
  for (let after = -1; ;) {
    const ages = await units.systemRead((work) => selectAges(work, kind, after, COMPANIES_PER_STATEMENT));
    for (const { oldest: at } of ages) if (at !== null) oldest = Math.min(oldest ?? at, at);
    if (ages.length < COMPANIES_PER_STATEMENT) return oldest;
    after = ages.at(-1)?.id ?? after;
  }
}
