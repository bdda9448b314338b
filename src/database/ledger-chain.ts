/**
 * Hash chain of the ledger: each entry of a company has a keyed hash of its content and of the previous chained
 * entry. The key comes from the token secret: who can only edit the database cannot compute a hash. The head has a
 * row of its own, so that a cut at the end is detected.
 */
import { sql, type Transaction } from 'kysely';

import { inParts } from '../platform/concurrency/event-loop.js';
import type { KeyedHash } from '../platform/hashes.js';
import { columnNames, type Row, type Tables, type Written } from '../schema/schema.js';
import { notePruning, prunedUpTo, ROWS_PER_DELETE, type OldBatch } from './prunings.js';
import { insertRows, runCached, type Ending } from './statements.js';
import type { Sql } from './storage.js';
import type { SystemReadWork, SystemWriteWork } from './work.js';

/** Company id of entries without a company, for example of a sign-in with an unknown e-mail address. */
export const NO_COMPANY = 0;

const entriesOf = (companyId: number): Sql =>
  companyId === NO_COMPANY ? sql`company_id is null` : sql`company_id = ${companyId}`;

export type LedgerRow = Omit<Written<Tables['ledger']>, 'position' | 'hash'>;

/** A chained entry that the next one is linked to; `{ sequence: 0, hash: '' }` before the first. */
export interface Link {
  readonly sequence: number;
  readonly hash: string;
}

export const NO_LINK: Link = { sequence: 0, hash: '' };

export type ChainHead = Row<'ledger_chains'>;

/** Values that the hash of an entry covers: every column except its position among the entries of all companies. */
export function hashedValues(row: LedgerRow | Omit<Row<'ledger'>, 'position' | 'hash'>, before: Link) {
  return [
    row.company_id,
    row.sequence,
    before.sequence,
    before.hash,
    Number(row.at),
    row.user_id,
    row.token_id,
    row.channel,
    row.action,
    row.entity_type,
    row.entity_id,
    row.before,
    row.after,
    row.request_id,
    row.ip,
    row.job_id,
  ];
}

export function sealedValues(head: Omit<ChainHead, 'seal'>): (string | number)[] {
  return [
    'head',
    head.company_id,
    head.first_sequence,
    head.before_sequence,
    head.before_hash,
    head.sequence,
    head.hash,
    head.key_fingerprint,
  ];
}

/**
 * Inserts new entries with hashes, in the order of their sequences, and moves the heads of their companies, in three
 * statements. An entry is linked to the last chained one, even if entries between them have no hash.
 */
export async function insertChained(
  db: Transaction<Tables>,
  hash: KeyedHash,
  rows: readonly LedgerRow[],
): Promise<void> {
  const companyIds = [...new Set(rows.map(companyOf))];
  const stored = await runCached<ChainHead>(
    db,
    `chain heads of ${companyIds.length}`,
    companyIds,
    () => sql`select ${sql.join(HEAD_COLUMNS.map((name) => sql.ref(name)))} from ledger_chains
      where company_id in (${sql.join(companyIds)})`,
  );
  const heads = new Map(stored.map((head) => [head.company_id, head]));
  const linked = rows.map((row) => {
    const companyId = companyOf(row);
    const last = heads.get(companyId);
    const before = last ?? NO_LINK;
    const link = { sequence: row.sequence, hash: hash.of(hashedValues(row, before)) };
    // The verifiable part begins anew if the key differs from that of the last entry.
    const head = last?.key_fingerprint === hash.keyId ? last : newHead(hash, companyId, row.sequence, before);
    heads.set(companyId, { ...head, ...link });
    return { ...row, hash: link.hash };
  });
  await Promise.all([saveHeads(db, hash, [...heads.values()]), insertRows(db, 'ledger', linked)]);
}

const companyOf = (row: Pick<LedgerRow, 'company_id'>): number => row.company_id ?? NO_COMPANY;

const newHead = (hash: KeyedHash, companyId: number, sequence: number, before: Link) => ({
  company_id: companyId,
  first_sequence: sequence,
  before_sequence: before.sequence,
  before_hash: before.hash,
  key_fingerprint: hash.keyId,
  seal: '',
});

