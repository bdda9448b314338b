import { sql } from 'kysely';

import {
  CompanyRows,
  excluded,
  type NewRow,
  type OfCompany,
  specialSql,
} from '../../../database/company/company-rows.js';
import { recordMapping } from '../../../database/company/company-table.js';
import { listOf } from '../../../database/list/list.js';
import { flag, inIds, inList, instant, typed } from '../../../database/storage.js';
import type {
  CompanyWriteWork,
  ReadWork,
  SystemReadWork,
  SystemWriteWork,
  WriteWork,
} from '../../../database/work.js';
import type { DeviceRefusalCode } from '../../../platform/errors.js';
import type { RecordOf, Row } from '../../../schema/schema.js';
import { hashToken } from '../../people/access-token/access-token.model.js';

const tokens = new CompanyRows('device_tokens');

/** The token of a device, and the one before it; of both, only hashes and the last four characters are stored. */
type DeviceToken = RecordOf<'device_tokens', object, never>;

const { recordOf: tokenOf, columnsOf } = recordMapping<'device_tokens', DeviceToken, never>(
  'device_tokens',
  [],
);

/** The token that works on beside a new one; null if there is none. Without an end, until the new one is used. */
export type OldToken = Pick<DeviceToken, 'oldHash' | 'oldLastFour' | 'oldUntil'>;
export type StoredToken = Pick<DeviceToken, 'tokenHash' | 'lastFour' | 'isUsed'> & OldToken;

export interface NewDeviceToken extends OldToken {
  readonly deviceId: number;
  readonly secret: string;
  /** The job that has issued it; null for a token that was issued alone. */
  readonly jobId: number | null;
}

/** Tokens by device id. One statement. */
export async function selectDeviceTokens(work: ReadWork, deviceIds: readonly number[]) {
  const rows = await tokens.select(work, { device_id: deviceIds });
  return new Map(rows.map((row) => [row.device_id, tokenOf(row)]));
}

/** Stores tokens of different devices, in place of those that the devices have. */
export async function replaceDeviceTokens(work: WriteWork, values: readonly NewDeviceToken[]): Promise<void> {
  const issued = { isUsed: false, issuedBy: work.caller.userId, issuedAt: work.now };
  const rows = values.map(({ secret, ...token }) => {
    const stored = { tokenHash: hashToken(secret), lastFour: secret.slice(-4) };
    return columnsOf({ ...token, ...stored, ...issued }) as unknown as NewRow<'device_tokens'>;
  });
  const columns = Object.keys(rows[0] ?? {}).filter((name) => name !== 'device_id');
  await tokens.insertReturning(work, rows, { key: ['device_id'], changes: excluded(columns) });
}

/** Stores that the present token of a device was used, which ends an old one without another end. */
export async function markTokenUsed(
  work: OfCompany<SystemWriteWork>,
  { deviceId, tokenHash, oldUntil }: DeviceCredential,
): Promise<void> {
  const old_until = instant.toColumn(oldUntil ?? work.now);
  const match = { device_id: deviceId, token_hash: tokenHash };
  await tokens.update(work, match, { is_used: flag.toColumn(true), old_until });
}

/** Deletes the tokens of a device. Returns what was stored; undefined if the device has none. */
export async function deleteDeviceToken(work: WriteWork, deviceId: number): Promise<StoredToken | undefined> {
  return (await tokens.delete(work, { device_id: deviceId })).map(tokenOf)[0];
}

/** Present tokens that a job has issued, ascending by device, without their texts. One statement. */
export async function selectTokensOfJob(work: ReadWork, jobId: number, after: number, limit: number) {
  const { db, companyId } = specialSql(work);
  const { rows } = await sql<{ deviceId: number; hash: string; serialNumber: string }>`
    select t.device_id as "deviceId", t.token_hash as hash, d.serial_number as "serialNumber"
    from device_tokens as t join devices as d on d.company_id = ${companyId} and d.id = t.device_id
    where t.company_id = ${companyId} and t.job_id = ${jobId} and t.device_id > ${after}
    order by t.device_id limit ${limit}`.execute(db);
  return rows;
}

/** Devices that get tokens in one step, which is one unit of work. */
export interface TokenStep {
  /** Id of the last device of the previous step; 0 for the first step. */
  readonly after: number;
  readonly limit: number;
  /** True if devices that have a token get a new one. */
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

/** Device and company of a token, old or new. */
export type DeviceCredential = DeviceToken & { readonly serialNumber: string };

/** Devices of tokens, by token hash; of old ones too, also after their end. One statement. */
export async function findDeviceCredentials(work: SystemReadWork, hashes: readonly string[]) {
  const { db } = specialSql(work);
  const rowsWith = (column: string) => sql`select ${sql.ref(column)} as hash, t.*, d.serial_number
    from device_tokens as t join devices as d on d.company_id = t.company_id and d.id = t.device_id
    where ${sql.ref(column)} ${inList('text', hashes)}`;
  const { rows } = await sql<Row<'device_tokens'> & { hash: string; serial_number: string }>`
    ${rowsWith('t.token_hash')} union all ${rowsWith('t.old_hash')}`.execute(db);
  return new Map(rows.map((row) => [row.hash, { ...tokenOf(row), serialNumber: row.serial_number }]));
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

/** Number of devices whose terminal was refused since a time. One statement. */
export async function countRefusedSince(work: ReadWork, since: Date): Promise<number> {
  const { db, companyId } = specialSql(work);
  const { rows } = await sql<{ total: number }>`select count(*) as total from terminal_refusals
    where company_id = ${companyId} and refused_at >= ${since}`.execute(db);
  return rows[0]?.total ?? 0;
}

/** Serial numbers of the devices that were refused last, since a time. One statement. */
export async function refusedSince(work: ReadWork, since: Date, limit: number): Promise<readonly string[]> {
  const { db, companyId } = specialSql(work);
  const { rows } = await sql<{ name: string }>`select d.serial_number as name
    from (select device_id, refused_at from terminal_refusals where company_id = ${companyId} and refused_at >= ${since}
      order by refused_at desc, device_id limit ${limit}) as r
    join devices as d on d.company_id = ${companyId} and d.id = r.device_id
    order by r.refused_at desc, r.device_id`.execute(db);
  return rows.map(({ name }) => name);
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
export type UnknownTerminal = RecordOf<'unknown_terminals'>;

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
  lastSeenTimes: readonly Omit<UnknownTerminal, 'id'>[],
): Promise<void> {
  const rows = lastSeenTimes.map((each) => mapping.columnsOf(each) as unknown as NewRow<'unknown_terminals'>);
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
