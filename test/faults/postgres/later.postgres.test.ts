import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:https';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { createClient } from '../../support/client.js';
import { PROGRAM } from '../../support/program.js';
import { selfSigned } from '../../support/self-signed.js';
import { FAST, faultyPostgres, type FaultyPostgres } from './faulty-postgres.js';
import { addCompany, recovered, runGateway, settingsFor } from './gateway.js';

let server: FaultyPostgres;
let token: string;
beforeAll(async () => {
  server = await faultyPostgres({ settings: FAST });
  token = await addCompany(server.url);
});
beforeEach(() => server.end('SIGINT'));
const started: ChildProcess[] = [];
afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL');
});
afterAll(() => server.remove());

interface Waiting {
  readonly url: string;
  readonly process: ChildProcess;
  readonly output: () => string;
  readonly ended: Promise<readonly unknown[]>;
}

/** Starts `serve`; resolves once it listens while its database cannot be reached. */
async function startWaiting(
  database: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<Waiting> {
  const environment = { PATH: process.env.PATH, PORT: '0', ...settingsFor(database), ...settings };
  const child = spawn(process.execPath, [PROGRAM, 'serve'], { env: environment });
  started.push(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (bytes: Buffer) => (output += bytes.toString()));
  }
  const ended = once(child, 'close');
  await expect.poll(() => output).toContain('cannot be reached yet');
  const url = /"url":"([^"]+)"/.exec(output)?.[1] ?? '';
  return { url, process: child, output: () => output, ended };
}

describe('CF-19 the server starts before PostgreSQL', () => {
  it('listens, answers 503, and becomes ready by itself', async () => {
    const { url, process: child, output } = await startWaiting(server.url);
    const client = createClient(url, token);
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
    expect(output()).toContain(`listens on ${url}`);
    // One line at most each 30 seconds.
    expect(output().match(/cannot be reached yet/g)).toHaveLength(1);
    child.kill('SIGTERM');
    expect(await once(child, 'close')).toEqual([0, null]);
  });

  it('listens with TLS too', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'terminal-gateway-tls-'));
    try {
      selfSigned(folder);
      const [TLS_CERT_FILE, TLS_KEY_FILE] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
      chmodSync(TLS_KEY_FILE, 0o600);
      const { url } = await startWaiting(server.url, { TLS_CERT_FILE, TLS_KEY_FILE });
      expect(await statusOf(`${url}/healthz`)).toBe(200);
      expect(await statusOf(`${url}/v1/groups`)).toBe(503);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('ends at once with 0 at SIGTERM', async () => {
    const { process: child, ended } = await startWaiting(server.url);
    child.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
  });

  it('ends with 78 once PostgreSQL says that the password is wrong', async () => {
    const url = new URL(server.url);
    url.password = 'wrong';
    const { ended, output } = await startWaiting(url.href);
    await server.start();
    expect(await ended).toEqual([78, null]);
    expect(output()).toContain('the password or the user is wrong');
  });

  it('waits for a place among its connections', async () => {
    const limited = await faultyPostgres({ settings: { ...FAST, max_connections: '10' } });
    try {
      await limited.admin('alter role gateway_owner connection limit 0');
      const { url } = await startWaiting(limited.url);
      await limited.admin('alter role gateway_owner connection limit -1');
      await expect.poll(async () => (await createClient(url, null).get('/readyz')).status).toBe(200);
    } finally {
      await limited.remove();
    }
  });

  it('waits for a PostgreSQL that takes connections and does not answer', async () => {
    await server.start();
    server.signal('SIGSTOP');
    const { url } = await startWaiting(server.url);
    expect((await createClient(url, token).get('groups')).status).toBe(503);
    server.signal('SIGCONT');
    await recovered(createClient(url, token));
  });

  it('ends if its port is in use', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as { port: number };
    const refused = await runGateway(['serve'], server.url, { PORT: String(port) });
    other.close();
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringContaining('is in use by another program'),
    ]);
  });

  it('lets commands give up, with 75', async () => {
    for (const command of [
      ['user', 'list'],
      ['db', 'check'],
    ]) {
      const refused = await runGateway(command, server.url);
      expect([refused.code, refused.stdout]).toEqual([75, '']);
      expect(refused.stderr).toMatch(/^postgres:\/\/127\.0\.0\.1:\d+\/gateway cannot be reached \([^\n]+\n$/);
    }
  });
});

async function statusOf(url: string): Promise<number> {
  return await new Promise((resolve, reject) => {
    request(url, { rejectUnauthorized: false }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    })
      .on('error', reject)
      .end();
  });
}
