import { describe, expect, onTestFinished } from 'vitest';

import { readDocument } from '../documents/markdown.js';
import { sendHttp } from '../support/client.js';
import { overFourTransports, REFUSED, SERVED } from '../support/four-transports.js';
import { freePort } from '../support/free-port.js';
import { itWithNginx, startNginx } from '../support/nginx.js';
import { removeFolder, scratchFolder, selfSigned } from '../support/scratch.js';
import { startServer, type TestServer } from '../support/server.js';

/** nginx.conf with the folder and ports of a test in place of those of the containers; `nodes` are two addresses. */
async function settings(folder: string, nodes: readonly string[]): Promise<{ text: string; port: number }> {
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
async function startInFront(nodes: readonly string[]): Promise<string> {
  const folder = scratchFolder();
  onTestFinished(() => removeFolder(folder));
  selfSigned(folder);
  const { text, port } = await settings(folder, nodes);
  const url = `https://127.0.0.1:${port}`;
  await startNginx(text, url, folder);
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
      const url = await startInFront([address, address]);
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
    const url = await startInFront([address, address]);
    const paths = ['/healthz', '/readyz', '/metrics'];
    const statuses = await Promise.all(paths.map(async (path) => (await sendHttp(url + path)).status));
    expect(statuses).toEqual([200, 404, 404]);
  });

  itWithNginx(
    'spreads requests over both nodes, and sends all to the other one when one has stopped',
    async () => {
      const nodes = [await startNode(), await startNode()];
      const url = await startInFront(nodes.map(({ address }) => address));
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
