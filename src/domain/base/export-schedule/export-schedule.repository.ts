import { sql } from 'kysely';

import { CompanyRows, specialSql } from '../../../database/company/company-rows.js';
import { CompanyTable, recordMapping } from '../../../database/company/company-table.js';
import { instant } from '../../../database/storage.js';
import type { CompanyWriteWork, SystemReadWork } from '../../../database/work.js';
import type { ExportSchedule } from './export-schedule.model.js';

export const scheduleTable = new CompanyTable<'export_schedules', ExportSchedule>('export_schedules');
const rows = new CompanyRows('export_schedules');
const { columnsOf } = recordMapping<'export_schedules', ExportSchedule>('export_schedules');

export interface DueSchedule {
  readonly companyId: number;
  readonly id: number;
}

const MOST_DUE = 100;

async function findDue(work: SystemReadWork, column: string): Promise<readonly DueSchedule[]> {
  const { db } = specialSql(work);
  const at = sql.ref(column);
  const { rows: due } = await sql<DueSchedule>`select company_id as "companyId", id from export_schedules
    where ${at} <= ${instant.toColumn(work.now)} order by ${at}, company_id, id limit ${MOST_DUE}`.execute(
    db,
  );
  return due;
}

/** Schedules that are due, the longest overdue first. */
export const findDueSchedules = (work: SystemReadWork) => findDue(work, 'due_at');

/** Schedules with e-mails to be sent now, those that have waited longest first. */
export const findUnsentSchedules = (work: SystemReadWork) => findDue(work, 'send_at');

/** Puts off the e-mails that are due, for the node that sends them now; false if another one does. */
export async function claimUnsent(
  work: CompanyWriteWork,
  { id, sendAt }: Pick<ExportSchedule, 'id' | 'sendAt'>,
  until: Date,
): Promise<boolean> {
  const claimed = await rows.update(work, columnsOf({ id, sendAt }), columnsOf({ sendAt: until }));
  return claimed.length > 0;
}

/** Stores how an export went; the revision stays. */
export async function store(
  work: CompanyWriteWork,
  match: Pick<ExportSchedule, 'id'> & Partial<Pick<ExportSchedule, 'madeAt'>>,
  changes: Partial<ExportSchedule>,
): Promise<void> {
  await rows.update(work, columnsOf(match), columnsOf(changes));
}
