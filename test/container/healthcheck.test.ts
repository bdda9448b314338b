import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';

import { ROOT } from '../documents/markdown.js';
import { removeFolder, scratchFolder, selfSigned } from '../support/scratch.js';
import { startServer } from '../support/server.js';

/** Runs the health check with these variables; resolves to its exit code and output. */
async function check(environment: Readonly<Record<string, string>>): Promise<[number | null, string]> {
  const script = `${ROOT}.config/container/healthcheck.js`;
  const child = spawn(process.execPath, [script], { env: environment, stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.on('data', (bytes: Buffer) => (output += bytes.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  return [code, output];
}

const portOf = (url: string): string => new URL(url).port;

describe('.config/container/healthcheck.js', () => {
  it('ends with 0 while the server is ready, and with 1 while it is not or has stopped', async () => {
    const server = await startServer();
    onTestFinished(() => server.stop());
    const PORT = portOf(server.url);
    expect(await check({ PORT })).toEqual([0, expect.stringContaining('"status":"ready"')]);
    server.app.database.health.report('storage_full');
    expect(await check({ PORT })).toEqual([1, expect.stringContaining('storage_full')]);
    await server.app.stop(1_000);
    expect(await check({ PORT })).toEqual([1, expect.stringContaining('ECONNREFUSED')]);
  });

  it('speaks HTTPS if the server does, whatever the name in the certificate', async () => {
    const folder = scratchFolder();
    const tls = selfSigned(folder);
    const server = await startServer({ tls });
    onTestFinished(async () => {
      await server.stop();
      removeFolder(folder);
    });
    const PORT = portOf(server.url);
    expect(await check({ PORT, TLS_CERT_FILE: `${folder}/cert.pem` })).toEqual([0, expect.any(String)]);
    expect(await check({ PORT })).toEqual([1, expect.any(String)]);
  });

  it('ends with 1 if nothing comes within 4 seconds', async () => {
    const silent = createServer(() => undefined).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    onTestFinished(() => {
      silent.close();
      silent.closeAllConnections();
    });
    const { port } = silent.address() as AddressInfo;
    expect(await check({ PORT: String(port) })).toEqual([1, 'no response within 4000 ms\n']);
  });
});
