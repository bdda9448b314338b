import { createProxyServer, type ServerOptions } from 'http-proxy-3';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer as createHttpServer, type Server } from 'node:http';
import { connect, createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import tls from 'node:tls';
import { describe, expect, it, onTestFinished } from 'vitest';

import type { Config } from '../../src/platform/config/config.js';
import { readDocument } from '../documents/markdown.js';
import { sendHttp } from '../support/client.js';
import { overFourTransports, REFUSED, SERVED } from '../support/four-transports.js';
import { removeFolder, scratchFolder, selfSigned } from '../support/scratch.js';
import { startServer, type TestServer } from '../support/server.js';

async function serve(config: Partial<Config> = {}): Promise<TestServer> {
  const server = await startServer(config);
  onTestFinished(() => server.stop());
  return server;
}

async function listening(server: Server | ReturnType<typeof createServer>): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** Starts the proxy of Vite's development server; returns its URL. */
async function startProxy(options: ServerOptions): Promise<string> {
  const proxy = createProxyServer({ ws: true, ...options });
  proxy.on('error', () => undefined);
  const front = createHttpServer((request, response) => proxy.web(request, response));
  front.on('upgrade', (request, socket, head) => proxy.ws(request, socket, head));
  const port = await listening(front);
  onTestFinished(() => {
    front.close();
    front.closeAllConnections();
  });
  return `http://127.0.0.1:${port}`;
}

/** The query of a page that was loaded from this URL, by each transport. */
const ofPage = (url: string, { acme }: TestServer, origin = url) =>
  overFourTransports(url, acme.token, { origin });

describe('AT-42 behind a reverse proxy that keeps the Host', () => {
  it('serves its pages without any setting, and no others', async () => {
    const server = await serve();
    const url = await startProxy({ target: server.url });
    expect(await ofPage(url, server)).toEqual(SERVED);
    expect(await ofPage(url, server, 'https://evil.example')).toEqual(REFUSED);
  });
});

describe('AT-42 behind a reverse proxy that replaces the Host', () => {
  it('refuses its pages by each transport, if nothing says whose they are', async () => {
    const server = await serve();
    expect(await ofPage(await startProxy({ target: server.url, changeOrigin: true }), server)).toEqual(
      REFUSED,
    );
  });

  it('serves its pages if it is trusted and sends X-Forwarded-Host', async () => {
    for (const [trustProxy, statuses] of [
      [['127.0.0.1'], SERVED],
      [['10.0.0.0/8'], REFUSED],
    ] as const) {
      const server = await serve({ trustProxy });
      const url = await startProxy({ target: server.url, changeOrigin: true, xfwd: true });
      expect(await ofPage(url, server)).toEqual(statuses);
      expect(await ofPage(url, server, 'https://evil.example')).toEqual(REFUSED);
    }
  });

  it('serves its pages if ALLOWED_ORIGINS has its origin, with CORS headers for exactly this one', async () => {
    const origin = 'https://gateway.example';
    const server = await serve({ allowedOrigins: [origin] });
    const url = await startProxy({ target: server.url, changeOrigin: true });
    expect(await ofPage(url, server, origin)).toEqual(SERVED);
    const reply = await sendHttp(`${url}/v1/groups?access_token=${server.acme.token}`, {
      headers: { origin },
    });
    expect(reply.headers).toMatchObject({ 'access-control-allow-origin': origin, vary: 'Origin' });
  });
});

const NGINX = 'nginx';
const hasNginx = spawnSync(NGINX, ['-v']).status === 0;
const WHY = 'this machine has no nginx';

/** Starts nginx with the contents of its block `http`; resolves when it listens on the port. */
async function startNginx(http: string, port: number, folder: string): Promise<void> {
  const file = join(folder, 'nginx.conf');
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  );
  writeFileSync(
    file,
    `daemon off; pid ${folder}/nginx.pid; error_log stderr;\nevents {}\nhttp { access_log off; ${paths.join(' ')}\n${http}\n}`,
  );
  const nginx = spawn(NGINX, ['-p', folder, '-c', file], { stdio: ['ignore', 'ignore', 'inherit'] });
  onTestFinished(async () => {
    nginx.kill('SIGTERM');
    if (nginx.exitCode === null) await once(nginx, 'exit');
  });
  const listens = async (): Promise<boolean> => {
    const socket = connect(port, '127.0.0.1');
    const isOpen = await Promise.race([
      once(socket, 'connect').then(() => true),
      once(socket, 'error').then(() => false),
    ]);
    socket.destroy();
    return isOpen;
  };
  await expect.poll(listens).toBe(true);
}

