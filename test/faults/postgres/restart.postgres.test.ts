import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';

import { killPrograms } from '../../support/program.js';
import { FAST, faultyPostgres, type FaultyPostgres } from './faulty-postgres.js';
import { addCompany, recovered, startGateway, startLoad, unexpected, type Answer } from './gateway.js';

let server: FaultyPostgres;
let token: string;
beforeAll(async () => {
  server = await faultyPostgres({ settings: FAST });
  token = await addCompany(server.url);
});
afterEach(killPrograms);
afterAll(() => server.remove());

const count = (answers: readonly Answer[], ...statuses: readonly number[]): number =>
  answers.filter(({ status }) => statuses.includes(status)).length;

describe('CF-17 a restart of PostgreSQL under load', () => {
  it.each(['SIGINT', 'SIGQUIT'] as const)(
    'by %s: 503 meanwhile, and it goes on afterwards',
    async (signal) => {
      const program = await startGateway(server.url);
      const client = program.client(token);
      await recovered(client);
      const load = startLoad(client);
      await expect.poll(() => count(load.answers, 200, 201)).toBeGreaterThan(100);
      await server.end(signal);
      await expect.poll(() => count(load.answers, 503)).toBeGreaterThan(50);
      expect((await client.get('/healthz')).status).toBe(200);
      const ready = await client.get('/readyz');
      expect([ready.status, ready.body.checks]).toEqual([
        503,
        expect.objectContaining({ database: { ok: false, problem: 'storage_unavailable' } }),
      ]);
      await server.start();
      await recovered(client);
      const before = count(load.answers, 200, 201);
      await expect.poll(() => count(load.answers, 200, 201)).toBeGreaterThan(before + 100);
      expect(unexpected(await load.stop())).toEqual([]);
      expect((await client.get('/readyz')).status).toBe(200);
      expect(program.process.exitCode).toBeNull();
      expect(program.output()).not.toContain('unexpected error');
      expect(await program.end('SIGTERM')).toEqual({ code: 0, signal: null });
    },
  );
});
