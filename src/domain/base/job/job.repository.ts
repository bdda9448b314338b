import { sql } from 'kysely';

import { CompanyRows, specialSql } from '../../../database/company/company-rows.js';
import { CompanyTable, recordMapping } from '../../../database/company/company-table.js';
import { auditedList, listOf } from '../../../database/list/list.js';
import { movesOf } from '../../../database/list/moves.js';
import { retainedBy } from '../../../database/prunings.js';
import type { SystemReadWork } from '../../../database/work.js';
import type { Job, JobRejection } from './job.model.js';

const MAX_REJECTIONS = 100_000;

export const jobTable = new CompanyTable<'jobs', Job>('jobs');
export const jobParts = new CompanyRows('job_parts');
export const rejections = new CompanyRows('job_rejections');

export const jobs = auditedList(jobTable, {
  name: 'Job',
  orders: {},
  filters: { state: { column: 'state', kind: 'choice', order: 'ID' } },
});

export const rejectionList = listOf<'job_rejections', JobRejection>({
  name: 'JobRejection',
  table: 'job_rejections',
  rows: MAX_REJECTIONS,
  id: 'id',
  ...recordMapping<'job_rejections', JobRejection>('job_rejections'),
  orders: { ID: 'id' },
  filters: {},
});

export const rejectionsOfJob = rejectionList.of({ column: 'job_id' });

export const { newRows: jobNewRows, nextSequence } = movesOf('jobs', 'Job', jobTable.recordOf);

interface OpenJob {
  readonly companyId: number;
  readonly id: number;
}

/** The oldest job that has not ended, of the first company after `companyId` that has one. */
export async function findOpenAfter(work: SystemReadWork, companyId: number): Promise<OpenJob | undefined> {
  const { db } = specialSql(work);
  const { rows } = await sql<OpenJob>`select company_id as "companyId", id from jobs
    where ended_at is null and company_id > ${companyId} order by company_id, id limit 1`.execute(db);
  return rows[0];
}

export const jobRetention = retainedBy('ended_at', 'ended_at is not null', {
  kind: 'jobs',
  table: 'jobs',
  rowsPerUnit: 10,
});
