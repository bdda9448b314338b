import Sqlite from 'better-sqlite3';
import { randomBytes } from 'node:crypto';
import { copyFileSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';

import { audit, buildDatabase, insertMember, inserter, type Insert } from '../data.js';

export const SIZES = { devices: 200_000, transactions: 1_000_000, wide: 100_000 } as const;
const OTHER_DEVICES = 100;
/** Group of 100,000 logical numbers, and the versions that each of them has. */
export const WIDE_GROUP = 1;
export const WIDE_VERSIONS = [1, 51, 101] as const;

export interface Other {
  /** Of the administrator, with every scope. */
  readonly token: string;
  readonly devices: readonly number[];
}

/** A large company, a second one beside it, and where the large one has what is expensive to change. */
export interface LargeData {
  readonly token: string;
  /** Small companies beside it. */
  readonly others: readonly [Other, Other];
  /** Groups without logical numbers, with 100,000 parameters each. */
  readonly settingsGroups: readonly string[];
}

/**
 * Makes the database at `file`: a copy of the one at `kept`, which is built first if it does not exist. A few
 * minutes, 1 GB.
 */
export async function largeDatabase(file: string, kept: string): Promise<LargeData> {
  if (!existsSync(kept)) await build(kept);
  copyFileSync(kept, file);
  return JSON.parse(readFileSync(`${kept}.json`, 'utf8')) as LargeData;
}

async function build(kept: string): Promise<void> {
  const unfinished = `${kept}.unfinished`;
  const { token } = await buildDatabase(unfinished, SIZES.transactions, SIZES.devices);
  const database = new Sqlite(unfinished);
  database.pragma('journal_mode = WAL');
  database.pragma('synchronous = OFF');
  const insert = inserter(database);
  const now = Date.now();
  const settingsGroups = ['settings 1', 'settings 2'];
  let others: Other[] = [];
  database.transaction(() => {
    widen(database);
    for (const name of settingsGroups) insertSettings(insert, name, now);
    others = ['other', 'third'].map((name) => insertOther(insert, name, now));
  })();
  database.exec('analyze');
  database.pragma('wal_checkpoint(TRUNCATE)');
  database.pragma('journal_mode = DELETE');
  database.close();
  const data: LargeData = { token, others: others as [Other, Other], settingsGroups };
  writeFileSync(`${kept}.json`, JSON.stringify(data), { mode: 0o600 });
  for (const suffix of ['.lock', '.marker']) rmSync(unfinished + suffix, { force: true });
  renameSync(unfinished, kept);
}

function widen(database: Sqlite.Database): void {
  database
    .prepare('update logical_numbers set group_id = ? where company_id = 1 and id <= ?')
    .run(WIDE_GROUP, SIZES.wide);
  const link = database.prepare(`insert or ignore into logical_number_app_versions
    (company_id, logical_number_id, app_version_id) select 1, id, ? from logical_numbers where id <= ?`);
  for (const version of WIDE_VERSIONS) link.run(version, SIZES.wide);
}

function insertSettings(insert: Insert, name: string, now: number): void {
  const group = insert('groups', { company_id: 1, name, ...audit(now) });
  for (let n = 0; n < SIZES.wide; n += 1) {
    insert('parameters', { company_id: 1, group_id: group, key: `key ${n}`, value: `${n}`, ...audit(now) });
  }
}

function insertOther(insert: Insert, name: string, now: number): Other {
  const token = randomBytes(20).toString('hex');
  const company = insertMember(insert, name, token, now);
  const devices = Array.from({ length: OTHER_DEVICES }, (_, n) =>
    insert('devices', {
      company_id: company,
      serial_number: `OTHER-${n}`,
      enabled: 1,
      meta: '{}',
      ...audit(now),
    }),
  );
  return { token, devices };
}
