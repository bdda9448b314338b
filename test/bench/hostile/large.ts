import Sqlite from 'better-sqlite3';
import { createHash, randomBytes } from 'node:crypto';
import { copyFileSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';

import { insertCompany, uuidOf, type BenchSizes } from '../data.js';
import { audit, fillDatabase, insertMember, type Insert } from '../fill.js';

const FULL: BenchSizes = { devices: 200_000, transactions: 1_000_000, wide: 100_000 };
const OTHER_DEVICES = 100;

/** Most devices of a number, and most versions of an app or file, that one request changes. */
export const MOST = { devices: 250, versions: 500 } as const;

/** Ids and names of the large company's records that are expensive to change. */
export const WIDE = {
  /** The group of as many logical numbers as `sizes.wide`. */
  group: 1,
  /** Versions that each of them has: of app 1, 1, 21, 11 and 21. */
  versions: { changed: 1, detached: 151, deleted: 51, removed: 101, ofApp: 201 },
  app: 21,
  /** With as many parameters and metacontents. */
  groupWithSettings: 'settings',
  numberWithSettings: 'n-settings',
  /** With as many devices as one request changes, and one more. */
  numbersWithDevices: ['n-devices', 'n-more-devices'],
  /** Each app has the versions of its file: as many as one request changes, and one more. */
  appsWithVersions: [31, 32],
  filesOfVersions: [201, 202],
} as const;

export interface Other {
  /** API token of the administrator, with every scope. */
  readonly token: string;
  readonly devices: readonly number[];
}

/** A large company, and small ones beside it. */
export interface LargeData {
  readonly token: string;
  readonly others: readonly [Other, Other];
  readonly sizes: BenchSizes;
}

/**
 * Makes the database at `file`: a copy of the one at `kept`, which is built first if it does not exist, or was built by
 * another version of this program or in another size. `scale` is the share of the full size, which takes a few minutes
 * and 1 GB.
 */
export async function largeDatabase(file: string, kept: string, scale: number): Promise<LargeData> {
  const build = { sizes: scaled(scale), program: programHash() };
  const before = existsSync(kept) ? readFileSync(`${kept}.build`, 'utf8') : null;
  if (before !== JSON.stringify(build)) {
    const unfinished = `${kept}.${process.pid}.unfinished`;
    const data = await buildLarge(unfinished, build.sizes);
    writeFileSync(`${kept}.json`, JSON.stringify(data), { mode: 0o600 });
    writeFileSync(`${kept}.build`, JSON.stringify(build));
    renameSync(unfinished, kept);
  }
  copyFileSync(kept, file);
  return JSON.parse(readFileSync(`${kept}.json`, 'utf8')) as LargeData;
}

const scaled = (scale: number): BenchSizes => ({
  devices: Math.round(FULL.devices * scale),
  transactions: Math.round(FULL.transactions * scale),
  wide: Math.round(FULL.wide * scale),
});

/** Tells the programs apart that fill databases. */
function programHash(): string {
  const hash = createHash('sha256');
  for (const source of ['large.ts', '../data.ts', '../fill.ts']) {
    hash.update(readFileSync(new URL(source, import.meta.url)));
  }
  return hash.digest('hex');
}

/** Builds it in other sizes. */
export async function buildLarge(file: string, sizes: BenchSizes): Promise<LargeData> {
  const now = Date.now();
  const data = await fillDatabase(file, (insert, database): LargeData => {
    const { token } = insertCompany(insert, sizes, now);
    insertSettings(insert, sizes, now);
    for (const more of [0, 1] as const) {
      insertVersions(insert, more, now);
      moveDevices(database, insert, more, now);
    }
    return { token, others: [insertOther(insert, 'other', now), insertOther(insert, 'third', now)], sizes };
  });
  const database = new Sqlite(file);
  database.pragma('journal_mode = DELETE');
  database.close();
  for (const suffix of ['.lock', '.marker']) rmSync(file + suffix, { force: true });
  return data;
}

const numberOf = (insert: Insert, number: string, now: number): number =>
  insert('logical_numbers', { company_id: 1, number, group_id: null, ...audit(now) });

function insertSettings(insert: Insert, { wide }: BenchSizes, now: number): void {
  const group = insert('groups', { company_id: 1, name: WIDE.groupWithSettings, ...audit(now) });
  const number = numberOf(insert, WIDE.numberWithSettings, now);
  for (const owner of [
    { group_id: group, logical_number_id: null },
    { group_id: null, logical_number_id: number },
  ]) {
    for (const table of ['parameters', 'metacontents']) {
      for (let n = 0; n < wide; n += 1) {
        insert(table, { company_id: 1, ...owner, key: `key ${n}`, value: `"${n}"`, ...audit(now) });
      }
    }
  }
}

function insertVersions(insert: Insert, more: 0 | 1, now: number): void {
  const app = { name: `many${more}.rb`, communication_format: 'http', kind: 'standard', language: 'ruby' };
  const content = { company_id: 1, size: 0, crc: '0000', sha256: '', created_at: now };
  const stored = { content_id: insert('contents', content), size: 0, crc: '0000' };
  const appId = insert('apps', { company_id: 1, ...app, ...audit(now) });
  const file = { company_id: 1, name: `used${more}.bin`, file_type: 'asset', ...stored, ...audit(now) };
  const fileId = insert('files', file);
  if (appId !== WIDE.appsWithVersions[more] || fileId !== WIDE.filesOfVersions[more]) {
    throw new Error('The ids are other ones');
  }
  for (let n = 0; n < MOST.versions + more; n += 1) {
    const version = {
      number: `m${n}`,
      uuid: uuidOf((1 + more) * 1_000_000 + n),
      displayable: 0,
      size: 0,
      crc: '0000',
    };
    const id = insert('app_versions', { company_id: 1, app_id: appId, ...version, ...audit(now) });
    insert('app_version_files', { company_id: 1, app_version_id: id, file_id: fileId });
  }
}

/** Takes the devices of a number from others. */
function moveDevices(database: Sqlite.Database, insert: Insert, more: 0 | 1, now: number): void {
  const number = numberOf(insert, WIDE.numbersWithDevices[more], now);
  const first = 1 + more * MOST.devices;
  database
    .prepare('update devices set logical_number_id = ? where company_id = 1 and id between ? and ?')
    .run(number, first, first + MOST.devices - 1 + more);
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
      ...audit(now, company),
    }),
  );
  return { token, devices };
}
