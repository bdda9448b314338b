import { sql } from 'kysely';

import { CompanyRows, excluded, type NewRow, specialSql } from '../../../database/company/company-rows.js';
import { CompanyTable, recordMapping } from '../../../database/company/company-table.js';
import { auditedList, listOf } from '../../../database/list/list.js';
import { movesOf } from '../../../database/list/moves.js';
import { flag, idTable, inIds, portable, type Sql } from '../../../database/storage.js';
import type { ReadWork, SystemReadWork, WriteWork } from '../../../database/work.js';
import { inParts } from '../../../platform/concurrency/event-loop.js';
import type { Ids } from '../../../platform/validate.js';
import { HAVING_VERSIONS, KNOWN_VERSIONS, ROLLOUT_STATE } from '../../../schema/software.js';
import {
  type Candidate,
  NO_FIGURES,
  type Obstacle,
  type Rollout,
  type RolloutTerminal,
} from './rollout.model.js';

const MAX_TERMINALS = 1_000_000;
const NUMBERS_PER_QUERY = 2_000;

export const rolloutTable = new CompanyTable<'rollouts', Rollout>('rollouts');
const terminals = new CompanyRows('rollout_terminals');

export const rollouts = auditedList(rolloutTable, {
  name: 'Rollout',
  orders: {},
  filters: {
    name: { column: 'name', kind: 'text' },
    state: { column: 'state', kind: 'choice', order: 'ID' },
    unmovedSince: { column: 'unmoved_since', kind: 'instant' },
  },
});

export const { newRows, nextSequence } = movesOf('rollouts', 'Rollout', rolloutTable.recordOf);

const { columns, recordOf, columnsOf } = recordMapping<'rollout_terminals', RolloutTerminal>(
  'rollout_terminals',
);

export const rolloutTerminals = listOf<'rollout_terminals', RolloutTerminal>({
  name: 'RolloutTerminal',
  table: 'rollout_terminals',
  rows: MAX_TERMINALS,
  isEndless: true,
  id: 'id',
  columns,
  recordOf,
  orders: { ID: 'id' },
  filters: {
    wave: { column: 'wave', kind: 'integer', where: (compared) => compared(sql`t.wave + 1`) },
    state: { column: 'state', kind: 'choice' },
    obstacle: { column: 'obstacle', kind: 'optionalChoice' },
  },
});

export const terminalsOfRollout = rolloutTerminals.of({ column: 'rollout_id' });

/** Figures of the waves of a rollout, by their places. One statement, which reads an index of all terminals. */
export async function selectFigures(work: ReadWork, { id, waves }: Pick<Rollout, 'id' | 'waves'>) {
  const { db, companyId } = specialSql(work);
  const { rows } = await sql<Pick<RolloutTerminal, 'wave' | 'state'> & Record<'total' | 'silent', number>>`
    select wave, state, count(*) as total,
      count(*) filter (where state not in ('waiting', 'excluded') and not has_answered) as silent
    from rollout_terminals where company_id = ${companyId} and rollout_id = ${id}
    group by wave, state`.execute(db);
  const figures = waves.map(() => ({ ...NO_FIGURES }));
  for (const row of rows) {
    const own = figures[row.wave];
    if (own === undefined) continue;
    own[row.state] = row.total;
    own.silent += row.silent;
  }
  return figures;
}

/** The rollout of the first company after `companyId` that has one about which is to be decided now. */
export async function findDueAfter(work: SystemReadWork, companyId: number) {
  const { db } = specialSql(work);
  const { rows } = await sql<Record<'companyId' | 'id' | 'total', number>>`
    select company_id as "companyId", id, total from rollouts
    where due_at is not null and due_at <= ${work.now} and company_id > ${companyId}
    order by company_id, due_at, id limit 1`.execute(db);
  return rows[0];
}

const { columnsOf: columnsOfRollout } = recordMapping<'rollouts', Rollout>('rollouts');

/** Changes a rollout without a new revision. */
export async function noteLook(work: WriteWork, { id }: Pick<Rollout, 'id'>, changes: Partial<Rollout>) {
  await rolloutTable.rows.update(work, { id }, columnsOfRollout(changes));
}

/** Devices of logical numbers, with what decides whether they can get versions. One statement for 2,000 numbers. */
export async function selectDevicesOf(work: ReadWork, logicalNumberIds: Ids) {
  const { db, companyId } = specialSql(work);
  const all: DeviceRow[] = [];
  for await (const part of inParts(logicalNumberIds, NUMBERS_PER_QUERY)) {
    const { rows } =
      await sql<DeviceRow>`select d.id as "deviceId", d.logical_number_id as "logicalNumberId", d.enabled,
        case when seen.last_seen_at > d.created_at then seen.last_seen_at else d.created_at end as "lastSeenAt"
      from ${idTable(part)} cross join devices as d
      join device_presence as seen on seen.company_id = d.company_id and seen.device_id = d.id
      where d.company_id = ${companyId} and d.logical_number_id = p.value order by d.id`.execute(db);
    for (const row of rows) all.push({ ...row, enabled: flag.fromColumn(row.enabled) });
  }
  return all;
}

