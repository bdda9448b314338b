import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

import { useScratchFolder } from '../faults/machine.js';
import { urlOf } from '../support/databases/sqlite-place.js';
import { runCommand, runProgram, startProgram, type ProgramOptions } from '../support/program.js';

const HOOK = fileURLToPath(new URL('./loaded-modules.js', import.meta.url));

let folder: string;
let file: string;
useScratchFolder((scratch) => ({ folder, file } = scratch));

const recording = (environment: ProgramOptions['environment'] = {}): ProgramOptions => ({
  nodeOptions: ['--import', HOOK],
  environment: { ...environment, LOADED_MODULES: join(folder, 'loaded.json') },
});

/** Loaded modules in order; for a built file, the modules bundled in it. */
const loaded = (): readonly string[] =>
  (JSON.parse(readFileSync(join(folder, 'loaded.json'), 'utf8')) as string[]).flatMap(modulesOf);

function modulesOf(url: string): readonly string[] {
  if (url.includes('/node_modules/') || !url.includes('/dist/')) return [url];
  const { sources } = JSON.parse(readFileSync(fileURLToPath(`${url}.map`), 'utf8')) as { sources: string[] };
  return sources.map((source) => new URL(source, url).href);
}

/** Names of packages, for example `kysely`, in alphabetical order. */
function packagesOf(urls: readonly string[]): readonly string[] {
  const names = urls.map((url) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url)?.[1]);
  return [...new Set(names.filter((name) => name !== undefined))].sort();
}

/** Modules of the program, relative to `src/`. */
function ownOf(urls: readonly string[]): readonly string[] {
  return urls.flatMap((url) => /^(?!.*\/node_modules\/).*\/src\/(.*)$/.exec(url)?.[1] ?? []);
}

const OF_MQTT = /\/node_modules\/mqtt\/|\/src\/mqtt\//;
/** prom-client loads `@opentelemetry/api` too. */
const OF_TRACES = /\/@opentelemetry\/(?!api\/)|\/src\/platform\/tracing\.ts/;

const FOR_SERVERS = ['express', 'graphql', 'pino', 'prom-client', 'type-graphql', '@apollo/server'];

describe('what a start loads', () => {
  it.each([[['--version']], [['--help']], [['nonsense']], [['config', 'print']]])(
    'by %s is the command line only',
    async (args) => {
      await runProgram(args, urlOf(file), recording());
      expect(packagesOf(loaded())).toEqual(['commander']);
      const own = ownOf(loaded());
      expect(own.filter((path) => /^(app|demo|graphql|http|domain|rest)\//.test(path))).toEqual([]);
      expect(own.filter((path) => path.startsWith('database/'))).toEqual(['database/database.ts']);
    },
  );

  it('by a command on the database are no packages of a server, and those of its database only', async () => {
    await runProgram(['user', 'list'], urlOf(file), recording());
    const packages = packagesOf(loaded());
    expect(packages).toContain('better-sqlite3');
    expect(packages.filter((name) => [...FOR_SERVERS, 'csv-parse', 'pg'].includes(name))).toEqual([]);
    expect(ownOf(loaded()).filter((path) => path.startsWith('database/postgres/'))).toEqual([]);
  });

  it('by db check is the database only', async () => {
    await runCommand(['user', 'list'], urlOf(file));
    expect((await runProgram(['db', 'check'], urlOf(file), recording())).code).toBe(0);
    const packages = packagesOf(loaded()).filter((name) => !/^(bindings|file-uri-to-path)$/.test(name));
    expect(packages).toEqual(['better-sqlite3', 'commander', 'kysely']);
    expect(ownOf(loaded()).filter((path) => /^(app|domain|database\/postgres)\//.test(path))).toEqual([]);
  });

  it('by serve is GraphQL only once it listens, and the driver of its own database', async () => {
    const program = await startProgram(urlOf(file), recording({ TRACES_SHARE: '1' }));
    await program.end('SIGTERM');
    const all = loaded();
    const before = all.slice(0, all.indexOf('listens'));
    const graphql = ['@apollo/server', 'graphql', 'graphql-scalars', 'graphql-ws', 'type-graphql'];
    expect(packagesOf(before).filter((name) => graphql.includes(name))).toEqual([]);
    expect(packagesOf(all)).toEqual(expect.arrayContaining(graphql));
    for (const name of ['pg', 'csv-parse', '@opentelemetry/sdk-trace', '@simplewebauthn/server'])
      expect(packagesOf(all)).not.toContain(name);
    expect(ownOf(all).filter((path) => path.startsWith('database/postgres/'))).toEqual([]);
    expect(all.filter((url) => OF_MQTT.test(url) || OF_TRACES.test(url))).toEqual([]);
  });

  it('by serve with a broker and traces is what these need; it starts and stops while they are away', async () => {
    const away = { MQTT_URL: 'mqtt://127.0.0.1:9', TRACES_URL: 'http://127.0.0.1:9/v1/traces' };
    const program = await startProgram(urlOf(file), recording(away));
    expect((await program.client(null).get('/readyz')).status).toBe(200);
    expect(await program.end('SIGTERM')).toEqual({ code: 0, signal: null });
    for (const modules of [OF_MQTT, OF_TRACES]) {
      expect(loaded().filter((url) => modules.test(url)).length).toBeGreaterThan(5);
    }
  });
});
