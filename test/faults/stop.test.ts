import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';

import type { TestPlace } from '../support/databases/place.js';
import { serveHere, type Program } from '../support/program.js';
import { startUpload } from '../support/started-upload.js';
import { startPrepared, useDatabase } from './machine.js';
import { problemsIn } from './soundness.js';

let folder: string;
let place: TestPlace;
useDatabase((given) => ({ folder, place } = given));

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
  it.each(['SIGTERM', 'SIGINT'] as const)('%s lets the requests in flight finish', async (signal) => {
    const { token, client, program } = await startPrepared(place);
    const uploads = await Promise.all([1, 2, 3, 4].map((n) => startUpload(program.url, token, `file ${n}`)));
    const writes = Array.from({ length: 20 }, (_, n) => client.post('groups', { name: `group ${n}` }));
    await writes[0];
    program.process.kill(signal);
    const settled = await Promise.allSettled(writes);
    await expect.poll(() => refusesConnections(program)).toBe(true);
    const responses = await Promise.all(uploads.map((upload) => upload.finish()));
    expect(responses.map((response) => response.status)).toEqual([201, 201, 201, 201]);
    expect(await program.ended).toEqual({ code: 0, signal: null });
    const created = settled.filter((each) => each.status === 'fulfilled' && each.value.status === 201);
    expect(created.length).toBeGreaterThan(0);
    const [stored] = await place.sql<{ total: number }>('select count(*) as total from groups');
    expect(stored?.total).toBe(created.length);
    expect(await problemsIn(place)).toEqual([]);
    // The log of a SQLite database was copied into its file.
    expect(readdirSync(folder).filter((name) => name.endsWith('-wal'))).toEqual([]);
  });

  it('CF-42 only SIGINT seconds later ends it at once, and an incomplete upload is not stored', async () => {
    const { token, program } = await startPrepared(place);
    const upload = await startUpload(program.url, token, 'half');
    upload.sent.on('error', () => undefined);
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGTERM'] as const) program.process.kill(signal);
    await expect.poll(() => refusesConnections(program)).toBe(true);
    await sleep(2_500);
    program.process.kill('SIGTERM');
    await sleep(100);
    expect([program.process.exitCode, program.stdout().match(/"stopping"/g)]).toMatchObject([
      null,
      { length: 1 },
    ]);
    expect(await program.end('SIGINT')).toEqual({ code: 1, signal: null });
    const again = await serveHere(place.url);
    expect((await again.client(token).get('files')).body.pagination).toMatchObject({ total_entries: 0 });
    expect(await problemsIn(place)).toEqual([]);
  });
});

describe('CF-31 a log whose reader has gone', () => {
  it('does not stop the server; lost lines are counted', async () => {
    const { client, program } = await startPrepared(place, { environment: { LOG_LEVEL: 'debug' } });
    program.process.stdout.destroy();
    program.process.stderr.destroy();
    for (let n = 0; n < 20; n += 1) {
      expect((await client.post('groups', { name: `group ${n}` })).status).toBe(201);
    }
    const metrics = await client.get('/metrics');
    expect(Number(/^\w*log_lines_lost\w* (\d+)$/m.exec(metrics.text)?.[1])).toBeGreaterThan(0);
    program.process.kill('SIGTERM');
    await once(program.process, 'exit');
    expect([program.process.exitCode, await problemsIn(place)]).toEqual([0, []]);
  });
});