type DeviceRow = Pick<Candidate, 'deviceId' | 'logicalNumberId' | 'enabled' | 'lastSeenAt'>;

const rowOf = (terminal: Omit<RolloutTerminal, 'id'>) =>
  columnsOf(terminal) as unknown as NewRow<'rollout_terminals'>;

export async function insertDrawn(work: WriteWork, rolloutId: number, drawn: readonly DrawnRow[]) {
  const had = { grantedAt: null, hasAnswered: false, undoneAt: null, added: [], removed: [] };
  const rows = drawn.map(({ id: deviceId, numberId: logicalNumberId, wave, obstacle }) => {
    const state = obstacle === null ? 'waiting' : 'excluded';
    return rowOf({ rolloutId, deviceId, logicalNumberId, wave, state, obstacle, ...had });
  });
  await terminals.insert(work, rows);
}

/** A terminal that was drawn, as a row of a job. */
export interface DrawnRow extends Pick<RolloutTerminal, 'wave' | 'obstacle'> {
  /** Id of the device. */
  readonly id: number;
  readonly numberId: number;
  readonly name: string;
}

/** A terminal that gets versions, or gives them back, as a row of a job. */
export interface TerminalRow {
  readonly id: number;
  readonly name: string;
}

const HAVING = sql.raw(HAVING_VERSIONS);
const KNOWN = sql.raw(KNOWN_VERSIONS);

/** Rows of the terminals of a wave that wait, or of all that have the versions of a rollout. */
export async function selectRows(work: ReadWork, { id }: Pick<Rollout, 'id'>, wave: number | null) {
  const { db, companyId } = specialSql(work);
  const wanted = wave === null ? HAVING : sql`t.wave = ${wave} and t.state = 'waiting'`;
  const { rows } = await sql<TerminalRow>`select t.id, coalesce(own.number, '') as name
    from rollout_terminals as t
    left join logical_numbers as own on own.company_id = t.company_id and own.id = t.logical_number_id
    where t.company_id = ${companyId} and t.rollout_id = ${id} and ${wanted}
    order by t.logical_number_id, t.id`.execute(db);
  return rows;
}

/** Changed terminals of one look: the next one follows at once. */
const MAX_CHANGED = 400;

/** Device of a terminal as it is now, compared with the draw. */
export interface Presence {
  readonly id: number;
  /** Why the device does not count any more; null if it does. */
  readonly obstacle: Obstacle | null;
  /** The device that has its logical number now, if it has not; null if there is none. */
  readonly successorId: number | null;
}

/** Looks at the devices of terminals: with `ids`, or else of those that have versions and have gone, come back or been replaced. */
export async function selectPresences(work: ReadWork, { id }: Pick<Rollout, 'id'>, ids?: Ids) {
  const { db, companyId } = specialSql(work);
  const [wanted, news] =
    ids === undefined
      ? [
          sql`${HAVING} and coalesce(t.obstacle, '') <> 'left_out'`,
          sql`successor is not null or coalesce(obstacle, '') <> coalesce(known, '')`,
        ]
      : [sql`t.id ${inIds(ids)}`, sql`true`];
  const { rows } = await sql<Presence>`select id, obstacle, successor as "successorId" from (
      select found.*, case when obstacle in ('deleted', 'moved') then (
        select min(other.id) from devices as other
        where other.company_id = ${companyId} and other.logical_number_id = found.logical_number_id and other.enabled
          and not exists (select 1 from rollout_terminals as own where own.company_id = other.company_id
            and own.rollout_id = ${id} and own.device_id = other.id)) end as successor
      from (select t.id, t.obstacle as known, t.logical_number_id,
          case when d.id is null then 'deleted' when coalesce(d.logical_number_id, 0) <> t.logical_number_id then 'moved'
            when not d.enabled then 'disabled' end as obstacle
        from rollout_terminals as t left join devices as d on d.company_id = t.company_id and d.id = t.device_id
        where t.company_id = ${companyId} and t.rollout_id = ${id} and ${wanted}) as found) as changed
    where ${news} order by id limit ${ids?.length ?? MAX_CHANGED}`.execute(db);
  return rows;
}

const STATE: Sql = portable(sql.raw(ROLLOUT_STATE.sqlite), sql.raw(ROLLOUT_STATE.postgres));

export async function findTerminals(work: ReadWork, { id }: Pick<Rollout, 'id'>, deviceIds: Ids) {
  const rows = await terminals.select(work, { rollout_id: id, device_id: deviceIds });
  return rows.map(recordOf);
}

/** Stores what has become of terminals, and the states of the versions on those that have them. Two statements. */
export async function updateTerminals(work: WriteWork, changed: readonly RolloutTerminal[]) {
  const device = ['device_id', 'has_answered', 'state', 'obstacle'] as const;
  const changes = excluded([...device, 'granted_at', 'added', 'removed', 'undone_at']);
  await terminals.insertReturning(work, changed.map(rowOf), { key: ['id'], changes });
  const { db, companyId } = specialSql(work);
  await sql`update rollout_terminals set state = ${STATE}
    where company_id = ${companyId} and id ${inIds(changed.map(({ id }) => id))} and ${KNOWN}`.execute(db);
}
