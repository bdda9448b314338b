import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';

import { killPrograms } from '../../support/program.js';
import { FAST, faultyPostgres, type FaultyPostgres } from './faulty-postgres.js';
import { addCompany, recovered, startGateway, startLoad, requested } from './gateway.js';

let server: FaultyPostgres;
let token: string;
beforeAll(async () => {
  server = await faultyPostgres({ settings: FAST });
  token = await addCompany(server.url);
});
afterEach(killPrograms);
afterAll(() => server.remove());

/** As at a failover: connections end, and those that follow see the new state. */
async function setReadOnly(isReadOnly: boolean, where: 'system' | 'database gateway'): Promise<void> {
  await server.admin(
    // A superuser may always turn it off for one transaction.
    'set default_transaction_read_only = off',
    `alter ${where} set default_transaction_read_only = ${isReadOnly ? 'on' : 'off'}`,
    'select pg_reload_conf()',
    "select pg_terminate_backend(pid) from pg_stat_activity where usename = 'gateway_owner'",
  );
  await sleep(500);
}

describe('CF-21 a database that becomes read-only, as at a failover', () => {
  it.each(['system', 'database gateway'] as const)('set for the %s', async (where) => {
    const program = await startGateway(server.url);
    const client = program.client(token);
    await recovered(client);
    const load = startLoad(client, 40);
    await setReadOnly(true, where);
    for (let n = 0; n < 5; n += 1) {
      const write = await requested(client, 'POST', 'groups', { name: `refused ${where} ${n}` });
      expect([write.status, write.code]).toEqual([503, 'storage_read_only']);
      expect(write.retryAfter).toBeGreaterThan(0);
      expect((await requested(client, 'GET', 'groups')).status).toBe(200);
    }
    const ready = await client.get('/readyz');
    expect([ready.status, ready.body.checks]).toEqual([
      503,
      expect.objectContaining({ database: { ok: false, problem: 'storage_read_only' } }),
    ]);
    // A server that starts meanwhile serves reads too.
    const second = await startGateway(server.url);
    expect((await second.client(token).get('groups')).status).toBe(200);
    expect(await second.end('SIGTERM')).toEqual({ code: 0, signal: null });
    await setReadOnly(false, where);
    await recovered(client);
    const answers = await load.stop();
    expect(answers.filter(({ status }) => ![200, 201, 503].includes(status))).toEqual([]);
    expect((await client.get('/readyz')).status).toBe(200);
    expect(program.output()).not.toContain('unexpected error');
  });
});
