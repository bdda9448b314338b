/** PostgreSQL as the machine has it, with programs for backups and standbys that the one of the packages lacks. */
import { execFileSync } from 'node:child_process';
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { OTHER_USER, OwnServer } from './boot.js';

const BIN = globSync('/usr/lib/postgresql/*/bin')
  .filter((bin) => existsSync(join(bin, 'postgres')) && Number(bin.split('/')[4]) >= 15)
  .toSorted()
  .at(-1);

/** Null if it is there, otherwise the reason to skip a test. */
export const WITHOUT_POSTGRES = BIN === undefined ? 'PostgreSQL is not installed' : null;

/** Folder of its programs. */
export const binOf = (): string => BIN ?? '';

/** Starts a server whose files are on the disk, with the settings of PostgreSQL. */
export async function installedPostgres(settings: Readonly<Record<string, string>> = {}): Promise<OwnServer> {
  return await OwnServer.create(settings, tmpdir(), binOf());
}

/** Runs `pg_basebackup` into an empty folder of the server's user. */
export function baseBackup(server: OwnServer, data: string, ...options: readonly string[]): void {
  const url = new URL(server.adminUrl);
  url.searchParams.set('application_name', 'db2');
  const args = ['--pgdata', data, '--dbname', url.href, '--checkpoint=fast', ...options];
  execFileSync(join(binOf(), 'pg_basebackup'), args, { ...OTHER_USER, cwd: '/', stdio: 'pipe' });
}

/** Adds lines before those of the file that says who may connect. */
export function admit(server: OwnServer, lines: string): void {
  const file = join(server.folder, 'data', 'pg_hba.conf');
  writeFileSync(file, `${lines}\n${readFileSync(file, 'utf8')}`);
}
