import { sql } from 'kysely';

import { SECOND, systemClock } from '../../platform/clock.js';
import type { Vitals } from '../database.js';
import type { Sessions } from './connections/sessions.js';

const NOW = 'round(extract(epoch from clock_timestamp()) * 1000)::bigint as now';

/** Bytes of the write-ahead log from a place in it. */
const logFrom = (place: string): string => `pg_wal_lsn_diff(
  case when pg_is_in_recovery() then pg_last_wal_receive_lsn() else pg_current_wal_lsn() end, ${place})`;

/** An object with the largest value of each name. */
const objectOf = (name: string, value: string, rows: string): string =>
  `(select coalesce(json_object_agg(name, value), '{}') from (select ${name} as name, max(${value}) as value
    from ${rows} group by 1) as found)`;

const STANDBYS = `pg_stat_replication where state in ('streaming', 'catchup')`;
const LARGEST_TABLES = `(select *, n_live_tup + n_dead_tup as total from pg_stat_user_tables
  where schemaname = current_schema() and n_live_tup + n_dead_tup > 0 order by total desc limit 10) as largest`;

/**
 * Reads views of statistics only, and no table. The snapshot of this query does not count. After 2^31 ids, less a few
 * millions, PostgreSQL takes no more changes.
 */
const VITALS = `json_build_object(
  'oldestTransactionSeconds', (select coalesce(max(extract(epoch from clock_timestamp() - xact_start)), 0)
    from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()),
  'oldestSnapshotIds', (select coalesce(max(age(id)), 0) from (
    select backend_xmin as id from pg_stat_activity where pid <> pg_backend_pid()
    union all select xmin from pg_replication_slots union all select catalog_xmin from pg_replication_slots
    union all select transaction from pg_prepared_xacts) as held),
  'unfrozenIdsRatio', (select greatest(max(age(datfrozenxid)), max(mxid_age(datminmxid))) / 2147483648.0 from pg_database),
  'serverConnections', json_build_object('used', (select sum(numbackends) from pg_stat_database), 'allowed',
    current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int),
  'standbyLagSeconds', ${objectOf('application_name', `extract(epoch from coalesce(replay_lag, '0'))`, STANDBYS)},
  'standbyLagBytes', ${objectOf('application_name', logFrom('replay_lsn'), STANDBYS)},
  'slotRetainedBytes', ${objectOf('slot_name', logFrom('restart_lsn'), 'pg_replication_slots')},
  'deadRowsRatio', ${objectOf('relname', 'n_dead_tup / total::float', LARGEST_TABLES)}) as vitals`;

/** Errors: those of `Database.snapshot`. */
export async function vitalsOf({ snapshot }: Sessions): Promise<Partial<Vitals>> {
  const query = sql.raw<{ now: number; vitals: string }>(`select ${VITALS}, ${NOW}`);
  const [found, aheadMs] = await snapshot(null, async (db) => {
    // The user of the URL may see more of other sessions than the roles of units.
    await sql`set local role none`.execute(db);
    return await comparingClocks(async () => (await query.execute(db)).rows[0]);
  });
  const vitals = JSON.parse(found?.vitals ?? '{}') as Partial<Vitals>;
  return { ...vitals, clockAheadSeconds: aheadMs / SECOND };
}

/** Milliseconds by which this clock is ahead of PostgreSQL's. */
export async function clockAhead({ snapshot }: Sessions): Promise<number> {
  const query = sql.raw<{ now: number }>(`select ${NOW}`);
  const read = async () => (await snapshot(null, (db) => query.execute(db))).rows[0];
  return (await comparingClocks(read))[1];
}

/** Also resolves to the milliseconds by which this clock is ahead; what passes until the answer counts for neither. */
async function comparingClocks<T extends { readonly now: number }>(read: () => Promise<T | undefined>) {
  const before = systemClock.now().getTime();
  const found = await read();
  const after = systemClock.now().getTime();
  const now = found?.now ?? before;
  return [found, Math.max(0, before - now) + Math.min(0, after - now)] as const;
}
