import { spawnSync } from 'node:child_process';
import { globSync, lstatSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';

import { ROOT } from '../documents/markdown.js';
import { it } from '../support/cli-test.js';
import { NO_OLDER_NODE, olderNode } from '../support/older-node.js';
import { runProgram, startProgram } from '../support/program.js';
import { removeFolder, scratchFolder } from '../support/scratch.js';

const BLOCK_BYTES = 512;
const MAX_MEGABYTES = 100;

/** The environment of a user whose Node is the one that runs the tests, without what `npm run` adds. */
const environment = {
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name))),
  PATH: [dirname(process.execPath), process.env.PATH].join(delimiter),
};

/** Runs npm, which must not warn, and returns what it prints. */
function npm(cwd: string, ...args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync('npm', args, { cwd, env: environment, encoding: 'utf8' });
  expect([status, stderr]).toEqual([0, '']);
  return stdout;
}

/** Megabytes on the disk of everything in a folder. */
function megabytesOf(folder: string): number {
  const paths = globSync('**', { cwd: folder });
  return paths.reduce((sum, path) => sum + lstatSync(join(folder, path)).blocks * BLOCK_BYTES, 0) / 1024 ** 2;
}

let folder: string;
let printed: string;
const installed = (path: string): string => join(folder, 'lib', 'node_modules', 'terminal-gateway', path);

/** Installs the package as the guide does, but below a folder of the tests. Packages come from the cache where it has them. */
beforeAll(() => {
  folder = scratchFolder();
  npm(ROOT, 'pack', '--silent', '--ignore-scripts', '--pack-destination', folder);
  const [file = ''] = globSync('terminal-gateway-*.tgz', { cwd: folder });
  printed = npm(folder, 'install', '-g', '--prefix', folder, '--prefer-offline', `./${file}`);
});

afterAll(() => removeFolder(folder));

it('installs without a warning, and says how many packages it has', () => {
  expect(printed).toMatch(/^\nadded \d+ packages in \d+\w+\n/);
  expect(printed).not.toMatch(/warn|deprecated|vulnerab/i);
});

it(`takes at most ${MAX_MEGABYTES} MB of the disk, with the packages that it needs`, () => {
  const megabytes = megabytesOf(installed('.'));
  expect(megabytes).toBeGreaterThan(50);
  expect(megabytes).toBeLessThanOrEqual(MAX_MEGABYTES);
});

it('starts', async ({ bare: cli }) => {
  const server = await startProgram(cli.place.url, { program: join(folder, 'bin', 'terminal-gateway') });
  expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
  expect((await fetch(`${server.url}/console`)).status).toBe(200);
  expect(await server.end('SIGTERM')).toEqual({ code: 0, signal: null });
});

it('says with an older Node which one it needs, and ends with 78', async ({ skip, bare: cli }) => {
  const older = olderNode();
  if (older === undefined) return skip(NO_OLDER_NODE);
  const { code, output } = await runProgram(['serve'], cli.place.url, {
    node: older,
    program: installed('dist/boot.js'),
  });
  expect(code).toBe(78);
  expect(output).toMatch(
    /^terminal-gateway needs Node 22\.15 or later, and this is v\d+\.\d+\.\d+\. Install Node 24, then run the same command again\.\n$/,
  );
});
