import Sqlite from 'better-sqlite3';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';

import { drawnBefore } from '../support/drawn-ids.js';
import { prepareDatabase } from '../support/prepared-database.js';
import { startProgram, type Program } from '../support/program.js';
import { startUpload } from '../support/started-upload.js';
import { useScratchFolder } from './machine.js';
import { problemsIn } from './soundness.js';

let file: string;
useScratchFolder((scratch) => ({ file } = scratch));

async function refusesConnections(program: Program): Promise<boolean> {
  const { port, hostname } = new URL(program.url);
  const socket = connect(Number(port), hostname);
  const refused = await Promise.race([
    once(socket, 'error').then(() => true),
    once(socket, 'connect').then(() => false),
  ]);
  socket.destroy();
  return refused;
}

describe('CF-25 graceful stop', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)('%s lets the uploads in flight finish', async (signal) => {
    const { token } = await prepareDatabase(file);
    const program = await startProgram(file);
    const uploads = await Promise.all([1, 2, 3, 4].map((n) => startUpload(program.url, token, `file ${n}`)));
    program.process.kill(signal);
    await expect.poll(() => refusesConnections(program)).toBe(true);
    const responses = await Promise.all(uploads.map((upload) => upload.finish()));
    expect(responses.map((response) => response.status)).toEqual([201, 201, 201, 201]);
    expect(await program.ended).toEqual({ code: 0, signal: null });
    expect([existsSync(`${file}-wal`), problemsIn(file)]).toEqual([false, []]);
  });

  it('ends the threads that have examined many rows', async () => {
    const { token } = await prepareDatabase(file);
    const other = new Sqlite(file);
    const company = Number(other.prepare('select id from companies').pluck().get());
    const before = drawnBefore(other, 'groups', company, 6000);
    const user = Number(other.prepare('select id from users').pluck().get());
    other.exec(`with recursive n(i) as (select 1 union all select i + 1 from n where i < 6000)
      insert into groups (company_id, id, name, revision, created_at, updated_at, created_by, created_via)
      select ${company}, ${before} + i, 'group ' || i, 1, 0, 0, ${user}, 'api' from n`);
    other.close();
    const program = await startProgram(file);
    const client = program.client(token);
    const { body } = await client.get('groups', undefined, { query: { page: '200' } });
    expect(body).toMatchObject({ groups: { length: 30 } });
    const metrics = await (await fetch(new URL('/metrics', program.url))).text();
    expect(metrics).toContain('database_reader_threads 1');
    expect(await program.end('SIGTERM')).toEqual({ code: 0, signal: null });
    expect(existsSync(`${file}-wal`)).toBe(false);
  });

  it('Ctrl-C seconds later ends it at once, and an incomplete upload is not stored', async () => {
    const { token } = await prepareDatabase(file);
    const program = await startProgram(file);
    const upload = await startUpload(program.url, token, 'half');
    upload.sent.on('error', () => undefined);
    program.process.kill('SIGTERM');
    await expect.poll(() => refusesConnections(program)).toBe(true);
    await sleep(2_500);
    expect(await program.end('SIGINT')).toEqual({ code: 1, signal: null });
    const again = await startProgram(file);
    expect((await again.client(token).get('files')).body.pagination).toMatchObject({ total_entries: 0 });
    expect(problemsIn(file)).toEqual([]);
  });
});

describe('CF-31 a log whose reader has gone', () => {
  it('does not stop the server; lost lines are counted', async () => {
    const { token } = await prepareDatabase(file);
    const program = await startProgram(file, { environment: { LOG_LEVEL: 'debug' } });
    const client = program.client(token);
    program.process.stdout?.destroy();
    program.process.stderr?.destroy();
    for (let n = 0; n < 20; n += 1) {
      expect((await client.post('groups', { name: `group ${n}` })).status).toBe(201);
    }
    const metrics = await client.get('/metrics');
    expect(Number(/^\w*log_lines_lost\w* (\d+)$/m.exec(metrics.text)?.[1])).toBeGreaterThan(0);
    program.process.kill('SIGTERM');
    await once(program.process, 'exit');
    expect([program.process.exitCode, problemsIn(file)]).toEqual([0, []]);
  });
});
