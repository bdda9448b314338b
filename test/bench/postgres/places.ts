import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import pg from 'pg';

import { createDatabase, startPostgres } from '../../support/postgres/boot.js';
import { insertCompany, type BenchData } from '../data.js';
import { audit, fillDatabase, insertMember, type Insert } from '../fill.js';
import { start, type BenchServer } from '../measure.js';
import { parentOf } from './processor-time.js';

const GROUPS = 50;
const PARAMETERS_OF_GROUP = 20;
const PARAMETERS_OF_NUMBER = 2;

export interface Sizes {
  readonly devices: number;
  readonly transactions: number;
  /** Companies besides the first one, with no more than a member each. */
  readonly companies: number;
}

export interface Filled extends BenchData {
  readonly sizes: Sizes;
  /** One of each company besides the first one. */
  readonly tokens: readonly string[];
}

/** Makes a SQLite file with a fleet, its parameters, and other companies. */
export async function fillFile(file: string, sizes: Sizes): Promise<Filled> {
  return await fillDatabase(file, (insert) => {
    const now = Date.now();
    const data = insertCompany(insert, { ...sizes, wide: 0 }, now);
    insertParameters(insert, sizes, now);
    const tokens = Array.from({ length: sizes.companies }, (_, n) => {
      const token = randomBytes(20).toString('hex');
      insertMember(insert, `other-${n}`, token, now);
      return token;
    });
    return { ...data, sizes, tokens };
  });
}

function insertParameters(insert: Insert, { devices }: Sizes, now: number): void {
  const parameter = (owner: object, key: string): void => {
    const row = { company_id: 1, group_id: null, logical_number_id: null, ...owner };
    insert('parameters', { ...row, key, value: `value of ${key}`, ...audit(now) });
  };
  for (let n = 1; n <= GROUPS; n += 1) {
    for (let k = 0; k < PARAMETERS_OF_GROUP; k += 1) parameter({ group_id: n }, `key_${k}`);
  }
  for (let n = 1; n <= devices; n += 1) {
    for (let k = 0; k < PARAMETERS_OF_NUMBER; k += 1) parameter({ logical_number_id: n }, `key_${k}`);
  }
}

/** A PostgreSQL server that holds what a file holds. */
export interface Place {
  readonly url: string;
  /** URL of the same database for a user who bypasses row-level security. */
  readonly adminUrl: string;
  /** Id of the process whose child processes are the server. */
  readonly pid: number;
  query<Row extends pg.QueryResultRow>(statement: string): Promise<readonly Row[]>;
  stop(): Promise<void>;
}

const SETTINGS = {
  ...{ fsync: 'on', synchronous_commit: 'on', full_page_writes: 'on' },
  ...{ shared_buffers: '256MB', max_wal_size: '4GB' },
};

/** Starts a server with its files on a disk, as the file is, and copies everything into it. */
export async function copyToPostgres(file: string): Promise<Place> {
  const server = await startPostgres(SETTINGS, tmpdir());
  const url = await createDatabase(server);
  const boot = new URL('../../../dist/boot.js', import.meta.url).pathname;
  execFileSync(process.execPath, [boot, 'db', 'copy', '--from', `file:${file}`, '--to', url], {
    stdio: 'ignore',
  });
  const admin = new URL(server.adminUrl);
  admin.pathname = new URL(url).pathname;
  const client = new pg.Client({ connectionString: admin.href });
  await client.connect();
  await client.query('vacuum analyze');
  await client.query('checkpoint');
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  return {
    url,
    adminUrl: admin.href,
    pid: parentOf(rows[0]?.pid ?? 0),
    query: async <Row extends pg.QueryResultRow>(statement: string) =>
      (await client.query<Row>(statement)).rows,
    stop: async () => {
      await client.end();
      await server.stop();
    },
  };
}

/** Starts the built server on a database. */
export async function startNode(name: string, databaseUrl: string): Promise<BenchServer> {
  return await start(name, '../../dist/boot.js', ['serve'], {
    DATABASE_URL: databaseUrl,
    TOKEN_SECRET: 'a secret of nodes that are measured',
    ...{ PORT: '0', RATE_LIMIT_PER_HOUR: '0', LOG_LEVEL: 'warn', NODE_ENV: 'production' },
  });
}
