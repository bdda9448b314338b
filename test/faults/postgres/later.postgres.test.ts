import { once } from 'node:events';
import { chmodSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { sendHttp } from '../../support/client.js';
import { FAST, faultyPostgres, type OwnServer } from '../../support/postgres/boot.js';
import { killPrograms, runCommand, runProgram, startProgram, type Program } from '../../support/program.js';
import { scratchFolder, selfSigned } from '../../support/scratch.js';
import { recovered } from '../load.js';
import { addCompany } from './gateway.js';

let server: OwnServer;
let token: string;
beforeAll(async () => {
  server = await faultyPostgres(FAST);
  token = await addCompany(server.url);
});
beforeEach(() => server.end('SIGINT'));
afterEach(killPrograms);
afterAll(() => server.stop());

/** Starts `serve`; resolves once it listens while its database cannot be reached. */
function startWaiting(
  database: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<Program> {
  return startProgram(database, { environment, started: /"url":"([^"]+)".*cannot be reached yet/ });
}

describe('CF-19 the server starts before PostgreSQL', () => {
  it('listens, answers 503, and becomes ready by itself', async () => {
    const program = await startWaiting(server.url);
    const client = program.client(token);
    expect((await client.get('/healthz')).status).toBe(200);
    const ready = await client.get('/readyz');
    expect([ready.status, ready.body]).toEqual([
      503,
      {
        status: 'not_ready',
        checks: { database: { ok: false, problem: 'storage_unavailable' }, running: { ok: true } },
      },
    ]);
    expect(ready.headers.get('retry-after')).not.toBeNull();
    for (const path of ['groups', '/graphql', '/openapi.json']) {
      const reply = await client.get(path);
      expect([reply.status, reply.body.code]).toEqual([503, 'storage_unavailable']);
      expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0);
    }
    const created = await client.post('groups', { name: 'early' });
    expect([created.status, created.body.code]).toEqual([503, 'storage_unavailable']);
    await server.start();
    await recovered(client);
    expect((await client.get('/readyz')).status).toBe(200);
    expect(program.output()).toContain(`listens on ${program.url}`);
    // One line at most each 30 seconds.
    expect(program.output().match(/cannot be reached yet/g)).toHaveLength(1);
    expect(await program.end('SIGTERM')).toEqual({ code: 0, signal: null });
  });

  it('listens with TLS too, and ends at once with 0 at SIGTERM', async () => {
    const folder = scratchFolder();
    selfSigned(folder);
    const [TLS_CERT_FILE, TLS_KEY_FILE] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
    chmodSync(TLS_KEY_FILE, 0o600);
    const program = await startWaiting(server.url, { TLS_CERT_FILE, TLS_KEY_FILE });
    expect((await sendHttp(`${program.url}/healthz`)).status).toBe(200);
    expect((await sendHttp(`${program.url}/v1/groups`)).status).toBe(503);
    expect(await program.end('SIGTERM')).toEqual({ code: 0, signal: null });
  });

  it('ends with 78 once PostgreSQL says that the password is wrong', async () => {
    const url = new URL(server.url);
    url.password = 'wrong';
    const program = await startWaiting(url.href);
    await server.start();
    expect(await program.ended).toEqual({ code: 78, signal: null });
    expect(program.output()).toContain('the password or the user is wrong');
  });

  it('waits for a place among its connections', async () => {
    await server.start();
    await server.admin('alter role gateway_owner connection limit 0');
    const program = await startWaiting(server.url);
    await server.admin('alter role gateway_owner connection limit -1');
    await expect.poll(async () => (await program.client(null).get('/readyz')).status).toBe(200);
  });

  it('waits for a PostgreSQL that takes connections and does not answer', async () => {
    await server.start();
    server.signal('SIGSTOP');
    const client = (await startWaiting(server.url)).client(token);
    expect((await client.get('groups')).status).toBe(503);
    server.signal('SIGCONT');
    await recovered(client);
  });

  it('ends if its port is in use', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as { port: number };
    const refused = await runProgram(['serve'], server.url, { environment: { PORT: String(port) } });
    other.close();
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringContaining('is in use by another program'),
    ]);
  });

  it('lets commands give up, with 75', async () => {
    const commands = [
      ['user', 'list'],
      ['db', 'check'],
    ];
    for (const refused of await Promise.all(commands.map((command) => runCommand(command, server.url)))) {
      expect([refused.code, refused.stdout]).toEqual([75, '']);
      expect(refused.stderr).toMatch(/^postgres:\/\/127\.0\.0\.1:\d+\/gateway cannot be reached \([^\n]+\n$/);
    }
  });
});
