import Sqlite from 'better-sqlite3';
import { randomBytes } from 'node:crypto';

import { openDatabase } from '../../src/database/open.js';
import { hashToken } from '../../src/resources/access-token/access-token.model.js';

/** Two companies; the first has a wide fleet. */
export interface WideData {
  readonly wide: string;
  readonly other: string;
}

/** Ids and names of the first company's records. */
export const WIDE = {
  /** Group 1 has all logical numbers. */
  group: 1,
  /** Held by every logical number. */
  versions: { changed: 1, deleted: 2, detached: 3, ofApp: 4 },
  app: 1,
  wideApp: 2,
  usedFile: 1,
  groupWithParameters: 'parameters',
  numberWithParameters: 'n-parameters',
  numberWithDevices: 'n-devices',
} as const;

const AUDIT = 'revision, created_at, updated_at, created_by, created_via';
const audit = (user: number): string => `1, 0, 0, ${user}, 'api'`;
const uuid = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
const series = (count: number): string =>
  `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count})`;

/** Fills a new database: `count` logical numbers that hold four versions, and so on. */
export async function buildWideDatabase(file: string, count: number): Promise<WideData> {
  await (await openDatabase(file)).close();
  const database = new Sqlite(file);
  database.pragma('synchronous = OFF');
  const tokens = { wide: randomBytes(20).toString('hex'), other: randomBytes(20).toString('hex') };
  database.transaction(() => {
    addCompany(database, 1, tokens.wide);
    addCompany(database, 2, tokens.other);
    addSoftware(database, count);
    addFleet(database, count);
  })();
  database.pragma('wal_checkpoint(TRUNCATE)');
  database.close();
  return tokens;
}

function addCompany(database: Sqlite.Database, id: number, token: string): void {
  database.exec(`insert into companies (id, name, created_at, updated_at) values (${id}, 'Company ${id}', 0, 0);
    insert into users (id, email, name, time_zone, password_hash, sign_in_count, failed_sign_ins, revision,
      created_at, updated_at) values (${id}, 'u${id}@bench.example', 'U', 'UTC', '', 0, 0, 1, 0, 0);
    insert into memberships (company_id, user_id, role, created_at) values (${id}, ${id}, 'admin', 0);
    insert into access_tokens (company_id, user_id, kind, name, scopes, token_hash, last_four, created_at)
      values (${id}, ${id}, 'named', 'bench', '["read","write","admin","ingest"]', '${hashToken(token)}', '0000', 0)`);
}

function addSoftware(database: Sqlite.Database, count: number): void {
  const versionColumns = 'company_id, app_id, number, uuid, displayable, size, crc';
  database.exec(`insert into groups (company_id, name, ${AUDIT}) values
      (1, 'all', ${audit(1)}), (1, '${WIDE.groupWithParameters}', ${audit(1)}), (2, 'other', ${audit(2)});
    insert into apps (company_id, name, communication_format, kind, language, ${AUDIT}) values
      (1, 'a', 'http', 'standard', 'ruby', ${audit(1)}), (1, 'wide', 'http', 'standard', 'ruby', ${audit(1)}),
      (1, 'many', 'http', 'standard', 'ruby', ${audit(1)});
    insert into app_versions (${versionColumns}, ${AUDIT}) values
      ${[1, 2, 3].map((n) => `(1, 1, '${n}', '${uuid(n)}', 0, 0, '0000', ${audit(1)})`).join()},
      (1, 2, '4', '${uuid(4)}', 0, 0, '0000', ${audit(1)});
    insert into app_version_groups (company_id, app_version_id, group_id)
      select 1, id, 1 from app_versions;
    insert into contents (company_id, size, crc, sha256, created_at) values (1, 0, '0000', '', 0);
    insert into files (company_id, name, file_type, content_id, size, crc, ${AUDIT})
      values (1, 'used', 'asset', 1, 0, '0000', ${audit(1)});
    ${series(500)} insert into app_versions (${versionColumns}, ${AUDIT})
      select 1, 3, 'm' || i, printf('00000000-0000-4000-8000-%012d', 10 + i), 0, 0, '0000', ${audit(1)} from n limit ${count};
    insert into app_version_files (company_id, app_version_id, file_id)
      select 1, id, 1 from app_versions where app_id = 3 limit 500;`);
}

function addFleet(database: Sqlite.Database, count: number): void {
  const numbers = `insert into logical_numbers (company_id, number, group_id, ${AUDIT})`;
  database.exec(`${series(count)} ${numbers} select 1, printf('%08d', i), 1, ${audit(1)} from n;
    ${numbers} values (1, '${WIDE.numberWithParameters}', null, ${audit(1)}),
      (1, '${WIDE.numberWithDevices}', null, ${audit(1)});
    insert into logical_number_app_versions (company_id, logical_number_id, app_version_id)
      select 1, l.id, v.id from logical_numbers as l cross join app_versions as v
      where l.group_id = 1 and v.id <= 4;
    ${series(2 * count)} insert into devices (company_id, serial_number, enabled, logical_number_id, meta, ${AUDIT})
      select 1, printf('S%08d', i), 1, iif(i <= ${count}, i, ${count} + 2), '{}', ${audit(1)} from n;
    ${['parameters', 'metacontents']
      .map((table) =>
        [`2, null`, `null, ${count + 1}`]
          .map(
            (
              owner,
            ) => `${series(count)} insert into ${table} (company_id, group_id, logical_number_id, key, value, ${AUDIT})
            select 1, ${owner}, 'key ' || i, '"value"', ${audit(1)} from n;`,
          )
          .join('\n'),
      )
      .join('\n')}`);
}
