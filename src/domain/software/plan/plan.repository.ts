import { sql } from 'kysely';

import { only, specialSql } from '../../../database/company/company-rows.js';
import { inIds } from '../../../database/storage.js';
import type { ReadWork } from '../../../database/work.js';
import type { Ids } from '../../../platform/validate.js';

/** Number of devices that have one of these ids, a logical number of these, or one of these groups. One statement. */
export async function countTerminals(work: ReadWork, devices: Ids, numbers: Ids, groups: Ids) {
  const { db, companyId } = specialSql(work);
  const { rows } = await sql<{ total: number }>`select count(*) as total from (
      select id from devices where company_id = ${companyId} and id ${inIds(devices)}
      union select id from devices where company_id = ${companyId} and logical_number_id ${inIds(numbers)}
      union select d.id from logical_numbers as n
        join devices as d on d.company_id = n.company_id and d.logical_number_id = n.id
        where n.company_id = ${companyId} and n.group_id ${inIds(groups)}) as affected`.execute(db);
  return only(rows).total;
}
