import { sql } from 'kysely';

import { CompanyRows, excluded, only, specialSql } from '../../../database/company/company-rows.js';
import { recordMapping } from '../../../database/company/company-table.js';
import { listOf } from '../../../database/list/list.js';
import { retainedBy } from '../../../database/prunings.js';
import { inIds, instant } from '../../../database/storage.js';
import type { ReadWork, WriteWork } from '../../../database/work.js';
import { inParts } from '../../../platform/concurrency/event-loop.js';
import type { DeviceLog, LogPart, PackedChunk } from './device-log.model.js';

const logs = new CompanyRows('device_logs');
const chunks = new CompanyRows('device_log_chunks');
const mapping = recordMapping<'device_logs', DeviceLog>('device_logs');

export const deviceLogs = listOf<'device_logs', DeviceLog>({
  name: 'DeviceLog',
  table: 'device_logs',
  rows: 'device_logs',
  id: 'id',
  ...mapping,
  orders: { ID: 'id' },
  filters: {
    id: { column: 'id', kind: 'id', isUnique: true },
    deviceId: { column: 'device_id', kind: 'id', order: 'ID' },
  },
});

export const logsOfDevice = deviceLogs.of({ column: 'device_id' });

export const logRetention = retainedBy('created_at', 'created_at is not null', {
  kind: 'logs',
  table: 'device_logs',
  // Up to 50 parts may be deleted with each of them.
  rowsPerUnit: 100,
});

/** The log of a device with a name and time; a new one if there is none. */
export async function findOrCreateLog(work: WriteWork, deviceId: number, part: LogPart, at: Date) {
  const row = {
    device_id: deviceId,
    name: part.name,
    at: instant.toColumn(at),
    parts: part.parts,
    command_id: part.command ?? null,
    created_at: instant.toColumn(work.now),
  };
  const onConflict = { key: ['device_id', 'name', 'at'], changes: excluded(['parts']) };
  return mapping.recordOf(only(await logs.insertReturning(work, [row], onConflict)));
}

/** A stored chunk with its bytes. */
export type StoredChunk = Awaited<ReturnType<typeof selectChunks>>[number];

/** The last chunk of the part before a part, and the first one of the part after it, if they have arrived. */
export async function selectNeighbours(work: ReadWork, logId: number, part: number) {
  const heads = await selectHeads(work, [logId]);
  const before = heads.findLast((head) => head.part === part - 1);
  const after = heads.find((head) => head.part === part + 1);
  const found = await selectChunks(
    work,
    [before, after].flatMap((head) => head?.id ?? []),
  );
  const chunkOf = (head: ChunkHead | undefined): StoredChunk | undefined =>
    found.find(({ id }) => id === head?.id);
  return { before: chunkOf(before), after: chunkOf(after) };
}

export async function replaceText(work: WriteWork, id: number, { bytes, size }: PackedChunk): Promise<void> {
  await chunks.update(work, { id }, { bytes, size });
}

/** Stores the text of a part in place of the one that it has. */
export async function replacePart(
  work: WriteWork,
  logId: number,
  part: number,
  texts: readonly PackedChunk[],
): Promise<void> {
  const { db, companyId } = specialSql(work);
  await sql`delete from device_log_chunks
    where company_id = ${companyId} and log_id = ${logId} and part = ${part}`.execute(db);
  const rows = texts.map(({ bytes, size, lineCount }, sequence) => {
    return { log_id: logId, part, sequence, size, line_count: lineCount, bytes };
  });
  await chunks.insert(work, rows);
}

/** Computes what the row of a log says of its text. */
export async function updateSums(work: WriteWork, logId: number) {
  const { db, companyId } = specialSql(work);
  const { rows } = await sql<Pick<DeviceLog, 'size' | 'receivedParts'>>`update device_logs
    set (size, line_count, received_parts) = (select sum(c.size), sum(c.line_count), count(distinct c.part)
      from device_log_chunks as c where c.company_id = ${companyId} and c.log_id = ${logId})
    where company_id = ${companyId} and id = ${logId}
    returning size, received_parts as "receivedParts"`.execute(db);
  return only(rows);
}

/** Bytes of the other logs of a device, the newest first. */
export async function selectSizes(work: ReadWork, { id, deviceId }: Pick<DeviceLog, 'id' | 'deviceId'>) {
  const { db, companyId } = specialSql(work);
  const { rows } = await sql<Pick<DeviceLog, 'id' | 'size'>>`select id, size from device_logs
    where company_id = ${companyId} and device_id = ${deviceId} and id <> ${id} order by id desc`.execute(db);
  return rows;
}

/** Logs per DELETE, which deletes their texts too. */
const LOGS_PER_DELETE = 25;

export async function deleteLogs(work: WriteWork, ids: readonly number[]): Promise<void> {
  for await (const part of inParts(ids, LOGS_PER_DELETE)) await logs.delete(work, { id: part });
}

/** A chunk without its bytes. */
export interface ChunkHead {
  readonly id: number;
  readonly logId: number;
  readonly part: number;
  readonly lineCount: number;
}

/** The chunks of logs in the order of their texts, without their bytes. One statement. */
export async function selectHeads(work: ReadWork, logIds: readonly number[]): Promise<readonly ChunkHead[]> {
  const { db, companyId } = specialSql(work);
  const { rows } = await sql<ChunkHead>`
    select id, log_id as "logId", part, line_count as "lineCount" from device_log_chunks
    where company_id = ${companyId} and log_id ${inIds(logIds)} order by log_id, part, sequence`.execute(db);
  return rows;
}

/** Chunks by id, in undefined order. One statement. */
export const selectChunks = (work: ReadWork, ids: readonly number[]) => chunks.select(work, { id: ids });
