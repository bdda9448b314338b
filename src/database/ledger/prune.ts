/** Deletes the beginning of a company's ledger, so that the hash chain of the rest can still be verified. */
import { sql, type Transaction } from 'kysely';

import type { KeyedHash } from '../../platform/keys.js';
import type { Row, Tables } from '../../schema/schema.js';
import { inParts, notePruning, prunedUpTo, type OldBatch } from '../prunings.js';
import type { SystemWriteWork } from '../work.js';
import { entriesOf, saveHead, type ChainHead } from './chain.js';

/** Entries per DELETE: more would hold the event loop for too long. */
const ROWS_PER_DELETE = 100;

type Entry = Pick<Row<'ledger'>, 'sequence' | 'at' | 'hash'>;

/**
 * Deletes the oldest entries, but never the last one, which shows whether changes were lost. Entries chained
 * with another token secret are not deleted, since their head cannot be sealed again. Returns the number of
 * deleted entries. Must be called in a unit that waits for those of the company.
 */
export async function pruneLedger(
  { db, now }: Pick<SystemWriteWork, 'db' | 'now'>,
  { companyId, before, limit, hash }: OldBatch,
): Promise<number> {
  const head = await db
    .selectFrom('ledger_chains')
    .selectAll()
    .where('company_id', '=', companyId)
    .executeTakeFirst();
  const end = head !== undefined && head.key_fingerprint !== hash.keyId ? head.first_sequence : Infinity;
  const entries = await oldEntries(db, companyId, before, limit);
  const old = entries.filter(({ sequence }) => sequence < end);
  const last = old.at(-1);
  if (last === undefined) return 0;
  const pruned = { count: old.length, upTo: last.sequence, newestAt: new Date(last.at), now };
  await notePruning(db, companyId, 'ledger', pruned);
  if (head !== undefined && last.sequence >= head.first_sequence) await moveHead(db, hash, head, old);
  await inParts(
    old.map(({ sequence }) => sequence),
    ROWS_PER_DELETE,
    (part) =>
      sql`delete from ledger where ${entriesOf(companyId)}
      and sequence >= ${part[0]} and sequence <= ${part.at(-1)}`.execute(db),
  );
  return old.length;
}

/** The oldest entries up to the first one that is not old, without the last entry of the ledger. */
async function oldEntries(
  db: Transaction<Tables>,
  companyId: number,
  before: Date,
  limit: number,
): Promise<readonly Entry[]> {
  const after = await prunedUpTo(db, companyId, 'ledger');
  const { rows } = await sql<Entry>`select sequence, at, hash from ledger
    where ${entriesOf(companyId)} and sequence > ${after} order by sequence limit ${limit + 1}`.execute(db);
  const followed = rows.slice(0, -1);
  const young = followed.findIndex(({ at }) => at >= before.getTime());
  return young === -1 ? followed : followed.slice(0, young);
}

/**
 * Moves the beginning of the chain to the first remaining entry. The head keeps the hash of the last deleted
 * entry that was chained.
 */
async function moveHead(
  db: Transaction<Tables>,
  hash: KeyedHash,
  head: ChainHead,
  deleted: readonly Entry[],
): Promise<void> {
  const { sequence: upTo = 0 } = deleted.at(-1) ?? {};
  // The chain was turned off, and all of its entries are deleted.
  if (upTo >= head.sequence) {
    await db.deleteFrom('ledger_chains').where('company_id', '=', head.company_id).execute();
    return;
  }
  const chained = deleted.findLast((entry) => entry.hash !== null && entry.sequence >= head.first_sequence);
  const before = chained ?? { sequence: head.before_sequence, hash: head.before_hash };
  const moved = { before_sequence: before.sequence, before_hash: before.hash ?? '' };
  await saveHead(db, hash, { ...head, first_sequence: upTo + 1, ...moved });
}
