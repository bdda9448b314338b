import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect, type TLSSocket } from 'node:tls';
import { describe, expect, onTestFinished } from 'vitest';

import { readDocument, ROOT } from '../documents/markdown.js';
import { it } from '../support/cli-test.js';
import { databaseEnvironment } from '../support/config.js';
import { commandLine, commandLineWithUser, COMPILE_CACHE, type Program } from '../support/program.js';
import { removeFolder, scratchFolder, selfSigned } from '../support/scratch.js';
import { startUpload } from '../support/started-upload.js';

const SIZE = 20_000_000;
const LISTENS = /listens on (http\S+)/;

/** A command in a process group of its own, as a service manager starts it. */
interface Service {
  readonly pid: number;
  readonly url: string;
  output(): string;
  readonly ended: Promise<unknown>;
}

async function startService([command = '', ...args]: readonly string[], url: string): Promise<Service> {
  const { PATH, HOME } = process.env;
  const child = spawn(command, args, {
    cwd: ROOT,
    detached: true,
    env: { PATH, HOME, NODE_COMPILE_CACHE: COMPILE_CACHE, ...databaseEnvironment(url), PORT: '0' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const pid = child.pid ?? 0;
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (bytes: Buffer) => (output += bytes.toString()));
  }
  const ended = once(child, 'close').then(([code, signal]: unknown[]) => code ?? signal);
  onTestFinished(() => endGroup(pid));
  await expect.poll(() => output).toMatch(LISTENS);
  return { pid, url: LISTENS.exec(output)?.[1] ?? '', output: () => output, ended };
}

/** Ends what is left of a process group. */
function endGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    expect((error as NodeJS.ErrnoException).code).toBe('ESRCH');
  }
}

const stoppingLines = (output: string): number => output.split('"stopping"').length - 1;

/** Path of the program where the package is installed as src/docs/operate/service.md says. */
const INSTALLED = '/opt/terminal-gateway/bin/terminal-gateway';

/** The start commands of the unit file in src/docs/operate/service.md and of the container image. */
function documentedCommands(): [string, string[]][] {
  const text = readDocument('src/docs/operate/service.md');
  const image = readDocument('.config/container/Containerfile').replaceAll('/app/', '');
  const unit = /^ExecStart=(.*)$/m.exec(text)?.[1]?.replace(INSTALLED, 'dist/boot.js') ?? '';
  const listOf = (name: string): string[] =>
    JSON.parse(new RegExp(`^${name} (\\[.*\\])$`, 'm').exec(image)?.[1] ?? '[]') as string[];
  const commands = { ExecStart: unit.split(' '), ENTRYPOINT: [...listOf('ENTRYPOINT'), ...listOf('CMD')] };
  return Object.entries(commands).map(([name, [node = '', ...args]]) => {
    expect(node).toMatch(/^(\/usr\/bin\/)?node$/);
    return [name, [process.execPath, ...args]];
  });
}

describe('CF-42 stop signals as service managers and npm send them', () => {
  it.for<[string, NodeJS.Signals, (service: Service) => readonly number[]]>([
    ['SIGTERM twice to the group of npm', 'SIGTERM', ({ pid }) => [-pid, -pid]],
    ['SIGTERM to npm only', 'SIGTERM', ({ pid }) => [pid]],
    ['SIGINT to the group of npm, as Ctrl-C', 'SIGINT', ({ pid }) => [-pid]],
  ])('%s lets an upload of 20 MB finish', async ([_what, signal, targets], { cli, token }) => {
    const service = await startService(['npm', 'start'], cli.place.url);
    const upload = await startUpload(service.url, token, 'large.bin', SIZE);
    for (const target of targets(service)) {
      process.kill(target, signal);
      await sleep(90);
    }
    await expect.poll(() => stoppingLines(service.output())).toBe(1);
    const { status, body } = await upload.finish();
    expect([status, JSON.parse(body)]).toMatchObject([201, { file: { size: SIZE } }]);
    expect(await service.ended).toBe(0);
    expect([stoppingLines(service.output()), service.output().includes('"stopped"')]).toEqual([1, true]);
  });

  it('src/docs/operate/service.md starts node itself, and its commands stop so too', async () => {
    // Where both are the same command, it is run once.
    const commands = new Map(documentedCommands().map(([name, command]) => [command.join(' '), name]));
    for (const [command, name] of commands) {
      const { cli, token } = await commandLineWithUser();
      const service = await startService(command.split(' '), cli.place.url);
      const upload = await startUpload(service.url, token, 'large.bin', SIZE);
      process.kill(-service.pid, 'SIGHUP');
      process.kill(-service.pid, 'SIGTERM');
      await sleep(90);
      process.kill(-service.pid, 'SIGTERM');
      expect([name, (await upload.finish()).status, await service.ended]).toEqual([name, 201, 0]);
    }
  });

  it.each(['service', 'several-nodes'])(
    'src/docs/operate/%s.md runs the server as a user of its own, without privileges, and starts it at boot',
    (guide) => {
      const unit = /^```ini\n([^]*?)^```/m
        .exec(readDocument(`src/docs/operate/${guide}.md`))?.[1]
        ?.split('\n');
      const restricted =
        'User=terminal-gateway StateDirectory=terminal-gateway NoNewPrivileges=yes ProtectSystem=strict PrivateTmp=yes';
      const started = /^ExecStart=.*$/m.exec(readDocument('src/docs/operate/service.md'))?.[0];
      const others = ['CapabilityBoundingSet=', started, 'ExecReload=/bin/kill -HUP $MAINPID', '[Install]'];
      const lines = [...restricted.split(' '), ...others, 'WantedBy=multi-user.target'];
      expect(unit).toEqual(expect.arrayContaining(lines));
      expect(readDocument('.config/container/Containerfile')).toMatch(/^USER 10001:10001$/m);
    },
  );
});

