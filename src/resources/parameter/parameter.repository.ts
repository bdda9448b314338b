import { sql, type RawBuilder } from 'kysely';

import { auditOf, createdBy } from '../../database/audit.js';
import { listOf } from '../../database/list/list.js';
import { OwnedRows, type OwnedRow } from '../../database/owned-rows.js';
import { amongIds, instant, pairTable } from '../../database/storage.js';
import type { Row } from '../../database/tables.js';
import type { ReadWork, WriteWork } from '../../database/work.js';
import type { Owner } from '../owner/owner.model.js';
import type { Parameter, ParameterValues } from './parameter.model.js';

function parameterOf(row: OwnedRow): Parameter {
  return {
    id: row.id,
    key: row.key,
    value: row.value,
    description: row.description ?? null,
    groupId: row.group_id,
    logicalNumberId: row.logical_number_id,
    ...auditOf(row),
  };
}

const ownParameters = (work: ReadWork) =>
  work.db.selectFrom('parameters').selectAll().where('company_id', '=', work.caller.companyId);

/** Of all these logical numbers and groups, in no promised order; one statement. */
export async function selectParametersOfOwners(
  work: ReadWork,
  logicalNumberIds: readonly number[],
  groupIds: readonly number[],
): Promise<Parameter[]> {
  const rows = await ownParameters(work)
    .where('logical_number_id', 'in', amongIds(logicalNumberIds))
    .unionAll(ownParameters(work).where('group_id', 'in', amongIds(groupIds)))
    .execute();
  return rows.map(parameterOf);
}

export const parameterRows = new OwnedRows<Parameter, ParameterValues>(
  'parameters',
  parameterOf,
  ({ key, value, description }) => ({ key, value, description }),
);

export const parameterList = listOf<'parameters', Parameter>({
  name: 'Parameter',
  isLarge: true,
  table: 'parameters',
  id: 'id',
  orders: { ID: 'id', KEY: 'key', CREATED_AT: 'created_at', UPDATED_AT: 'updated_at' },
  filters: {
    id: { column: 'id', kind: 'id' },
    key: { column: 'key', kind: 'text' },
    groupId: { column: 'group_id', kind: 'id' },
    logicalNumberId: { column: 'logical_number_id', kind: 'id' },
    createdAt: { column: 'created_at', kind: 'instant' },
    updatedAt: { column: 'updated_at', kind: 'instant' },
  },
  recordOf: parameterOf,
});

export const parametersOfGroup = parameterList.of({ column: 'group_id' });
export const parametersOfLogicalNumber = parameterList.of({ column: 'logical_number_id' });

export interface OwnedKey {
  readonly owner: Owner;
  readonly key: string;
}

/** Those that exist, in no promised order; one statement. */
export async function selectByOwnersAndKeys(work: ReadWork, keys: readonly OwnedKey[]): Promise<Parameter[]> {
  const pairs = (name: keyof Owner): [number, string][] =>
    keys.flatMap(({ owner, key }) => (owner[name] === null ? [] : [[owner[name], key]]));
  const rowsOf = (column: string, wanted: readonly [number, string][]): RawBuilder<Row<'parameters'>> =>
    sql`select p.* from ${pairTable(wanted)} cross join parameters as p
      where p.company_id = ${work.caller.companyId} and ${sql.ref(`p.${column}`)} = pair.id and p.key = pair.text`;
  const { rows } = await sql<Row<'parameters'>>`${rowsOf('logical_number_id', pairs('logicalNumberId'))}
    union all ${rowsOf('group_id', pairs('groupId'))}`.execute(work.db);
  return rows.map(parameterOf);
}

export interface Setting extends OwnedKey, ParameterValues {}

/** Creates or changes them, in no promised order; a statement for each kind of owner. */
export async function upsertParameters(work: WriteWork, settings: readonly Setting[]): Promise<Parameter[]> {
  const ofNumbers = settings.filter(({ owner }) => owner.groupId === null);
  const ofGroups = settings.filter(({ owner }) => owner.groupId !== null);
  return [
    ...(await upsert(work, 'logical_number_id', ofNumbers)),
    ...(await upsert(work, 'group_id', ofGroups)),
  ];
}

async function upsert(
  work: WriteWork,
  column: 'logical_number_id' | 'group_id',
  settings: readonly Setting[],
): Promise<Parameter[]> {
  if (settings.length === 0) return [];
  const now = instant.toColumn(work.now);
  const rows = await work.db
    .insertInto('parameters')
    .values(
      settings.map(({ owner, key, value, description }) => ({
        company_id: work.caller.companyId,
        group_id: owner.groupId,
        logical_number_id: owner.logicalNumberId,
        key,
        value,
        description,
        ...createdBy(work),
      })),
    )
    .onConflict((conflict) =>
      conflict.columns(['company_id', column, 'key']).doUpdateSet((update) => ({
        value: update.ref('excluded.value'),
        description: update.ref('excluded.description'),
        revision: sql`parameters.revision + 1`,
        updated_at: sql`case when parameters.updated_at > ${now} then parameters.updated_at else ${now} end`,
      })),
    )
    .returningAll()
    .execute();
  return rows.map(parameterOf);
}
