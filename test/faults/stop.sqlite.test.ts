import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

import type { TestPlace } from '../support/databases/place.js';
import { audited, insertMany } from '../support/databases/rows.js';
import { fileOf } from '../support/databases/sqlite-place.js';
import { prepareDatabase } from '../support/prepared-database.js';
import { startProgram } from '../support/program.js';
import { startUpload } from '../support/started-upload.js';
import { useDatabase } from './machine.js';

let place: TestPlace;
useDatabase((given) => ({ place } = given));

describe('CF-25 graceful stop', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)('%s copies the log of uploads in flight', async (signal) => {
    const { token } = await prepareDatabase(place);
    const program = await startProgram(place.url);
    const upload = await startUpload(program.url, token, 'file');
    program.process.kill(signal);
    expect((await upload.finish()).status).toBe(201);
    expect(await program.ended).toEqual({ code: 0, signal: null });
    expect(existsSync(`${fileOf(place)}-wal`)).toBe(false);
  });

  it('ends the threads that have examined many rows', async () => {
    const { token } = await prepareDatabase(place);
    const [company] = await place.sql<{ id: number }>('select id from companies');
    const [user] = await place.sql<{ id: number }>('select id from users');
    await insertMany(place, ['groups', company?.id ?? 0, 6_000], (n) => ({
      name: `group ${n}`,
      ...audited(user?.id ?? 0),
    }));
    const program = await startProgram(place.url);
    const client = program.client(token);
    const { body } = await client.get('groups', undefined, { query: { page: '200' } });
    expect(body).toMatchObject({ groups: { length: 30 } });
    const metrics = await (await fetch(new URL('/metrics', program.url))).text();
    expect(metrics).toContain('database_reader_threads 1');
    expect(await program.end('SIGTERM')).toEqual({ code: 0, signal: null });
    expect(existsSync(`${fileOf(place)}-wal`)).toBe(false);
  });
});
