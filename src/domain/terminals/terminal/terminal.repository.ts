import { sql } from 'kysely';

import { CompanyRows, type NewRow, specialSql } from '../../../database/company/company-rows.js';
import { recordMapping } from '../../../database/company/company-table.js';
import { listOf } from '../../../database/list/list.js';
import { inIds, inList, instant, typed } from '../../../database/storage.js';
import type { CompanyWriteWork, ReadWork, SystemReadWork, WriteWork } from '../../../database/work.js';
import type { DeviceRefusalCode } from '../../../platform/errors.js';
import { hashToken } from '../../people/access-token/access-token.model.js';

const tokens = new CompanyRows('device_tokens');

export interface NewDeviceToken {
  readonly deviceId: number;
  /** The text of the token, of which only a hash and the last four characters are stored. */
  readonly secret: string;
}

/** Stores tokens of different devices. Replaces the devices' former tokens. */
export async function replaceDeviceTokens(work: WriteWork, values: readonly NewDeviceToken[]): Promise<void> {
  const rows = values.map(({ deviceId, secret }) => ({
    device_id: deviceId,
    token_hash: hashToken(secret),
    last_four: secret.slice(-4),
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
export async function selectDevicesForTokens(work: ReadWork, { after, limit, replace }: TokenStep) {
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
export async function findDeviceCredentials(work: SystemReadWork, hashes: readonly string[]) {
  const { db } = specialSql(work);
  const { rows } = await sql<DeviceCredential & { hash: string }>`select t.token_hash as hash,
      t.company_id as "companyId", t.device_id as "deviceId", t.issued_by as "issuedBy",
      d.serial_number as "serialNumber"
    from device_tokens as t join devices as d on d.company_id = t.company_id and d.id = t.device_id
    where t.token_hash ${inList('text', hashes)}`.execute(db);
  return new Map(rows.map(({ hash, ...credential }) => [hash, credential]));
}

/** The last time that the terminal of a device was refused. */
export interface TerminalRefusal {
  readonly code: DeviceRefusalCode;
  readonly at: Date;
}

const refusals = new CompanyRows('terminal_refusals');

/** The last refusal by device id; devices that were never refused are absent. One statement. */
export async function lastRefusals(work: ReadWork, devices: readonly { readonly id: number }[]) {
  const rows = await refusals.select(work, { device_id: devices.map(({ id }) => id) });
  return new Map(
    rows.map(({ device_id, code, refused_at }) => [
      device_id,
      { code: code as DeviceRefusalCode, at: instant.fromColumn(refused_at) },
    ]),
  );
}

/** Stores a refusal of devices, but for those that were refused since `unlessSince`. Ignores deleted devices. */
export async function storeRefusals(
  work: CompanyWriteWork,
  {
    code,
    deviceIds,
    unlessSince,
  }: { readonly code: DeviceRefusalCode; readonly deviceIds: readonly number[]; readonly unlessSince: Date },
): Promise<void> {
  const { db, companyId } = specialSql(work);
  await sql`insert into terminal_refusals (company_id, device_id, code, refused_at)
    select company_id, id, ${typed('text', code)}, ${typed('instant', instant.toColumn(work.now))} from devices
    where company_id = ${companyId} and id ${inIds(deviceIds)}
    on conflict (company_id, device_id) do update set code = excluded.code, refused_at = excluded.refused_at
    where terminal_refusals.refused_at < ${instant.toColumn(unlessSince)}`.execute(db);
}

/** A serial number of no device of the company that a gateway named. */
export interface UnknownTerminal {
  readonly id: number;
  readonly serialNumber: string;
  readonly firstSeenAt: Date;
  readonly lastSeenAt: Date;
  /** Number of requests. */
  readonly count: number;
}

const table = new CompanyRows('unknown_terminals');
const mapping = recordMapping<'unknown_terminals', UnknownTerminal>('unknown_terminals');

export const unknownTerminals = listOf<'unknown_terminals', UnknownTerminal>({
  name: 'UnknownTerminal',
  table: 'unknown_terminals',
  rows: 'unknown_terminals',
  id: 'id',
  ...mapping,
  orders: { ID: 'id', LAST_SEEN_AT: 'last_seen_at', SERIAL_NUMBER: 'serial_number' },
  filters: {
    id: { column: 'id', kind: 'id', isUnique: true },
    serialNumber: { column: 'serial_number', kind: 'text', isUnique: true },
    lastSeenAt: { column: 'last_seen_at', kind: 'instant' },
  },
});

export async function isUnknownTerminal(work: ReadWork, serialNumber: string): Promise<boolean> {
  return await table.exists(work, { serial_number: serialNumber });
}

/** Adds requests of different terminals to what the company has of them. */
export async function addUnknownTerminals(
  work: CompanyWriteWork,
  sightings: readonly Omit<UnknownTerminal, 'id'>[],
): Promise<void> {
  const rows = sightings.map((each) => mapping.columnsOf(each) as unknown as NewRow<'unknown_terminals'>);
  const changes = {
    last_seen_at: sql<Date>`excluded.last_seen_at`,
    count: sql<number>`unknown_terminals.count + excluded.count`,
  };
  await table.insertReturning(work, rows, { key: ['serial_number'], changes });
}

/** Deletes terminals that are devices now, and all but the `keep` seen last; at most `added` are new. */
export async function trimUnknownTerminals(work: CompanyWriteWork, added: number, keep: number) {
  const { db, companyId } = specialSql(work);
  await sql`delete from unknown_terminals where company_id = ${companyId} and exists (select 1 from devices
    where devices.company_id = ${companyId} and devices.serial_number = unknown_terminals.serial_number)`.execute(
    db,
  );
  await sql`delete from unknown_terminals where company_id = ${companyId} and id in (
    select id from unknown_terminals where company_id = ${companyId}
    order by last_seen_at desc, id desc limit ${added} offset ${keep})`.execute(db);
}
