import { sql, type RawBuilder } from 'kysely';

import { specialSql } from '../../../database/company/company-rows.js';
import { CompanyTable, type ValuesOf } from '../../../database/company/company-table.js';
import { countUpTo, type EntryCount } from '../../../database/list/request-class.js';
import { inIds, idTable, pairTable } from '../../../database/storage.js';
import type { ReadWork, WriteWork } from '../../../database/work.js';
import type { Ids } from '../../../platform/validate.js';
import type { Row } from '../../../schema/schema.js';
import type { LogicalNumberHead } from '../logical-number/logical-number.model.js';
import type { Owner, Parameter } from './setting.model.js';

export const parameterTable = new CompanyTable<'parameters', Parameter>('parameters');

/** Parameters of these logical numbers and groups, in undefined order. One statement. */
export async function selectParametersOfOwners(work: ReadWork, numberIds: Ids, groupIds: Ids) {
  const { db, companyId } = specialSql(work);
  const own = sql`select * from parameters where company_id = ${companyId}`;
  const { rows } = await sql<Row<'parameters'>>`${own} and logical_number_id ${inIds(numberIds)}
    union all ${own} and group_id ${inIds(groupIds)}`.execute(db);
  return rows.map(parameterTable.recordOf);
}

/** Count the parameters of logical numbers and of their groups, by ids of logical numbers. */
export const effectiveEntries: readonly EntryCount[] = [
  (work, max, ids) =>
    countUpTo(
      max,
      sql`from ${idTable(ids)} cross join parameters as t
        where t.company_id = ${specialSql(work).companyId} and t.logical_number_id = p.value`,
    ),
  (work, max, ids) =>
    countUpTo(
      max,
      sql`from ${idTable(ids)} cross join logical_numbers as n cross join parameters as t
        where n.company_id = ${specialSql(work).companyId} and n.id = p.value
          and t.company_id = n.company_id and t.group_id = n.group_id`,
    ),
];

/** Total bytes of the values of a logical number's parameters and of its group's parameters. */
export async function selectValueBytes(
  work: ReadWork,
  { id, groupId }: Pick<LogicalNumberHead, 'id' | 'groupId'>,
): Promise<number> {
  const { db, companyId } = specialSql(work);
  const bytesOf = (column: string, owner: number): RawBuilder<unknown> =>
    sql`select octet_length(value) as bytes from parameters
      where company_id = ${companyId} and ${sql.ref(column)} = ${owner}`;
  const { rows } = await sql<{ bytes: number | null }>`select sum(bytes) as bytes from (
    ${bytesOf('logical_number_id', id)} union all ${bytesOf('group_id', groupId ?? 0)}) as own`.execute(db);
  return rows[0]?.bytes ?? 0;
}

export type OwnedKey = Pick<Parameter, keyof Owner | 'key'>;

/** Existing parameters with these owners and keys, in undefined order. One statement. */
export async function selectByOwnersAndKeys(work: ReadWork, keys: readonly OwnedKey[]): Promise<Parameter[]> {
  const { db, companyId } = specialSql(work);
  const pairs = (name: keyof Owner): [number, string][] =>
    keys.flatMap((of) => (of[name] === null ? [] : [[of[name], of.key]]));
  const rowsOf = (column: string, wanted: readonly [number, string][]): RawBuilder<Row<'parameters'>> =>
    sql`select p.* from ${pairTable('text', wanted)} cross join parameters as p
      where p.company_id = ${companyId} and ${sql.ref(`p.${column}`)} = pair.id and p.key = pair.other`;
  const { rows } = await sql<Row<'parameters'>>`${rowsOf('logical_number_id', pairs('logicalNumberId'))}
    union all ${rowsOf('group_id', pairs('groupId'))}`.execute(db);
  return rows.map(parameterTable.recordOf);
}

export type Setting = ValuesOf<Parameter>;

/** Creates or changes parameters. Returns them in undefined order. One statement for each kind of owner. */
export async function upsertParameters(work: WriteWork, settings: readonly Setting[]): Promise<Parameter[]> {
  const ofNumbers = settings.filter(({ groupId }) => groupId === null);
  const ofGroups = settings.filter(({ groupId }) => groupId !== null);
  return [
    ...(await parameterTable.upsertMany(work, ofNumbers, ['logical_number_id', 'key'])),
    ...(await parameterTable.upsertMany(work, ofGroups, ['group_id', 'key'])),
  ];
}
