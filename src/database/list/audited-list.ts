import type { Audit } from '../../platform/changes/changes.js';
import type { AuditColumns } from '../../schema/table.js';
import type { AuditedRecord, AuditedTableName, CompanyTable } from '../company/company-table.js';
import { listOf, type List } from './list.js';
import type { Listing } from './listing.js';

const AUDIT: Readonly<Record<keyof Audit, keyof AuditColumns>> = {
  revision: 'revision',
  createdAt: 'created_at',
  updatedAt: 'updated_at',
  createdBy: 'created_by',
  createdVia: 'created_via',
};

/**
 * The list of an ordinary resource. Adds the orders and filters of the id, and of the times of creation and
 * change.
 */
export function auditedList<Name extends AuditedTableName, T extends AuditedRecord>(
  { table, recordOf }: CompanyTable<Name, T>,
  own: Pick<Listing<Name, T>, 'name' | 'orders' | 'filters' | 'isLarge' | 'columns' | 'others'>,
): List<T> {
  const orders = { ID: 'id', ...own.orders, CREATED_AT: 'created_at', UPDATED_AT: 'updated_at' };
  return listOf<Name, T>({
    ...own,
    table,
    recordOf,
    rows: table,
    id: 'id' as Listing<Name, T>['id'],
    columns: { ...own.columns, ...AUDIT } as unknown as NonNullable<Listing<Name, T>['columns']>,
    orders: orders as unknown as Listing<Name, T>['orders'],
    filters: {
      id: { column: 'id', kind: 'id', isUnique: true },
      ...own.filters,
      createdAt: { column: 'created_at', kind: 'instant' },
      updatedAt: { column: 'updated_at', kind: 'instant' },
    },
  });
}
