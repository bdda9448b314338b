import { CompanyTable } from '../../../database/company/company-table.js';
import { auditedList } from '../../../database/list/list.js';
import type { ReadWork } from '../../../database/work.js';
import type { LogicalNumber, LogicalNumberHead } from './logical-number.model.js';
import { selectLinksOfNumbers } from './version-links.repository.js';

export const logicalNumberTable = new CompanyTable<'logical_numbers', LogicalNumberHead>('logical_numbers');

export const logicalNumbers = auditedList(logicalNumberTable, {
  name: 'LogicalNumber',
  orders: { NUMBER: 'number' },
  filters: {
    number: { column: 'number', kind: 'text', isUnique: true },
    groupId: { column: 'group_id', kind: 'id', order: 'ID' },
  },
});

export const logicalNumbersOfGroup = logicalNumbers.of({ column: 'group_id' });
export const logicalNumbersOfAppVersion = logicalNumbers.of({
  link: 'logical_number_app_versions',
  parent: 'app_version_id',
  child: 'logical_number_id',
});

/** Adds the ids of their app versions to logical numbers; one statement. */
export async function withVersions(
  work: ReadWork,
  heads: readonly LogicalNumberHead[],
): Promise<LogicalNumber[]> {
  if (heads.length === 0) return [];
  const ids = heads.map(({ id }) => id);
  const links = Map.groupBy(await selectLinksOfNumbers(work, ids), (link) => link.logicalNumberId);
  return heads.map((head) => ({
    ...head,
    appVersionIds: links.get(head.id)?.map((link) => link.appVersionId) ?? [],
  }));
}
