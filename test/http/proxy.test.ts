import { text } from 'node:stream/consumers';
import tls from 'node:tls';
import { describe, expect, onTestFinished } from 'vitest';

import type { Config } from '../../src/platform/config/config.js';
import { readDocument } from '../documents/markdown.js';
import { sendHttp } from '../support/client.js';
import { overFourTransports, REFUSED, SERVED } from '../support/four-transports.js';
import { freePort } from '../support/free-port.js';
import { ingestRows, ndjson, sendLines, totalsOf } from '../support/line-stream.js';
import { itWithNginx, startNginx } from '../support/nginx.js';
import { removeFolder, scratchFolder, selfSigned } from '../support/scratch.js';
import { ownServer, type Fields, type TestServer } from '../support/server.js';

async function serve(config: Partial<Config> = {}): Promise<TestServer> {
  const server = await ownServer(config);
  return server;
}

/** The query of a page that was loaded from this URL, by each transport. */
const ofPage = (url: string, { acme }: TestServer, origin = url) =>
  overFourTransports(url, acme.token, { origin });

/** A configuration of nginx with this block `http`, and all files in the folder. */
function wholeConfiguration(http: string, folder: string): string {
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  );
  // Otherwise nginx, started by root, could not write into the folder.
  const user = process.getuid?.() === 0 ? 'user root;' : '';
  return `${user} pid ${folder}/nginx.pid; error_log stderr;\nevents {}\nhttp { access_log off; ${paths.join(' ')}\n${http}\n}`;
}

/** The configuration in src/docs/operate/proxy.md, with the paths and addresses of the test. */
function documentedConfiguration(server: TestServer, port: number, folder: string): string {
  selfSigned(folder);
  const [, sample = ''] = /^```nginx\n([^]*?)^```/m.exec(readDocument('src/docs/operate/proxy.md')) ?? [];
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
  itWithNginx('with the configuration of src/docs/operate/proxy.md', async () => {
    const folder = useFolder();
    const server = await serve({ trustProxy: ['127.0.0.1'] });
    const port = await freePort();
    const configuration = documentedConfiguration(server, port, folder);
    expect(configuration).not.toMatch(/\b443\b|\/etc\/|:4000\b/);
    const url = `https://127.0.0.1:${port}`;
    await startNginx(wholeConfiguration(configuration, folder), url, folder);
    expect(await ofPage(url, server)).toEqual(SERVED);
    expect(await ofPage(url, server, url.replace('https', 'http'))).toEqual(REFUSED);
    expect(await ofPage(url, server, 'https://evil.example')).toEqual(REFUSED);
    const ofOperators = await Promise.all(['/metrics', '/readyz'].map((path) => sendHttp(url + path)));
    expect(ofOperators.map(({ status }) => status)).toEqual([404, 404]);
    const old = tls.connect({ port, host: '127.0.0.1', rejectUnauthorized: false });
    old.write(`GET /v1/groups?access_token=${server.acme.token} HTTP/1.0\r\n\r\n`);
    expect(await text(old)).toMatch(/^HTTP\/1[.]1 200 /);
  });

  itWithNginx('RU-71 with a stream of 14 MB to ingest, whether nginx buffers or not', async () => {
    const folder = useFolder();
    const server = await serve({ trustProxy: ['127.0.0.1'] });
    const [port, buffering] = [await freePort(), await freePort()];
    const off = documentedConfiguration(server, port, folder);
    const on = off.slice(off.indexOf('server {')).replace(String(port), String(buffering));
    const block = on.replace('proxy_request_buffering off', 'proxy_request_buffering on');
    expect([off.split('proxy_request_buffering off').length, block.includes('buffering off')]).toEqual([
      2,
      false,
    ]);
    const url = `https://127.0.0.1:${port}`;
    await startNginx(wholeConfiguration(off + block, folder), url, folder);
    const { token } = await server.member('acme', 'operator', ['ingest']);
    // White space makes it as long as 40,000 rows.
    const send = (to: string, rows: readonly Fields[]) =>
      sendLines(to, token, ndjson(rows).replaceAll('\n', `${' '.repeat(3_000)}\n`));
    const rows = ingestRows(4_000);
    const fifthWrong = rows.map((row, n) => (n % 5 === 0 ? { ...row, [`x${'x'.repeat(60)}`]: 'done' } : row));
    const first = await send(url, fifthWrong);
    expect([first.status, first.lines.length]).toEqual([200, 801]);
    expect(first.lines[799]).toMatchObject({ line: 3_996, result: 'rejected' });
    expect(first.lines.at(-1)).toEqual(totalsOf(3_200, 0, 800));
    const second = await send(`https://127.0.0.1:${buffering}`, rows);
    expect([second.status, second.lines]).toEqual([200, [totalsOf(800, 3_200)]]);
  });

  itWithNginx('with its defaults, which replace the Host', async () => {
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
    const block = `server { listen 127.0.0.1:${port}; ${locations} }`;
    await startNginx(wholeConfiguration(block, folder), origin, folder);
    expect(await ofPage(`${origin}/closed`, closed, origin)).toEqual(REFUSED);
    expect(await ofPage(`${origin}/open`, open, origin)).toEqual(SERVED);
    expect(await ofPage(`${origin}/open`, open, 'https://evil.example')).toEqual(REFUSED);
  });
});
