import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';

import { killPrograms } from '../../support/program.js';
import { FAST, faultyPostgres, type FaultyPostgres } from './faulty-postgres.js';
import { addCompany, recovered, startGateway, startLoad, unexpected } from './gateway.js';

let server: FaultyPostgres;
let token: string;
beforeAll(async () => {
  server = await faultyPostgres({ settings: FAST });
  token = await addCompany(server.url);
});
afterEach(killPrograms);
afterAll(() => server.remove());

describe('CF-17 a restart of PostgreSQL under load', () => {
  it.each(['SIGINT', 'SIGQUIT'] as const)(
    'by %s: 503 meanwhile, and recovered within 10 s',
    async (signal) => {
      const program = await startGateway(server.url);
      const client = program.client(token);
      await recovered(client);
      const load = startLoad(client);
      await sleep(1_500);
      await server.end(signal);
      await sleep(1_500);
      expect((await client.get('/healthz')).status).toBe(200);
      const ready = await client.get('/readyz');
      expect([ready.status, ready.body.checks]).toEqual([
        503,
        expect.objectContaining({ database: { ok: false, problem: 'storage_unavailable' } }),
      ]);
      await server.start();
      const took = await recovered(client);
      await sleep(1_000);
      const answers = await load.stop();
      expect(unexpected(answers)).toEqual([]);
      expect(answers.filter(({ status }) => status === 503).length).toBeGreaterThan(50);
      expect(answers.filter(({ status }) => status < 300).length).toBeGreaterThan(100);
      expect(took).toBeLessThan(10_000);
      expect((await client.get('/readyz')).status).toBe(200);
      expect(program.process.exitCode).toBeNull();
      expect(program.output()).not.toContain('unexpected error');
      expect(await program.end('SIGTERM')).toEqual({ code: 0, signal: null });
    },
  );
});
