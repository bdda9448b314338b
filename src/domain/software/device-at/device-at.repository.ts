import { sql } from 'kysely';

import { specialSql } from '../../../database/company/company-rows.js';
import { idTable, indexedBy, inList, jsonText } from '../../../database/storage.js';
import type { EntityTypeName, ReadWork } from '../../../database/work.js';
import type { Ids } from '../../../platform/validate.js';

/** Entries among which the last one at a time is looked for: the clocks of nodes differ by some milliseconds. */
const NEAR = 100;

/** Sequence of the last entry that was made until a time; null if there is none. */
export async function selectPosition(work: ReadWork, at: Date): Promise<number | null> {
  const { db, companyId } = specialSql(work);
  const { rows } = await sql<{ sequence: number | null }>`select max(sequence) as sequence from (
    select sequence from ledger where company_id = ${companyId} and at <= ${at}
    order by at desc, sequence desc limit ${NEAR}) as near`.execute(db);
  return rows[0]?.sequence ?? null;
}

/**
 * The changes of records next to a position of the ledger: the sequence of the last one up to it, null if none is kept, and
 * that of the next one, with the record before it as JSON text, null if it created the record. One statement.
 */
export async function selectAround(work: ReadWork, type: EntityTypeName, ids: Ids, position: number) {
  const { db, companyId } = specialSql(work);
  const of = sql`company_id = ${companyId} and entity_id = p.value and entity_type = ${type}`;
  const { rows } = await sql<{
    id: number;
    last: number | null;
    next: number | null;
    before: string | null;
  }>`select p.value as id, n.sequence as next, n.before as before,
      (select max(sequence) from ledger where ${of} and sequence <= ${position}) as last
    from ${idTable(ids)} left join ledger as n on n.company_id = ${companyId}
      and n.sequence = (select min(sequence) from ledger where ${of} and sequence > ${position})`.execute(db);
  return rows;
}

/** Changes that one record shows at most. */
const MAX_CHANGES = 1_000;

/**
 * Creation and changes of these fields of a record up to a position, the newest first, at most 1,000, without reports of
 * terminals, which are many. One statement.
 */
export async function selectChangesOf<T extends object>(
  work: ReadWork,
  [type, id]: readonly [EntityTypeName, number],
  fields: readonly (keyof T & string)[],
  position: number,
) {
  const { db, companyId } = specialSql(work);
  const differs = fields.map(
    (field) => sql`${jsonText('e.before', field)} is distinct from ${jsonText('e.after', field)}`,
  );
  const { rows } = await sql<{
    sequence: number;
    before: string | null;
    after: string;
  }>`select e.sequence, e.before, e.after from ledger as e
    where e.company_id = ${companyId} and e.entity_id = ${id} and e.entity_type = ${type}
      and e.sequence <= ${position} and e.after is not null and e.action <> 'report' and (${sql.join(differs, sql` or `)})
    order by e.sequence desc limit ${MAX_CHANGES}`.execute(db);
  return rows.map(({ sequence, before, after }) => ({
    sequence,
    before: JSON.parse(before ?? '{}') as Partial<T>,
    after: JSON.parse(after) as T,
  }));
}

/** Ids of records that were deleted after a position and had one of these values in a field, the earliest first. */
export async function selectDeletedAfter(
  work: ReadWork,
  type: EntityTypeName,
  values: Readonly<Record<string, readonly (string | number)[]>>,
  position: number,
): Promise<Ids> {
  const { db, companyId } = specialSql(work);
  const had = Object.entries(values).map(
    ([field, some]) => sql`cast(${jsonText('e.before', field)} as text) ${inList('text', some.map(String))}`,
  );
  const { rows } = await sql<{ id: number }>`select e.entity_id as id
    from ${indexedBy('ledger', 'e', 'ledger_by_action_sequence')}
    where e.company_id = ${companyId} and e.action = 'delete' and e.sequence > ${position}
      and e.entity_type = ${type} and (${sql.join(had, sql` or `)})
    order by e.sequence`.execute(db);
  return rows.map(({ id }) => id);
}
