import { sql } from 'kysely';

import { CompanyRows, specialSql, type OfCompany } from '../../../database/company/company-rows.js';
import { CompanyTable, recordMapping } from '../../../database/company/company-table.js';
import { auditedList, listOf } from '../../../database/list/list.js';
import { movesOf } from '../../../database/list/moves.js';
import { retainedBy } from '../../../database/prunings.js';
import type { SystemReadWork } from '../../../database/work.js';
import type { Alert, AlertRule } from './alert.model.js';

export const ruleTable = new CompanyTable<'alert_rules', AlertRule>('alert_rules');
export const alertRows = new CompanyRows('alerts');

export const alertRules = auditedList(ruleTable, {
  name: 'AlertRule',
  orders: { NAME: 'name' },
  filters: { name: { column: 'name', kind: 'text' } },
});

const mapping = recordMapping<'alerts', Alert>('alerts');
export const { columnsOf, recordOf } = mapping;

const IS_ACKNOWLEDGED = sql`(t.acknowledged_at is not null)`;

export const alerts = listOf<'alerts', Alert>({
  name: 'Alert',
  table: 'alerts',
  rows: 'alerts',
  id: 'id',
  ...mapping,
  orders: { ID: 'id' },
  filters: {
    ruleId: { column: 'rule_id', kind: 'id', order: 'ID' },
    open: { column: 'closed_at', kind: 'flag', where: (compared) => compared(sql`(t.closed_at is null)`) },
    acknowledged: { column: 'acknowledged_at', kind: 'flag', where: (compared) => compared(IS_ACKNOWLEDGED) },
  },
});

export const { newRows: alertNewRows, nextSequence } = movesOf('alerts', 'Alert', recordOf);

export async function findOpen(work: OfCompany<SystemReadWork>, ruleId: number): Promise<Alert | undefined> {
  const row = await alertRows.find(work, { rule_id: ruleId, closed_at: null });
  return row && recordOf(row);
}

export async function companiesWithRules(work: SystemReadWork) {
  const { db } = specialSql(work);
  const { rows } = await sql<{ id: number }>`select distinct company_id as id from alert_rules`.execute(db);
  return rows.map(({ id }) => id);
}

export const alertRetention = retainedBy('closed_at', 'closed_at is not null', {
  kind: 'alerts',
  table: 'alerts',
  rowsPerUnit: 100,
});
