import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, onTestFinished } from 'vitest';

import { readDocument } from '../../documents/markdown.js';
import { sendHttp } from '../../support/client.js';
import { freePort } from '../../support/free-port.js';
import { itWithNginx, startNginx } from '../../support/nginx.js';
import { addCompany, openNodes } from '../../support/postgres/nodes.js';
import { addressOf, killPrograms, startCommand, type Started } from '../../support/program.js';
import { removeFolder, scratchFolder, selfSigned } from '../../support/scratch.js';

const here = openNodes(1);
afterAll(killPrograms);

/** The block with this text in a guide. */
function block(document: string, text: string): string {
  const blocks = readDocument(document).matchAll(/^```\w*\n([^]*?)^```/gm);
  return Array.from(blocks, ([, code = '']) => code).find((code) => code.includes(text)) ?? '';
}

const each = (ports: readonly number[], line: (port: number) => string): string => ports.map(line).join('\n');

/** The configuration that src/docs/operate/several-nodes.md describes, with the addresses of the test. */
function configuration(port: number, nodes: readonly number[], folder: string): string {
  const upstream = block('src/docs/operate/several-nodes.md', 'upstream terminal_gateway');
  const [, fails = ''] = /server 127\.0\.0\.1:4001 (.*);/.exec(upstream) ?? [];
  const servers = upstream.replace(
    /( +server .*\n)+/,
    `${each(nodes, (node) => `server 127.0.0.1:${node} ${fails};`)}\n`,
  );
  const proxy = block('src/docs/operate/proxy.md', 'listen 443 ssl')
    .replace("'' close;", "'' '';")
    .replace('http://127.0.0.1:4000', 'http://terminal_gateway')
    .replace('listen 443 ssl', `listen 127.0.0.1:${port} ssl`)
    .replaceAll('/etc/ssl/gateway.example/fullchain.pem', join(folder, 'cert.pem'))
    .replaceAll('/etc/ssl/gateway.example/privkey.pem', join(folder, 'key.pem'));
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  );
  return `pid ${folder}/nginx.pid; error_log stderr;\nevents {}\nhttp { access_log off; ${paths.join(' ')}\n${servers}\n${proxy}\n}`;
}

/** Puts `sudo` and a `systemctl` that restarts the nodes of the test into a folder; resolves to it. */
async function commands(folder: string, restart: (port: number) => Promise<unknown>): Promise<string> {
  const control = createServer((request, response) => {
    void restart(Number(request.url?.split('@')[1])).then(() => response.end());
  });
  control.listen(0, '127.0.0.1');
  await once(control, 'listening');
  onTestFinished(() => void control.close());
  const url = `http://127.0.0.1:${(control.address() as AddressInfo).port}`;
  const scripts = { sudo: 'exec "$@"', systemctl: `[ "$1" != restart ] || curl -fsS "${url}/$2"` };
  for (const [name, text] of Object.entries(scripts))
    writeFileSync(join(folder, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  return folder;
}

describe('RU-87 a rolling restart behind nginx', () => {
  itWithNginx('by the loop of src/docs/operate/several-nodes.md lets no request fail', async () => {
    const folder = scratchFolder();
    onTestFinished(() => removeFolder(folder));
    selfSigned(folder);
    const [port, ...ports] = [await freePort(), await freePort(), await freePort()] as const;
    const nodes = new Map<number, Started>();
    const start = (node: number): Started => {
      const environment = { PORT: String(node), TRUST_PROXY: '127.0.0.1' };
      const started = startCommand(['serve'], here.url, { environment });
      nodes.set(node, started);
      return started;
    };
    await Promise.all(ports.map((node) => addressOf(start(node))));
    const { token } = await addCompany(here.node(0));
    const url = `https://127.0.0.1:${port}`;
    await startNginx(configuration(port, ports, folder), url, folder);
    const path = await commands(folder, async (node) => {
      await nodes.get(node)?.end('SIGTERM');
      start(node);
    });

    const authorization = `Bearer ${token}`;
    const statuses = new Map<number, number>();
    let isDone = false;
    const use = async (): Promise<void> => {
      while (!isDone) {
        const isRead = Math.random() < 0.5;
        const { status } = await sendHttp(`${url}/v1/groups`, {
          method: isRead ? 'GET' : 'POST',
          headers: { authorization, 'content-type': 'application/json' },
          body: isRead ? undefined : JSON.stringify({ name: randomUUID() }),
        });
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
    };
    const clients = Array.from({ length: 6 }, use);
    const loop = block('src/docs/operate/several-nodes.md', 'systemctl restart').replaceAll(
      '{4001..4004}',
      ports.join(' '),
    );
    expect(loop).toContain(`for port in ${ports.join(' ')}`);
    await promisify(execFile)('bash', ['-c', loop], { env: { PATH: `${path}:${process.env.PATH}` } });
    isDone = true;
    await Promise.all(clients);
    expect([...statuses.keys()].toSorted(), JSON.stringify([...statuses])).toEqual([200, 201]);
  });
});
