import { sql } from 'kysely';

import type { Db } from '../table-builders.js';

const ADD = `insert into counters (company_id, name, total) values (new.company_id, 'queued_deliveries', 1)
  on conflict (company_id, name) do update set total = total + 1;`;
const SUBTRACT = `update counters set total = total - 1
  where company_id = old.company_id and name = 'queued_deliveries';`;
const TRIGGERS = [
  `create trigger notification_deliveries_queued_in after insert on notification_deliveries
    when new.state = 'queued' begin ${ADD} end`,
  `create trigger notification_deliveries_queued_out after delete on notification_deliveries
    when old.state = 'queued' begin ${SUBTRACT} end`,
  `create trigger notification_deliveries_requeued after update of state on notification_deliveries
    when new.state = 'queued' and old.state <> 'queued' begin ${ADD} end`,
  `create trigger notification_deliveries_unqueued after update of state on notification_deliveries
    when new.state <> 'queued' and old.state = 'queued' begin ${SUBTRACT} end`,
];

/** Counts the queued deliveries of each company, so that their metric reads no deliveries. */
export async function up(db: Db): Promise<void> {
  await sql`insert into counters (company_id, name, total)
    select company_id, 'queued_deliveries', count(*) from notification_deliveries where state = 'queued'
    group by company_id
    on conflict (company_id, name) do update set total = excluded.total`.execute(db);
  for (const trigger of TRIGGERS) await sql.raw(trigger).execute(db);
}
