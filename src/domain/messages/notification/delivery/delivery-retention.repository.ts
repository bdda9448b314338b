import { sql } from 'kysely';

import { specialSql } from '../../../../database/company/special-sql.js';
import { deleteAged, type AgedRow, type Retained } from '../../../../database/prunings.js';

/** Condition for deliveries that have ended. Other deliveries stay, however old they are. */
const ENDED = sql`d.state in ('delivered', 'failed', 'expired', 'cancelled')`;

/** Deliveries, by the time of their end. */
export const deliveryRetention: Retained = {
  kind: 'deliveries',
  table: 'notification_deliveries',
  rowsPerUnit: 400,
  oldest: sql`select d.finished_at from notification_deliveries as d
    where d.company_id = c.id and ${ENDED} order by d.finished_at limit 1`,
  aged: (companyId, before) =>
    sql`select d.finished_at as at from notification_deliveries as d
      where d.company_id = ${companyId} and ${ENDED} and d.finished_at < ${before}`,
  deleteOld: async (work, { companyId, before, limit }) => {
    const { db } = specialSql(work);
    const { rows } = await sql<AgedRow>`select d.id, d.finished_at as at from notification_deliveries as d
      where d.company_id = ${companyId} and ${ENDED} and d.finished_at < ${before}
      order by d.finished_at limit ${limit}`.execute(db);
    return await deleteAged(work, companyId, 'notification_deliveries', rows);
  },
};
