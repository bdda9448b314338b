import { sql } from 'kysely';

import { CompanyRows, specialSql } from '../../../database/company/company-rows.js';
import { listOf } from '../../../database/list/list.js';
import { Slice, type Key, type SliceRequest } from '../../../database/list/listing.js';
import type { EntryCount } from '../../../database/list/request-class.js';
import {
  crossJoin,
  hiddenFromPlanner,
  inIds,
  pairTable,
  type Sql,
  typed,
  unindexed,
} from '../../../database/storage.js';
import type { ReadWork } from '../../../database/work.js';
import { columnNames, type Row } from '../../../schema/schema.js';
import { SOFTWARE_CHANGES, SOFTWARE_STATES } from '../../../schema/software.js';
import { presenceRange } from '../../fleet/device/device.model.js';
import {
  OVERDUE_AFTER,
  type Reach,
  type SoftwareChange,
  type TerminalFilter,
  type TerminalSoftware,
} from './manifest.model.js';
import { entriesIn, recordOf } from './manifest.repository.js';

type StoredRow = Row<'terminal_versions'>;

const COLUMNS = sql.join(columnNames('terminal_versions').map((name) => sql.ref(`t.${name}`)));

/** Latest beginning of the state `granted` with which a version is overdue. */
const overdueBy = ({ now }: Pick<ReadWork, 'now'>): Date => new Date(now.getTime() - OVERDUE_AFTER);

function softwareAt(work: Pick<ReadWork, 'now'>, row: StoredRow): TerminalSoftware {
  const software = recordOf(row);
  const isOverdue = software.state === 'granted' && software.since <= overdueBy(work);
  return isOverdue ? { ...software, state: 'overdue' } : software;
}

const totals = new CompanyRows('app_version_totals');

/** The reach of each version, by its id; one statement, which reads a row for each. Versions without any are absent. */
export async function reachOf(work: ReadWork, versions: readonly { readonly id: number }[]) {
  const rows = await totals.select(work, { app_version_id: versions.map(({ id }) => id) });
  return new Map(
    rows.map(({ app_version_id: id, numbers, fetched, downloaded, installed, proven, failed }) => {
      const current = downloaded + installed + proven;
      const reach: Reach = { id, granted: numbers, downloaded: fetched, current, installed, proven, failed };
      return [id, reach];
    }),
  );
}

/** Number of terminals on which versions are overdue, by their ids; one statement. Counts entries of an index. */
export async function countOverdue(work: ReadWork, versions: readonly { readonly id: number }[]) {
  const ids = versions.map(({ id }) => id);
  return await countTerminals(work, ids, { filter: { state: 'overdue' } });
}

/** Counts the entries of `softwareOfDevices`. */
export const softwareEntries: readonly EntryCount[] = [
  entriesIn(sql`cross join terminal_versions as t`, sql`t.company_id = d.company_id and t.device_id = d.id`),
];

/** Versions that devices are to have, or that their terminals have, by device id and ascending. One statement. */
export async function softwareOfDevices(work: ReadWork, devices: readonly { readonly id: number }[]) {
  const { db, companyId } = specialSql(work);
  const { rows } = await sql<StoredRow>`select ${COLUMNS} from terminal_versions as t
    ${crossJoin} app_versions as v on v.company_id = t.company_id and v.id = t.app_version_id
    where t.company_id = ${companyId} and t.device_id ${inIds(devices.map(({ id }) => id))}`.execute(db);
  const all = rows.map((row) => softwareAt(work, row));
  all.sort((one, other) => one.appVersionId - other.appVersionId);
  return Map.groupBy(all, ({ deviceId }) => deviceId);
}

/** Ids of the versions that terminals have of the applications of versions, by `<device id> <version id>`. One statement. */
export async function selectRunning(work: ReadWork, keys: readonly string[]) {
  const { db, companyId } = specialSql(work);
  const pairs = keys.map((key) => key.split(' ').map(Number) as [number, number]);
  const { rows } = await sql<Record<'deviceId' | 'versionId', number> & { id: number | null }>`
    select pair.id as "deviceId", pair.other as "versionId", (
      select t.app_version_id from app_versions as own
      ${crossJoin} terminal_versions as t on t.company_id = own.company_id and t.device_id = pair.id
        and t.state in ('downloaded', 'installed', 'proven')
      ${crossJoin} app_versions as v on v.company_id = own.company_id and v.id = t.app_version_id
        and v.app_id = own.app_id
      where own.company_id = ${companyId} and own.id = pair.other
      order by t.since desc, t.app_version_id desc limit 1) as id
    from ${pairTable('integer', pairs)}`.execute(db);
  return rows.flatMap(({ deviceId, versionId, id }) =>
    id === null ? [] : [{ key: `${deviceId} ${versionId}`, id }],
  );
}

export interface TerminalsRequest extends SliceRequest {
  readonly filter: TerminalFilter;
}

