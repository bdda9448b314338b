import { execFileSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import pg from 'pg';

import { adminUrlOf, createDatabase, startPostgres } from '../../support/postgres/boot.js';
import { PROGRAM } from '../../support/program.js';
import { parentOf } from '../servers.js';

const SETTINGS = {
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
  shared_buffers: '256MB',
  max_wal_size: '4GB',
};

export type Postgres = Awaited<ReturnType<typeof copyToPostgres>>;

/** Starts a server with its files on a disk, and copies everything in a SQLite file into it. */
export async function copyToPostgres(file: string) {
  const server = await startPostgres(SETTINGS, tmpdir());
  const url = await createDatabase(server);
  const copy = ['db', 'copy', '--from', `file:${file}`, '--to', url];
  execFileSync(process.execPath, [PROGRAM, ...copy], { stdio: 'ignore' });
  const client = new pg.Client({ connectionString: adminUrlOf(server, url) });
  await client.connect();
  await client.query('vacuum analyze');
  await client.query('checkpoint');
  /** The first row of a query, as a user who sees all rows. */
  const first = async (query: string): Promise<Readonly<Record<string, string | number>>> => {
    const { rows } = await client.query<Record<string, string | number>>(query);
    return rows[0] ?? {};
  };
  const { pid } = await first('select pg_backend_pid() as pid');
  return {
    url,
    /** Id of the process whose child processes are the server. */
    pid: parentOf(Number(pid)),
    first,
    stop: async () => {
      await client.end();
      await server.stop();
    },
  };
}
