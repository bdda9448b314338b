import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished } from 'vitest';

import { readDocument } from '../documents/markdown.js';
import { itUnless } from '../faults/machine.js';
import { sendHttp } from '../support/client.js';
import { overFourTransports, REFUSED, SERVED } from '../support/four-transports.js';
import { freePort } from '../support/free-port.js';
import { removeFolder, scratchFolder, selfSigned } from '../support/scratch.js';
import { startServer, type TestServer } from '../support/server.js';

const NGINX = 'nginx';
const itWithNginx = itUnless(spawnSync(NGINX, ['-v']).status === 0 ? null : 'this machine has no nginx');

/** nginx.conf with the folder and ports of a test in place of those of the containers; `nodes` are two addresses. */
async function configuration(
  folder: string,
  nodes: readonly string[],
): Promise<{ text: string; port: number }> {
  const [port, health] = [await freePort(), await freePort()];
  const [first = '', second = ''] = nodes;
  const text = readDocument('.config/container/nginx.conf')
    .replaceAll('/tmp/', `${folder}/`)
    .replaceAll('/run/secrets/tls-certificate', `${folder}/cert.pem`)
    .replaceAll('/run/secrets/tls-key', `${folder}/key.pem`)
    .replace('172.31.40.11:4000', first)
    .replace('172.31.40.12:4000', second)
    .replace('listen 8443', `listen 127.0.0.1:${port}`)
    .replace('127.0.0.1:8081', `127.0.0.1:${health}`);
  expect(text).not.toMatch(/\/run\/|172[.]31|\b8443\b|\b8081\b/);
  return { text, port };
}

/** Starts nginx in front of two nodes; returns its URL. */
async function startNginx(nodes: readonly string[]): Promise<string> {
  const folder = scratchFolder();
  selfSigned(folder);
  const { text, port } = await configuration(folder, nodes);
  const file = join(folder, 'nginx.conf');
  writeFileSync(file, text);
  const options = ['-e', 'stderr', '-g', 'daemon off;', '-p', folder, '-c', file];
  const nginx = spawn(NGINX, options, { stdio: ['ignore', 'ignore', 'pipe'] });
  onTestFinished(async () => {
    nginx.kill('SIGTERM');
    if (nginx.exitCode === null) await once(nginx, 'exit');
    removeFolder(folder);
  });
  let log = '';
  nginx.stderr.on('data', (bytes: Buffer) => (log += bytes.toString()));
  const url = `https://127.0.0.1:${port}`;
  const responds = async (): Promise<string> =>
    await sendHttp(`${url}/readyz`).then(
      () => '',
      () => `nginx: ${log}`,
    );
  await expect.poll(responds).toBe('');
  return url;
}

async function startNode(): Promise<{ server: TestServer; address: string }> {
  const server = await startServer({ trustProxy: ['127.0.0.1'] });
  onTestFinished(() => server.stop());
  return { server, address: new URL(server.url).host };
}

describe('.config/container/nginx.conf', () => {
  itWithNginx(
    'passes requests, streams and sockets, with the Host and the address of the client',
    async () => {
      const { server, address } = await startNode();
      const url = await startNginx([address, address]);
      const { token } = server.acme;
      expect(await overFourTransports(url, token, { origin: url })).toEqual(SERVED);
      expect(await overFourTransports(url, token, { origin: 'https://evil.example' })).toEqual(REFUSED);
      await sendHttp(`${url}/v1/groups?access_token=${token}`, {
        headers: { 'x-forwarded-for': '203.0.113.9' },
      });
      expect(server.logs.at(-1)).toContain('"ip":"127.0.0.1"');
    },
  );

  itWithNginx('hides what is for the operation of the nodes', async () => {
    const { address } = await startNode();
    const url = await startNginx([address, address]);
    const paths = ['/healthz', '/readyz', '/metrics'];
    const statuses = await Promise.all(paths.map(async (path) => (await sendHttp(url + path)).status));
    expect(statuses).toEqual([200, 404, 404]);
  });

  itWithNginx(
    'spreads requests over both nodes, and sends all to the other one when one has stopped',
    async () => {
      const nodes = [await startNode(), await startNode()];
      const url = await startNginx(nodes.map(({ address }) => address));
      const statuses = async (): Promise<Set<number>> => {
        const requests = Array.from({ length: 20 }, () => sendHttp(`${url}/healthz`));
        return new Set((await Promise.all(requests)).map(({ status }) => status));
      };
      expect(await statuses()).toEqual(new Set([200]));
      for (const { server } of nodes) expect(server.logs.join('')).toContain('/healthz');
      await nodes[0]?.server.app.stop(1_000);
      expect(await statuses()).toEqual(new Set([200]));
    },
  );
});
