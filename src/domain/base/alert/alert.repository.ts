import { sql } from 'kysely';

import {
  CompanyRows,
  drawPosition,
  specialSql,
  type OfCompany,
} from '../../../database/company/company-rows.js';
import { CompanyTable, recordMapping } from '../../../database/company/company-table.js';
import { auditedList, listOf } from '../../../database/list/list.js';
import { retainedBy } from '../../../database/prunings.js';
import type { SystemReadWork, WriteWork } from '../../../database/work.js';
import type { Alert, AlertChange, AlertRule } from './alert.model.js';

const ALERT_CHANGES = 'alert_changes';

export const ruleTable = new CompanyTable<'alert_rules', AlertRule>('alert_rules');
export const alertRows = new CompanyRows('alerts');

export const alertRules = auditedList(ruleTable, {
  name: 'AlertRule',
  orders: { NAME: 'name' },
  filters: {},
});

const mapping = recordMapping<'alerts', Alert>('alerts');
export const { columnsOf, recordOf } = mapping;

const IS_OPEN = sql`(t.closed_at is null)`;

export const alerts = listOf<'alerts', Alert>({
  name: 'Alert',
  table: 'alerts',
  rows: 'alerts',
  id: 'id',
  ...mapping,
  orders: { ID: 'id' },
  filters: {
    ruleId: { column: 'rule_id', kind: 'id', order: 'ID' },
    open: { column: 'closed_at', kind: 'flag', where: (compared) => compared(IS_OPEN) },
  },
});

const changes = listOf<'alerts', AlertChange>({
  name: 'AlertChange',
  table: 'alerts',
  rows: 'alerts',
  id: 'sequence',
  orders: { ID: 'sequence' },
  filters: {},
  recordOf: (row) => ({ id: row.sequence, alert: recordOf(row) }),
});

export const alertNewRows = changes.movedRows('alerts_by_sequence', ALERT_CHANGES);

/** The open alert of a rule. */
export async function findOpen(work: OfCompany<SystemReadWork>, ruleId: number): Promise<Alert | undefined> {
  const row = await alertRows.find(work, { rule_id: ruleId, closed_at: null });
  return row && recordOf(row);
}

/** The position of the change of an alert that this unit makes. */
export const nextSequence = (work: WriteWork): Promise<number> => drawPosition(work, ALERT_CHANGES);

/** Companies with rules, ascending, after `companyId`. */
export async function companiesWithRules(work: SystemReadWork, companyId: number, limit: number) {
  const { db } = specialSql(work);
  const { rows } = await sql<{ id: number }>`select distinct company_id as id from alert_rules
    where company_id > ${companyId} order by company_id limit ${limit}`.execute(db);
  return rows.map(({ id }) => id);
}

export const alertRetention = retainedBy('closed_at', 'closed_at is not null', {
  kind: 'alerts',
  table: 'alerts',
  rowsPerUnit: 100,
});
