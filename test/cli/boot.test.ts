import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished } from 'vitest';

import { readDocument, ROOT } from '../documents/markdown.js';
import { it } from '../support/cli-test.js';
import { NO_OLDER_NODE, olderNode } from '../support/older-node.js';
import { runProgram, startProgram } from '../support/program.js';
import { removeFolder, scratchFolder } from '../support/scratch.js';

const older = olderNode();

describe('the program', () => {
  it('prints help, and refuses unknown commands and options with exit code 2', async ({ bare: cli }) => {
    for (const args of [['--help'], ['help'], ['user', '--help'], ['db', 'restore', '--help']]) {
      const help = await cli.run(args);
      expect([help.code, help.stderr]).toEqual([0, '']);
      expect(help.stdout).toContain('Usage: terminal-gateway');
    }
    for (const args of [[], ['nonsense'], ['user', 'nonsense'], ['db', 'backup'], ['db', 'info', '--xml']]) {
      expect((await cli.run(args)).code).toBe(2);
    }
    const help = await runProgram(['--help'], cli.place.url);
    expect([help.code, help.stderr]).toEqual([0, '']);
    expect(help.stdout).toContain('Usage: terminal-gateway');
    expect((await runProgram(['nonsense'], cli.place.url)).code).toBe(2);
  });

  it('runs under its bundled Node when started with an older one', async ({ skip, bare: cli }) => {
    if (older === undefined) return skip(NO_OLDER_NODE);
    const info = await runProgram(['user', 'list', '--json'], cli.place.url, { node: older });
    expect([info.code, info.stdout, info.stderr]).toEqual([0, '[]\n', '']);
    expect((await runProgram(['nonsense'], cli.place.url, { node: older })).code).toBe(2);
  });

  it.for(['SIGINT', 'SIGKILL'] as const)(
    'forwards %s to the bundled Node',
    async (signal, { skip, bare: cli }) => {
      if (older === undefined) return skip(NO_OLDER_NODE);
      const server = await startProgram(cli.place.url, { node: older });
      const ended = await server.end(signal);
      expect(ended).toEqual(signal === 'SIGKILL' ? { code: null, signal } : { code: 0, signal: null });
      const responds = async (): Promise<boolean> =>
        await fetch(server.url).then(
          () => true,
          () => false,
        );
      await expect.poll(responds).toBe(false);
    },
  );

  it('CF-42 forwards SIGHUP, and repeated SIGTERM as one', async ({ skip, bare: cli }) => {
    if (older === undefined) return skip(NO_OLDER_NODE);
    const server = await startProgram(cli.place.url, { node: older });
    server.process.kill('SIGHUP');
    await expect.poll(() => server.stdout()).toContain('SIGHUP has no effect');
    server.process.kill('SIGTERM');
    expect(await server.end('SIGTERM')).toEqual({ code: 0, signal: null });
  });

  it('prints its version, which is that of package.json', async ({ bare: cli }) => {
    const { version } = JSON.parse(readDocument('package.json')) as { version: string };
    const direct = await runProgram(['--version'], cli.place.url);
    expect([direct.code, direct.stdout, direct.stderr]).toEqual([0, `${version}\n`, '']);
    const npm = execFileSync('npm', ['run', '-s', 'cli', '--', '--version'], { cwd: ROOT, encoding: 'utf8' });
    expect(npm).toBe(`${version}\n`);
  });
});

it.each(['postprepare', 'start', 'demo', 'cli'])(
  'RU-64 npm run %s says what to do where the program is not built, and cannot be',
  (script) => {
    const folder = scratchFolder();
    onTestFinished(() => removeFolder(folder));
    mkdirSync(join(folder, '.config'));
    for (const path of ['package.json', '.config/not-built.sh']) cpSync(join(ROOT, path), join(folder, path));
    const { status, stderr } = spawnSync('npm', ['run', '-s', script], { cwd: folder, encoding: 'utf8' });
    expect([status, stderr]).toEqual([
      78,
      'terminal-gateway is not built: dist/boot.js is missing, and building needs the development packages. Run: npm ci --include=dev\n',
    ]);
  },
);
