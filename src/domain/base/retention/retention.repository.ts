import { sql, type RawBuilder } from 'kysely';

import { inIds, inList } from '../../../database/bound-lists.js';
import { specialSql } from '../../../database/company/special-sql.js';
import { inParts, notePruning, prunedUpTo, type PrunedTable } from '../../../database/prunings.js';
import type { ReadWork, SystemReadWork, SystemWriteWork } from '../../../database/work.js';
import { MINUTE, SPANS } from '../../../platform/clock.js';
import { ROLLUPS } from '../../../schema/rollups.js';
import type { Deleted, DeletedRows, Kind } from './retention.model.js';

/** Rows that one statement deletes; more would block the event loop for too long. */
const ROWS_PER_DELETE = { transactions: 50, others: 100 } as const;

const NO_COMPANY = 0;

/** Condition for deliveries that have ended. Other deliveries stay, however old they are. */
const ENDED = sql`d.state in ('delivered', 'failed', 'expired', 'cancelled')`;

/** SQL for the time of the oldest row of each kind that can be deleted, of company `c`. */
const OLDEST: Readonly<Record<Kind, RawBuilder<unknown>>> = {
  transactions: sql`select t.recorded_at from transactions as t
    where t.company_id = c.id and t.id > ${upTo('transactions')} order by t.id limit 1`,
  // The last entry of a ledger is never deleted.
  ledger: sql`select case when exists (select 1 from ledger as n where n.company_id = c.id and n.sequence = l.sequence + 1)
      then l.at end
    from ledger as l where l.company_id = c.id and l.sequence > ${upTo('ledger')} order by l.sequence limit 1`,
  deliveries: sql`select d.finished_at from notification_deliveries as d
    where d.company_id = c.id and ${ENDED} order by d.finished_at limit 1`,
  tokens: sql`select case when r.at < e.at or e.at is null then r.at else e.at end from
    (select min(revoked_at) as at from access_tokens where company_id = c.id and revoked_at is not null) as r,
    (select min(expires_at) as at from access_tokens where company_id = c.id and expires_at is not null) as e`,
};

function upTo(table: PrunedTable): RawBuilder<unknown> {
  return sql`coalesce((select p.up_to from prunings as p
    where p.company_id = c.id and p.name = ${sql.lit(table)}), 0)`;
}

/** A company and the time of its oldest row of a kind, in milliseconds since 1970; null if it has none. */
export interface CompanyAge {
  readonly id: number;
  readonly oldest: number | null;
}

/**
 * Companies with an id greater than `after`, ascending, with the age of their oldest rows. One statement that
 * reads few rows of each company.
 */
export async function selectAges(
  work: SystemReadWork,
  kind: Kind,
  after: number,
  limit: number,
): Promise<readonly CompanyAge[]> {
  const { db } = specialSql(work);
  const { rows } = await sql<CompanyAge>`select c.id, (${OLDEST[kind]}) as oldest
    from (select id from companies where id > ${after} order by id limit ${limit}) as c order by c.id`.execute(
    db,
  );
  return rows;
}

/** Time of the oldest ledger entry without a company (failed sign-ins) in ms since 1970; null if none. */
export async function selectAgeOfNoCompany(work: SystemReadWork): Promise<number | null> {
  const { db } = specialSql(work);
  const after = await prunedUpTo(db, NO_COMPANY, 'ledger');
  const { rows } = await sql<{
    at: number;
  }>`select at from ledger where company_id is null and sequence > ${after}
    order by sequence limit 2`.execute(db);
  return rows.length > 1 ? (rows[0]?.at ?? null) : null;
}

