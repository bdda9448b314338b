import Sqlite from 'better-sqlite3';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

import { placeAt, urlOf } from '../support/databases/sqlite-place.js';
import { metricOf } from '../support/gauges.js';
import { inOtherProcess } from '../support/other-process.js';
import { prepareDatabase } from '../support/prepared-database.js';
import { type Program, runCommand, runProgram, serveHere, startProgram } from '../support/program.js';
import { MEGABYTE, namesOf, servePrepared, upload, useScratchFolder } from './machine.js';
import { problemsIn } from './soundness.js';

let folder: string;
let file: string;
useScratchFolder((scratch) => ({ folder, file } = scratch));
describe('CF-30 a backup under writes, restored elsewhere', () => {
  it('has every change acknowledged before it, and can be served', async () => {
    const { token, client } = await servePrepared(placeAt(file));
    const acknowledged: string[] = [];
    let done = false;
    const write = async (writer: number): Promise<void> => {
      for (let n = 0; !isDone(); n += 1) {
        const name = `group ${writer}.${n}`;
        expect((await client.post('groups', { name })).status).toBe(201);
        acknowledged.push(name);
      }
    };
    const isDone = (): boolean => done;
    const writing = Promise.all([1, 2, 3, 4].map(write));
    await expect.poll(() => acknowledged.length).toBeGreaterThan(50);

    const backup = join(folder, 'backup.db');
    const before = [...acknowledged];
    expect((await runProgram(['db', 'backup', backup], urlOf(file))).code).toBe(0);
    done = true;
    await writing;
    expect(statSync(backup).mode & 0o777).toBe(0o600);

    const restoredFile = join(folder, 'elsewhere', 'gateway.db');
    expect((await runCommand(['db', 'restore', backup], urlOf(restoredFile))).code).toBe(0);
    expect(await problemsIn(placeAt(restoredFile))).toEqual([]);
    const restored = await serveHere(urlOf(restoredFile));
    const names = new Set(await namesOf(restored.client(token), 'groups'));
    expect(before.filter((name) => !names.has(name))).toEqual([]);
    expect([...names].filter((name) => !acknowledged.includes(name))).toEqual([]);
    expect((await restored.client(token).post('groups', { name: 'served' })).status).toBe(201);
  });
});

const LONG = 256 * MEGABYTE;

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
async function uploadTo(program: Program, token: string, name: string): Promise<void> {
  expect((await program.client(token).post('files', upload(name))).status).toBe(201);
}

const readiness = async (program: Program) => (await program.client(null).get('/readyz')).body;

describe('LS-05 a log that a reader of another process keeps from being written back', () => {
  it('is reported from 256 MiB on, makes the server unready at the setting, and shrinks afterwards', async () => {
    const { token } = await prepareDatabase(placeAt(file));
    const filler = new Filler();
    const program = await startProgram(urlOf(file), {
      environment: { MAX_WAL_BYTES: String(300 * MEGABYTE) },
    });
    await uploadTo(program, token, 'file 1');
    const reader = await inOtherProcess(READ, file);
    filler.fill(LONG);
    await uploadTo(program, token, 'file 2');
    await expect.poll(() => program.stdout()).toContain('the write-ahead log is long');
    expect(await metricOf(program.url, 'database_log_long')).toBe(1);
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
      await uploadTo(program, token, `file ${written}`);
      return logBytes();
    };
    await expect.poll(bytesAfterChange).toBeLessThan(64 * MEGABYTE);
    expect(await readiness(program)).toMatchObject({ status: 'ready' });
    expect(await metricOf(program.url, 'database_log_long')).toBe(0);
    const files = await program.client(token).get('files');
    expect(files.body.pagination).toMatchObject({ total_entries: written });
    expect(await program.end('SIGTERM')).toEqual({ code: 0, signal: null });
    expect(await problemsIn(placeAt(file))).toEqual([]);
    expect(program.stdout().match(/write-ahead log is long/g)).toHaveLength(1);
  });
});