async function freePort(): Promise<number> {
  const server = createServer();
  const port = await listening(server);
  server.close();
  await once(server, 'close');
  return port;
}

/** The configuration in src/docs/proxy.md, with the paths and addresses of the test. */
function documentedConfiguration(server: TestServer, port: number, folder: string): string {
  selfSigned(folder);
  const [, sample = ''] = /^```nginx\n([^]*?)^```/m.exec(readDocument('src/docs/proxy.md')) ?? [];
  return sample
    .replace('listen 443 ssl', `listen 127.0.0.1:${port} ssl`)
    .replace(/ssl_certificate .*;/, `ssl_certificate ${folder}/cert.pem;`)
    .replace(/ssl_certificate_key .*;/, `ssl_certificate_key ${folder}/key.pem;`)
    .replace('http://127.0.0.1:4000', server.url);
}

function useFolder(): string {
  const folder = scratchFolder();
  onTestFinished(() => removeFolder(folder));
  return folder;
}

describe('AT-42 behind nginx', () => {
  it('with the configuration of src/docs/proxy.md', async (context) => {
    if (!hasNginx) return context.skip(WHY);
    const folder = useFolder();
    const server = await serve({ trustProxy: ['127.0.0.1'] });
    const port = await freePort();
    const configuration = documentedConfiguration(server, port, folder);
    expect(configuration).not.toMatch(/\b443\b|\/etc\/|:4000\b/);
    await startNginx(configuration, port, folder);
    const url = `https://127.0.0.1:${port}`;
    expect(await ofPage(url, server)).toEqual(SERVED);
    expect(await ofPage(url, server, url.replace('https', 'http'))).toEqual(REFUSED);
    expect(await ofPage(url, server, 'https://evil.example')).toEqual(REFUSED);
    const ofOperators = await Promise.all(['/metrics', '/readyz'].map((path) => sendHttp(url + path)));
    expect(ofOperators.map(({ status }) => status)).toEqual([404, 404]);
    const old = tls.connect({ port, host: '127.0.0.1', rejectUnauthorized: false });
    old.write(`GET /v1/groups?access_token=${server.acme.token} HTTP/1.0\r\n\r\n`);
    expect(await text(old)).toMatch(/^HTTP\/1[.]1 200 /);
  });

  it('with its defaults, which replace the Host', async (context) => {
    if (!hasNginx) return context.skip(WHY);
    const folder = useFolder();
    const port = await freePort();
    const origin = `http://127.0.0.1:${port}`;
    const closed = await serve();
    const open = await serve({ allowedOrigins: [origin] });
    // Sockets need the upgrade in any case.
    const upgrade =
      'proxy_http_version 1.1; proxy_set_header Upgrade $http_upgrade; proxy_set_header Connection';
    const location = (path: string, { url }: TestServer): string =>
      `location ${path}/ { proxy_pass ${url}/; ${upgrade} $http_connection; }`;
    const locations = location('/closed', closed) + location('/open', open);
    await startNginx(`server { listen 127.0.0.1:${port}; ${locations} }`, port, folder);
    expect(await ofPage(`${origin}/closed`, closed, origin)).toEqual(REFUSED);
    expect(await ofPage(`${origin}/open`, open, origin)).toEqual(SERVED);
    expect(await ofPage(`${origin}/open`, open, 'https://evil.example')).toEqual(REFUSED);
  });
});
