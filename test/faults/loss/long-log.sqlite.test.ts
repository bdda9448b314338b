import Sqlite from 'better-sqlite3';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

import { placeAt, urlOf } from '../../support/databases/sqlite-place.js';
import { inOtherProcess } from '../../support/other-process.js';
import { prepareDatabase } from '../../support/prepared-database.js';
import { startProgram, type Program } from '../../support/program.js';
import { useScratchFolder } from '../machine.js';
import { problemsIn } from '../soundness.js';

const MEGABYTE = 1024 * 1024;
const LONG = 256 * MEGABYTE;

let file: string;
useScratchFolder((scratch) => ({ file } = scratch));

const READ = `
  const database = new (require('better-sqlite3'))(process.argv[1], { readonly: true });
  database.exec('begin');
  database.prepare('select count(*) from ledger').get();
  process.stdout.write('reading');
  setInterval(() => undefined, 1000);`;

const logBytes = (): number => statSync(`${file}-wal`).size;

/** Another program that writes to the database: the log grows without the work of large uploads. */
class Filler {
  readonly #database = new Sqlite(file);

  constructor() {
    this.#database.exec('create table filler (bytes blob)');
  }

  /** Makes the log at least as long as this. */
  fill(bytes: number): void {
    this.#database.pragma('wal_autocheckpoint = 0');
    const insert = this.#database.prepare('insert into filler values (zeroblob(?))');
    while (logBytes() < bytes) insert.run(16 * MEGABYTE);
  }

  remove(): void {
    this.#database.exec('pragma secure_delete = off; drop table filler');
    this.#database.close();
  }
}

/** Changes many pages, so that the server looks at its log. */
async function upload(program: Program, token: string, name: string): Promise<void> {
  const form = new FormData();
  form.set('asset', new Blob([Buffer.alloc(MEGABYTE, name)]), name);
  expect((await program.client(token).post('files', form)).status).toBe(201);
}

async function metricOf(program: Program, name: string): Promise<number> {
  const { text } = await program.client(null).get('/metrics');
  return Number(new RegExp(`^${name} (\\d+)`, 'm').exec(text)?.[1]);
}

const readiness = async (program: Program) => (await program.client(null).get('/readyz')).body;

describe('LS-05 a log that a reader of another process keeps from being written back', () => {
  it('is reported from 256 MiB on, makes the server unready at the setting, and shrinks afterwards', async () => {
    const { token } = await prepareDatabase(placeAt(file));
    const filler = new Filler();
    const program = await startProgram(urlOf(file), {
      environment: { MAX_WAL_BYTES: String(300 * MEGABYTE) },
    });
    await upload(program, token, 'file 1');
    const reader = await inOtherProcess(READ, file);
    filler.fill(LONG);
    await upload(program, token, 'file 2');
    await expect.poll(() => program.stdout()).toContain('the write-ahead log is long');
    expect(await metricOf(program, 'database_log_long')).toBe(1);
    expect(await readiness(program)).toMatchObject({ status: 'ready', checks: { log: { ok: true } } });

    filler.fill(300 * MEGABYTE);
    expect(await readiness(program)).toMatchObject({
      status: 'not_ready',
      checks: { log: { ok: false, problem: 'too_long' } },
    });

    reader.kill('SIGKILL');
    await once(reader, 'exit');
    filler.remove();
    let written = 2;
    const bytesAfterChange = async (): Promise<number> => {
      written += 1;
      await upload(program, token, `file ${written}`);
      return logBytes();
    };
    await expect.poll(bytesAfterChange).toBeLessThan(64 * MEGABYTE);
    expect(await readiness(program)).toMatchObject({ status: 'ready' });
    expect(await metricOf(program, 'database_log_long')).toBe(0);
    const files = await program.client(token).get('files');
    expect(files.body.pagination).toMatchObject({ total_entries: written });
    expect(await program.end('SIGTERM')).toEqual({ code: 0, signal: null });
    expect(await problemsIn(placeAt(file))).toEqual([]);
    expect(program.stdout().match(/write-ahead log is long/g)).toHaveLength(1);
  });
});