async function connectTo({ url }: Program): Promise<TLSSocket> {
  const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  return socket;
}

async function fingerprint(program: Program): Promise<string> {
  const socket = await connectTo(program);
  const { fingerprint256 } = socket.getPeerCertificate();
  socket.destroy();
  return fingerprint256;
}

async function healthOver(socket: TLSSocket): Promise<string> {
  socket.write('GET /healthz HTTP/1.1\r\nHost: gateway\r\n\r\n');
  const [data] = (await once(socket, 'data')) as [Buffer];
  return data.toString().split('\r\n')[0] ?? '';
}

async function secureCommandLine() {
  const cli = await commandLine();
  selfSigned(cli.folder);
  const [cert, key] = [join(cli.folder, 'cert.pem'), join(cli.folder, 'key.pem')];
  return { cli: cli.with({ TLS_CERT_FILE: cert, TLS_KEY_FILE: key }), cert, key };
}

describe('CF-42 SIGHUP', () => {
  it('rereads the TLS files, and open connections stay; files that cannot be used change nothing', async () => {
    const { cli, cert, key } = await secureCommandLine();
    const server = await cli.start();
    const before = await fingerprint(server);
    const open = await connectTo(server);
    expect(await healthOver(open)).toBe('HTTP/1.1 200 OK');
    selfSigned(cli.folder);
    expect(await fingerprint(server)).toBe(before);
    server.process.kill('SIGHUP');
    await expect.poll(() => server.stdout()).toMatch(/"valid_to":"[^"]+","msg":"TLS certificate reread"/);
    expect(await fingerprint(server)).not.toBe(before);
    const renewed = await fingerprint(server);
    expect(await healthOver(open)).toBe('HTTP/1.1 200 OK');
    open.destroy();

    const other = scratchFolder();
    onTestFinished(() => removeFolder(other));
    selfSigned(other);
    const faults: [() => void, string][] = [
      [() => cpSync(join(other, 'key.pem'), key), 'is not the key of the certificate'],
      [() => writeFileSync(cert, 'no certificate'), 'does not hold a certificate'],
      [() => removeFolder(cert), 'cannot be read (it does not exist)'],
    ];
    for (const [damage, message] of faults) {
      damage();
      server.process.kill('SIGHUP');
      await expect.poll(() => server.stdout()).toContain(message);
      expect(await fingerprint(server)).toBe(renewed);
    }
    expect(server.stdout().split('TLS files cannot be used')).toHaveLength(faults.length + 1);
    cpSync(join(other, 'cert.pem'), cert);
    server.process.kill('SIGHUP');
    await expect.poll(() => server.stdout().split('TLS certificate reread')).toHaveLength(3);
    expect(await fingerprint(server)).not.toBe(renewed);
    expect(await server.end('SIGTERM')).toEqual({ code: 0, signal: null });
  });

  it('changes nothing without TLS', async ({ bare }) => {
    const server = await bare.start();
    server.process.kill('SIGHUP');
    await expect.poll(() => server.stdout()).toContain('SIGHUP has no effect, since TLS is off');
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
  });

  it('at the start unusable TLS files are refused with exit code 78', async () => {
    const { cli, key } = await secureCommandLine();
    writeFileSync(key, 'no key');
    const refused = await cli.run(['serve']);
    expect([refused.code, refused.stderr]).toEqual([
      78,
      `TLS_CERT_FILE: ${key} does not hold a private key without a password (PEM)\n`,
    ]);
  });
});
