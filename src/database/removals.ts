/**
 * Rows that are still stored but no longer belong to a record. A change of many records stores in `removals`
 * what it removes, in one short transaction. From then on no query returns those rows, and they are deleted
 * in steps (decisions.md#removals-in-steps). A row of `removals` has one of these forms:
 *
 * - `group_id`, `logical_number_id`, `app_version_id` or `app_id` alone: this record was deleted, with all
 *   that it owns.
 * - `app_version_id` and `group_id`: the version was removed from the group, and so from its logical numbers.
 */
import { sql, type RawBuilder } from 'kysely';

type Conditions = (of: (column: string) => RawBuilder<unknown>) => readonly RawBuilder<unknown>[];

const deletedGroup = (group: RawBuilder<unknown>) =>
  sql`gone.group_id = ${group} and gone.app_version_id is null`;
const deletedNumber = (number: RawBuilder<unknown>) => sql`gone.logical_number_id = ${number}`;

const ofOwner: Conditions = (of) => [deletedGroup(of('group_id')), deletedNumber(of('logical_number_id'))];

/** Conditions, by table, for a row `gone` of `removals` that removes a row of the table. */
const REMOVED_BY: Readonly<Record<string, Conditions>> = {
  groups: (of) => [deletedGroup(of('id'))],
  logical_numbers: (of) => [deletedNumber(of('id'))],
  app_versions: (of) => [sql`gone.app_version_id = ${of('id')} and gone.group_id is null`],
  apps: (of) => [sql`gone.app_id = ${of('id')}`],
  parameters: ofOwner,
  metacontents: ofOwner,
  // A link created after the removal of the version from the group stays. With the plus, the planner looks
  // removals up by their version instead of by their id, of which most may be greater.
  logical_number_app_versions: (of) => [
    sql`gone.app_version_id = ${of('app_version_id')} and +gone.id > ${of('made_after')}
      and (gone.group_id is null or gone.group_id = (select holder.group_id from logical_numbers as holder
        where holder.company_id = ${of('company_id')} and holder.id = ${of('logical_number_id')}))`,
  ],
};

/** Whether a row of the table is removed, by a row of `removals` that also meets `more`. */
export function isRemoved(
  table: keyof typeof REMOVED_BY,
  alias: string,
  more: RawBuilder<unknown> = sql``,
): RawBuilder<boolean> {
  const of = (column: string): RawBuilder<unknown> => sql.ref(`${alias}.${column}`);
  const conditions = REMOVED_BY[table]?.(of) ?? [];
  const each = conditions.map(
    (condition) =>
      sql`exists (select 1 from removals as gone where gone.company_id = ${of('company_id')}
        and ${condition} ${more})`,
  );
  return sql<boolean>`(${sql.join(each, sql` or `)})`;
}

/** The first change that removed a row of the table; null if none did. */
export function removedBy(table: keyof typeof REMOVED_BY, alias: string): RawBuilder<number | null> {
  const of = (column: string): RawBuilder<unknown> => sql.ref(`${alias}.${column}`);
  const conditions = REMOVED_BY[table]?.(of) ?? [];
  return sql<number | null>`(select min(gone.change) from removals as gone
    where gone.company_id = ${of('company_id')} and (${sql.join(conditions, sql` or `)}))`;
}

/** `and …` for queries of a table, so that they do not return removed rows. */
export function andNotDeleted(table: string, alias: string): RawBuilder<unknown> {
  return andIfRemoving(table, sql`not ${isRemoved(table, alias)}`);
}

/**
 * `and …` with a condition for the rows of a table, which is evaluated only while something is being removed.
 * That is rare, and looked up once for each statement.
 */
export function andIfRemoving(table: string, condition: RawBuilder<unknown>): RawBuilder<unknown> {
  return table in REMOVED_BY ? sql`and (not exists (select 1 from removals) or ${condition})` : sql``;
}
