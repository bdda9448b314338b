import { sql } from 'kysely';

import { inIds } from '../../../../database/bound-lists.js';
import { CompanyRows } from '../../../../database/company/company-rows.js';
import { specialSql } from '../../../../database/company/special-sql.js';
import { instant, typed } from '../../../../database/storage.js';
import type { CompanyWriteWork, ReadWork } from '../../../../database/work.js';
import type { DeviceRefusalCode } from '../../../../platform/terminal.js';
import type { TerminalRefusal } from '../terminal.model.js';

const refusals = new CompanyRows('terminal_refusals');

/** Refusals by device id; devices that were never refused are absent. */
export async function selectRefusals(
  work: ReadWork,
  deviceIds: readonly number[],
): Promise<ReadonlyMap<number, TerminalRefusal>> {
  const rows = await refusals.select(work, { device_id: deviceIds });
  return new Map(
    rows.map((row) => [
      row.device_id,
      { code: row.code as DeviceRefusalCode, at: instant.fromColumn(row.refused_at) },
    ]),
  );
}

export interface NewRefusals {
  readonly code: DeviceRefusalCode;
  /** Deleted devices are ignored. */
  readonly deviceIds: readonly number[];
  /** A device with a refusal since this time keeps it. */
  readonly unlessSince: Date;
}

export async function storeRefusals(
  work: CompanyWriteWork,
  { code, deviceIds, unlessSince }: NewRefusals,
): Promise<void> {
  const { db, companyId } = specialSql(work);
  await sql`insert into terminal_refusals (company_id, device_id, code, refused_at)
    select company_id, id, ${typed('text', code)}, ${typed('instant', instant.toColumn(work.now))} from devices
    where company_id = ${companyId} and id ${inIds(deviceIds)}
    on conflict (company_id, device_id) do update set code = excluded.code, refused_at = excluded.refused_at
    where terminal_refusals.refused_at < ${instant.toColumn(unlessSince)}`.execute(db);
}