const HEAD_COLUMNS = columnNames('ledger_chains');
const REPLACED = HEAD_COLUMNS.map((name) => sql`${sql.ref(name)} = ${sql.ref(`excluded.${name}`)}`);
const OR_REPLACE: Ending = {
  name: 'or replace',
  sql: sql`on conflict (company_id) do update set ${sql.join(REPLACED)}`,
};

async function saveHeads(db: Transaction<Tables>, hash: KeyedHash, heads: readonly ChainHead[]) {
  const sealed = heads.map((head) => ({ ...head, seal: hash.of(sealedValues(head)) }));
  await insertRows(db, 'ledger_chains', sealed, OR_REPLACE);
}

/** Entries per page. One entry may have half a megabyte. */
const PAGE_SIZE = 50;

/** Entries with sequences after `after`, up to `upTo`, ascending; at most 50. */
export async function selectEntries(
  { db }: SystemReadWork,
  companyId: number,
  { after, upTo }: { readonly after: number; readonly upTo: number },
): Promise<readonly Row<'ledger'>[]> {
  const { rows } = await sql<Row<'ledger'>>`select * from ledger
    where ${entriesOf(companyId)} and sequence > ${after} and sequence <= ${upTo}
    order by sequence limit ${PAGE_SIZE}`.execute(db);
  return rows;
}

export interface ChainState {
  readonly companyId: number;
  /** Name of the company, or `no company` for entries without one. */
  readonly name: string;
  readonly head: ChainHead | null;
  /** Sequence of the last entry, with or without a hash; 0 if there is none. */
  readonly last: number;
  /** Entries that retention has deleted, up to the sequence `upTo`, and the time of the last one; null if none. */
  readonly pruned: { readonly upTo: number; readonly newestAt: Date } | null;
}

/** States of all companies by name, including those without entries, and of the entries without a company. */
export async function selectStates({ db }: SystemReadWork): Promise<readonly ChainState[]> {
  const companies = await db.selectFrom('companies').select(['id', 'name']).orderBy('name').execute();
  const heads = await db.selectFrom('ledger_chains').selectAll().execute();
  const pruned = await db.selectFrom('prunings').selectAll().where('name', '=', 'ledger').execute();
  const { rows: last } = await sql<{ company_id: number; sequence: number }>`
    select coalesce(company_id, ${NO_COMPANY}) as company_id, max(sequence) as sequence from ledger
    group by company_id`.execute(db);
  const byCompany = <Row extends { company_id: number }>(rows: readonly Row[]) =>
    new Map(rows.map((row) => [row.company_id, row]));
  const [headOf, pruningOf, lastOf] = [byCompany(heads), byCompany(pruned), byCompany(last)];
  return [...companies, { id: NO_COMPANY, name: 'no company' }].map(({ id, name }) => {
    const pruning = pruningOf.get(id);
    return {
      companyId: id,
      name,
      head: headOf.get(id) ?? null,
      last: lastOf.get(id)?.sequence ?? 0,
      pruned: pruning === undefined ? null : { upTo: pruning.up_to, newestAt: new Date(pruning.newest_at) },
    };
  });
}

type Entry = Pick<Row<'ledger'>, 'sequence' | 'at' | 'hash'>;

/**
 * Deletes the oldest entries, but not the last one, which shows losses, nor those chained with another token secret.
 * Returns their number. Must be called in a unit that waits for those of the company.
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
  for await (const part of inParts(old, ROWS_PER_DELETE)) {
    await sql`delete from ledger where ${entriesOf(companyId)}
      and sequence >= ${part[0]?.sequence} and sequence <= ${part.at(-1)?.sequence}`.execute(db);
  }
  return old.length;
}

/** The oldest entries up to the first one that is not old, without the last entry of the ledger. */
async function oldEntries(db: Transaction<Tables>, companyId: number, before: Date, limit: number) {
  const after = await prunedUpTo(db, companyId, 'ledger');
  const { rows } = await sql<Entry>`select sequence, at, hash from ledger
    where ${entriesOf(companyId)} and sequence > ${after} order by sequence limit ${limit + 1}`.execute(db);
  const followed = rows.slice(0, -1);
  const young = followed.findIndex(({ at }) => at >= before.getTime());
  return young === -1 ? followed : followed.slice(0, young);
}

/** Moves the beginning of the chain to the first remaining entry; the head keeps the hash of the last deleted one. */
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
  await saveHeads(db, hash, [{ ...head, first_sequence: upTo + 1, ...moved }]);
}
