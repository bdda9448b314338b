import { sql } from 'kysely';

import { crossJoin, type Sql } from '../storage.js';
import type { FilterColumn } from './condition.js';

/** Records whose changes count as changes of a logical number: itself and its parameters. */
const ofNumber = (number: Sql): Sql => sql`select 'logical_number' as type, ${number} as id
  union all select 'parameter', own.id from parameters as own
    where own.company_id = t.company_id and own.logical_number_id = ${number}`;

const T_ID = sql.ref('t.id');
const OF_DEVICE = sql`select 'device' as type, ${T_ID} as id union all select 'device_token', ${T_ID}
  union all ${ofNumber(sql.ref('t.logical_number_id'))}`;

/** A filter by jobs that have an entry for one of some records. The index `ledger_of_job` finds it in any history. */
const byJobsOf = (records: Sql, column: string): FilterColumn => ({
  column,
  kind: 'linked',
  where: (compared) => sql`exists (select 1 from (${records}) as known ${crossJoin} ledger as made
    on made.company_id = t.company_id and made.entity_type = known.type and made.entity_id = known.id
    where made.job_id > 0 and ${compared(sql.ref('made.job_id'))})`,
});

/** A filter of logical numbers by jobs that have changed them or their parameters. */
export const numbersOfJob = byJobsOf(ofNumber(T_ID), 'id');

/** A filter of devices by jobs that have changed them, their tokens, or their logical numbers. */
export const devicesOfJob = byJobsOf(OF_DEVICE, 'logical_number_id');