/** A page of the terminals of each version, by state and then by its beginning. One statement. */
export async function terminalsOfVersions(
  work: ReadWork,
  versionIds: readonly number[],
  { key, limit, filter }: TerminalsRequest,
) {
  const { db } = specialSql(work);
  const pages = versionIds.map(
    (id) => sql`select * from (select ${COLUMNS} ${terminalsOf(work, id, filter, key)}
      order by t.state, t.since, t.device_id limit ${hiddenFromPlanner(limit + 1)}) as page`,
  );
  const { rows } = await sql<StoredRow>`${sql.join(pages, sql` union all `)}`.execute(db);
  const byVersion = Map.groupBy(rows, (row) => row.app_version_id);
  return new Map(
    Array.from(byVersion, ([id, own]) => {
      const shown = own.slice(0, limit);
      const keysOf = (): readonly Key[] =>
        shown.map((row) => ({ value: `${row.state} ${row.since}`, id: row.device_id }));
      const records = shown.map((row) => softwareAt(work, row));
      return [id, new Slice(records, own.length > limit, keysOf)];
    }),
  );
}

/** True if a condition is about more than the state, in whose order an index has the terminals of a version. */
export const isNarrowed = ({ groupId, presence, reason }: TerminalFilter): boolean =>
  groupId != null || presence != null || reason != null;

/** True if the totals of versions have the number of terminals that meet a condition. */
export const isTotalled = (filter: TerminalFilter): boolean =>
  filter.state !== 'granted' && filter.state !== 'overdue' && !isNarrowed(filter);

/** Number of terminals of each version, by its id. One statement. */
export async function countTerminals(
  work: ReadWork,
  versionIds: readonly number[],
  { filter }: Pick<TerminalsRequest, 'filter'>,
): Promise<ReadonlyMap<number, number>> {
  const { db } = specialSql(work);
  if (isTotalled(filter)) {
    const states = SOFTWARE_STATES.filter((state) => filter.state == null || filter.state === state);
    const rows = await totals.select(work, { app_version_id: versionIds });
    const sumOf = (row: Row<'app_version_totals'>): number =>
      states.reduce((sum, state) => sum + row[state], 0);
    return new Map(rows.map((row) => [row.app_version_id, sumOf(row)]));
  }
  const counts = versionIds.map(
    (id) => sql`select ${typed('integer', id)} as id, count(*) as total ${terminalsOf(work, id, filter)}`,
  );
  const query = sql<{ id: number; total: number }>`${sql.join(counts, sql` union all `)}`;
  return new Map((await query.execute(db)).rows.map(({ id, total }) => [id, total]));
}

/** FROM and WHERE for the terminals `t` of a version, or for those after the key of a page. */
function terminalsOf(
  work: ReadWork,
  versionId: number,
  { state, groupId, presence, reason }: TerminalFilter,
  key: Key | null = null,
) {
  const { companyId } = specialSql(work);
  // The devices of the group are looked up once: for each terminal, SQLite would take longer.
  const ofGroup = sql`and ${unindexed(sql.ref('t.device_id'))} in (select d.id from logical_numbers as n
    ${crossJoin} devices as d on d.company_id = n.company_id and d.logical_number_id = n.id
    where n.company_id = ${companyId} and n.group_id = ${groupId})`;
  return sql`from terminal_versions as t where t.company_id = ${companyId} and t.app_version_id = ${versionId}
    ${inStateAfter(work, state, key)}
    ${reason == null ? sql`` : sql`and t.reason = ${reason}`} ${groupId == null ? sql`` : ofGroup}
    ${presence == null ? sql`` : isPresent(work, presence)}`;
}

/** A state, and the position after a key: its state, milliseconds since 1970, and its device. */
function inStateAfter(work: ReadWork, state: TerminalFilter['state'], key: Key | null): Sql {
  const by = overdueBy(work);
  const [stored = '', at] = String(key?.value).split(' ');
  const since = new Date(Number(at));
  if (state == null) {
    return key === null ? sql`` : sql`and (t.state, t.since, t.device_id) > (${stored}, ${since}, ${key.id})`;
  }
  const beyond = key === null ? sql`` : sql`and (t.since, t.device_id) > (${since}, ${key.id})`;
  if (state === 'overdue') return sql`and t.state = 'granted' and t.since <= ${by} ${beyond}`;
  if (state !== 'granted') return sql`and t.state = ${state} ${beyond}`;
  // SQLite might begin at the further one of two lower bounds.
  return sql`and t.state = 'granted' ${key !== null && since > by ? beyond : sql`and t.since > ${by}`}`;
}

function isPresent(work: ReadWork, presence: NonNullable<TerminalFilter['presence']>): Sql {
  const { from, to } = presenceRange(presence, work);
  // A value and no `exists`, which SQLite might turn into a join that reads all terminals for each other one.
  const seen = sql`(select c.last_seen_at from device_presence as c
    where c.company_id = ${specialSql(work).companyId} and c.device_id = t.device_id)`;
  return sql`${from === undefined ? sql`` : sql`and ${seen} >= ${new Date(from)}`}
    ${to === undefined ? sql`` : sql`and ${seen} < ${new Date(to)}`}`;
}

const changes = listOf<'terminal_versions', SoftwareChange>({
  name: 'SoftwareChange',
  table: 'terminal_versions',
  rows: 0,
  id: 'sequence',
  orders: { ID: 'sequence' },
  filters: { appVersionId: { column: 'app_version_id', kind: 'id' } },
  recordOf: (row) => ({ id: row.sequence ?? 0, software: recordOf(row) }),
});

/** States that evidence has changed; not those of grants. */
export const softwareNewRows = changes.movedRows('terminal_versions_by_sequence', SOFTWARE_CHANGES);
