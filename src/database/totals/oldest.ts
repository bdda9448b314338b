/**
 * SQL for both databases: the time of the oldest row of each kind that retention deletes, over all companies.
 */
export const OLDEST_ROWS = {
  transactions: `select min(oldest) as at from (select (select t.recorded_at from transactions as t
    where t.company_id = c.id order by t.id limit 1) as oldest from companies as c) as found`,
  ledger: `select min(oldest) as at from (select (select l.at from ledger as l
    where l.company_id = c.id order by l.sequence limit 1) as oldest from companies as c) as found`,
  deliveries: `select min(oldest) as at from (select (select min(d.finished_at) from notification_deliveries as d
    where d.company_id = c.id and d.state in ('delivered', 'failed', 'expired', 'cancelled')) as oldest
    from companies as c) as found`,
} as const;

/** Time of the oldest row by kind; null if there is no such row. */
export type Oldest = Readonly<Record<string, Date | null>>;