/** A row that can be deleted, and the time from which its age is measured. */
export interface AgedRow {
  readonly id: number;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** Rows of a company in the order of their deletion, after `page.after`. */
export async function selectAged(
  work: SystemReadWork,
  kind: Kind,
  companyId: number,
  page: { readonly after: AgedRow; readonly before: Date; readonly limit: number },
): Promise<readonly AgedRow[]> {
  const { db } = specialSql(work);
  const { rows } = await sql<AgedRow>`${agedRows(kind, companyId, page)} limit ${page.limit}`.execute(db);
  return rows;
}

function agedRows(
  kind: Kind,
  companyId: number,
  { after, before }: { readonly after: AgedRow; readonly before: Date },
): RawBuilder<unknown> {
  const at = new Date(after.at);
  switch (kind) {
    case 'transactions':
      return sql`select id, recorded_at as at from transactions
        where company_id = ${companyId} and id > ${after.id} order by id`;
    case 'ledger': {
      const ofCompany = companyId === NO_COMPANY ? sql`company_id is null` : sql`company_id = ${companyId}`;
      return sql`select sequence as id, at from ledger where ${ofCompany} and sequence > ${after.id}
        and sequence < (select max(sequence) from ledger where ${ofCompany}) order by sequence`;
    }
    case 'deliveries':
      return sql`select d.id, d.finished_at as at from notification_deliveries as d
        where d.company_id = ${companyId} and ${ENDED} and d.finished_at < ${before}
          and (d.finished_at, d.id) > (${at}, ${after.id}) order by d.finished_at, d.id`;
    case 'tokens':
      return sql`select id, case when revoked_at < ${before} then revoked_at else expires_at end as at
        from access_tokens where company_id = ${companyId} and id > ${after.id}
          and (revoked_at < ${before} or expires_at < ${before}) order by id`;
  }
}

interface Batch {
  readonly companyId: number;
  readonly before: Date;
  /** Maximum rows to delete. */
  readonly limit: number;
}

interface OldTransaction {
  readonly id: number;
  readonly recorded_at: number;
  readonly started_at: number;
  readonly app_name: string;
}

/**
 * Deletes the oldest transactions of a company in the order of their recording, up to the first one that must
 * be kept. Triggers subtract them from all totals; totals that become 0 are deleted too. Returns the number
 * of transactions.
 */
export async function deleteOldTransactions(
  work: SystemWriteWork,
  { companyId, before, limit }: Batch,
): Promise<number> {
  const { db } = specialSql(work);
  const after = await prunedUpTo(db, companyId, 'transactions');
  const { rows } = await sql<OldTransaction>`select id, recorded_at, started_at, app_name from transactions
    where company_id = ${companyId} and id > ${after} order by id limit ${limit}`.execute(db);
  const young = rows.findIndex((row) => row.recorded_at >= before.getTime());
  const old = young === -1 ? rows : rows.slice(0, young);
  const last = old.at(-1);
  if (last === undefined) return 0;
  await inParts(
    old.map(({ id }) => id),
    ROWS_PER_DELETE.transactions,
    (part) =>
      sql`delete from transactions where company_id = ${companyId}
      and id >= ${part[0]} and id <= ${part.at(-1)}`.execute(db),
  );
  await deleteEmptyTotals(work, companyId, old);
  const pruned = { count: old.length, upTo: last.id, newestAt: new Date(last.recorded_at) };
  await notePruning(db, companyId, 'transactions', { ...pruned, now: work.now });
  return old.length;
}

async function deleteEmptyTotals(
  work: SystemWriteWork,
  companyId: number,
  deleted: readonly OldTransaction[],
): Promise<void> {
  const { db } = specialSql(work);
  const apps = [...new Set(deleted.map((row) => row.app_name))];
  for (const span of SPANS) {
    const length = span * MINUTE;
    const starts = [...new Set(deleted.map((row) => Math.trunc(row.started_at / length) * span))];
    for (const { name: table, kind } of ROLLUPS) {
      const ofApps = kind.includes('app_name') ? sql`and app_name ${inList('text', apps)}` : sql``;
      await sql`delete from ${sql.table(table)} where company_id = ${companyId}
        and span = ${span} and start ${inIds(starts)} ${ofApps} and total = 0`.execute(db);
    }
  }
}

/** Deletes the deliveries of a company that ended first. Returns their number. */
export async function deleteEndedDeliveries(
  work: SystemWriteWork,
  { companyId, before, limit }: Batch,
): Promise<number> {
  const { db } = specialSql(work);
  const { rows } = await sql<AgedRow>`select d.id, d.finished_at as at from notification_deliveries as d
    where d.company_id = ${companyId} and ${ENDED} and d.finished_at < ${before}
    order by d.finished_at limit ${limit}`.execute(db);
  return await deleteEnded(work, companyId, 'notification_deliveries', rows);
}

/** Deletes the tokens of a company that expired or were revoked first. Returns their number. */
export async function deleteEndedTokens(
  work: SystemWriteWork,
  { companyId, before, limit }: Batch,
): Promise<number> {
  const { db } = specialSql(work);
  const { rows } = await sql<AgedRow>`select id, revoked_at as at from access_tokens
      where company_id = ${companyId} and revoked_at is not null and revoked_at < ${before}
    union select id, expires_at as at from access_tokens
      where company_id = ${companyId} and expires_at is not null and expires_at < ${before}
    order by at, id limit ${limit}`.execute(db);
  const once = [...new Map(rows.map((row) => [row.id, row])).values()];
  return await deleteEnded(work, companyId, 'access_tokens', once);
}

async function deleteEnded(
  work: SystemWriteWork,
  companyId: number,
  table: 'notification_deliveries' | 'access_tokens',
  rows: readonly AgedRow[],
): Promise<number> {
  const { db } = specialSql(work);
  const last = rows.at(-1);
  if (last === undefined) return 0;
  await inParts(rows, ROWS_PER_DELETE.others, (part) =>
    sql`delete from ${sql.table(table)} where company_id = ${companyId}
      and id ${inIds(part.map(({ id }) => id))}`.execute(db),
  );
  const pruned = { count: rows.length, upTo: 0, newestAt: new Date(last.at) };
  await notePruning(db, companyId, table, { ...pruned, now: work.now });
  return rows.length;
}

const NOTHING: Deleted = { count: 0, upTo: 0, newestAt: null };

/** Statistics of the deleted rows of the caller's company. One statement. */
export async function selectDeleted(work: ReadWork): Promise<DeletedRows> {
  const { db, companyId } = specialSql(work);
  const rows = await db
    .selectFrom('prunings')
    .selectAll()
    .where('company_id', '=', companyId)
    .where('name', 'in', ['ledger', 'transactions', 'notification_deliveries'])
    .execute();
  const byName = new Map(
    rows.map((row): [string, Deleted] => [
      row.name,
      { count: row.total, upTo: row.up_to, newestAt: new Date(row.newest_at) },
    ]),
  );
  return {
    ledger: byName.get('ledger') ?? NOTHING,
    transactions: byName.get('transactions') ?? NOTHING,
    deliveries: byName.get('notification_deliveries') ?? NOTHING,
  };
}

const KIND_OF: Readonly<Record<string, Kind>> = {
  transactions: 'transactions',
  ledger: 'ledger',
  notification_deliveries: 'deliveries',
  access_tokens: 'tokens',
};

/** Number of deleted rows of all companies, by kind. */
export async function selectDeletedByTable(work: SystemReadWork): Promise<Readonly<Record<string, number>>> {
  const { db } = specialSql(work);
  const { rows } = await sql<{ name: string; total: number }>`select name, sum(total) as total from prunings
    group by name`.execute(db);
  return Object.fromEntries(rows.map(({ name, total }) => [KIND_OF[name] ?? name, total]));
}
