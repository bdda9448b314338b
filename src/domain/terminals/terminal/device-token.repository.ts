import { sql } from 'kysely';

import { inList } from '../../../database/bound-lists.js';
import { CompanyRows } from '../../../database/company/company-rows.js';
import { instant } from '../../../database/storage.js';
import { type ReadWork, specialSql, type SystemReadWork, type WriteWork } from '../../../database/work.js';

const tokens = new CompanyRows('device_tokens');

export interface NewDeviceToken {
  readonly deviceId: number;
  readonly hash: string;
  readonly lastFour: string;
}

/** Stores tokens of different devices. Replaces the devices' former tokens. */
export async function replaceDeviceTokens(work: WriteWork, values: readonly NewDeviceToken[]): Promise<void> {
  const rows = values.map(({ deviceId, hash, lastFour }) => ({
    device_id: deviceId,
    token_hash: hash,
    last_four: lastFour,
    issued_by: work.caller.userId,
    issued_at: instant.toColumn(work.now),
  }));
  const changes = {
    token_hash: sql<string>`excluded.token_hash`,
    last_four: sql<string>`excluded.last_four`,
    issued_by: sql<number>`excluded.issued_by`,
    issued_at: sql<Date>`excluded.issued_at`,
  };
  await tokens.insertReturning(work, rows, { key: ['device_id'], changes });
}

/** Deletes the token of a device. Returns its last four characters; undefined if the device has none. */
export async function deleteDeviceToken(work: WriteWork, deviceId: number): Promise<string | undefined> {
  return (await tokens.delete(work, { device_id: deviceId }))[0]?.last_four;
}

/** Devices that get tokens in one step, which is one unit of work. */
export interface TokenStep {
  /** Id of the last device of the previous step; 0 for the first step. */
  readonly after: number;
  readonly limit: number;
  /** Whether devices that have a token get a new one. */
  readonly replace: boolean;
}

/** The next devices, ascending by id. */
export async function selectDevicesForTokens(
  work: ReadWork,
  { after, limit, replace }: TokenStep,
): Promise<readonly { readonly id: number; readonly serialNumber: string }[]> {
  const { db, companyId } = specialSql(work);
  const without = sql`and not exists (select 1 from device_tokens as token
    where token.company_id = ${companyId} and token.device_id = devices.id)`;
  const { rows } = await sql<{ id: number; serialNumber: string }>`
    select id, serial_number as "serialNumber" from devices
    where company_id = ${companyId} and id > ${after} ${replace ? sql`` : without}
    order by id limit ${limit}`.execute(db);
  return rows;
}

/** Device and company of a token. */
export interface DeviceCredential {
  readonly companyId: number;
  readonly deviceId: number;
  readonly serialNumber: string;
  readonly issuedBy: number;
}

/** Devices of tokens, by token hash. One statement. Deleting a device deletes its token. */
export async function findDeviceCredentials(
  work: SystemReadWork,
  hashes: readonly string[],
): Promise<ReadonlyMap<string, DeviceCredential>> {
  const { db } = specialSql(work);
  const { rows } = await sql<DeviceCredential & { hash: string }>`select t.token_hash as hash,
      t.company_id as "companyId", t.device_id as "deviceId", t.issued_by as "issuedBy",
      d.serial_number as "serialNumber"
    from device_tokens as t join devices as d on d.company_id = t.company_id and d.id = t.device_id
    where t.token_hash ${inList('text', hashes)}`.execute(db);
  return new Map(rows.map(({ hash, ...credential }) => [hash, credential]));
}
