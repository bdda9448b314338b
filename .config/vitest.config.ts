/** Settings of Vitest: which tests belong to which project and run in which mode, and how many at a time. */
import { globSync } from 'node:fs';
import { defineConfig } from 'vitest/config';

import ClosingLine from './closing-line.js';

const root = new URL('..', import.meta.url).pathname;

/** Paths of test files, from the root. */
const find = (...patterns: readonly string[]): string[] => globSync(patterns, { cwd: root });

const without = (paths: readonly string[], ...others: readonly (readonly string[])[]): string[] => {
  const left = new Set(others.flat());
  return paths.filter((path) => !left.has(path));
};

/**
 * `npm run test:faults` runs these, which take long, and on PostgreSQL what is not about storage, units of work, companies
 * and parity. `npm test` runs everything else.
 */
const FAULTS = find(
  'test/faults/**/*.test.ts',
  'test/console/**/*.test.ts',
  // Programs, brokers and other servers that are started.
  'test/{cli,container,demo,mqtt,simulator}/**/*.test.ts',
  'test/app/mqtt*.test.ts',
  'test/http/{proxy,traces}.test.ts',
  'test/database/copy.postgres.test.ts',
  // Several nodes.
  'test/database/postgres/{announcements,shared-limits}.postgres.test.ts',
  'test/domain/**/*nodes.postgres.test.ts',
  // Clients that flood the server, or do not read what it sends.
  'test/contract/flood.test.ts',
  'test/graphql/http/upload-memory.test.ts',
  // Another program that reads what the server sends.
  'test/graphql/export/libreoffice.test.ts',
  'test/graphql/limits/large-answers.test.ts',
  'test/graphql/live/{many-subscribers,shared-events,slow-reader,stop}.test.ts',
  'test/http/{fairness.sqlite,pipelining,unread,upload-fairness}.test.ts',
  // Long searches, long chains, and receivers that are down.
  'test/database/{connection,request-class}.sqlite.test.ts',
  'test/database/examining/*.test.ts',
  'test/database/{ledger-chain,unstored-rows}.test.ts',
  'test/domain/base/webhook/delivery.test.ts',
  'test/rest/examining.sqlite.test.ts',
);
/** Opens each page of the console once. */
const PAGES = find('test/console/all-pages.test.ts');

/** Tests of one database only. */
const OF_SQLITE = find('test/**/*.sqlite.test.ts');
const OF_POSTGRES = find('test/**/*.postgres.test.ts');

const CONSOLE = without(find('test/console/**/*.test.ts'), OF_POSTGRES);
/** Tests of the built program: they start it, kill it, or limit its memory and storage. */
const PROGRAM = without(
  find('test/{cli,faults,smoke}/**/*.test.ts', 'test/demo/demo-*.test.ts'),
  OF_POSTGRES,
);
const ALL = find('test/**/*.test.ts');
const SERVER = without(ALL, PROGRAM, CONSOLE, OF_POSTGRES);

const DAILY_ON_POSTGRES = [
  ...OF_POSTGRES,
  ...find(
    'test/database/**/*.test.ts',
    'test/contract/{foreign-records,fleet-graphql-tenancy,ids-in-inputs,parity*,several-companies}.test.ts',
  ),
];
/** Tests of what depends on the database: besides those, all routes and fields, and faults. */
const ON_POSTGRES = [...new Set([...DAILY_ON_POSTGRES, ...find('test/{contract,faults}/**/*.test.ts')])];
/** Tests that read no database. */
const WITHOUT_DATABASE = find('test/{architecture,container,documents,mqtt,platform,simulator}/**/*.test.ts');

/** Which of the tests of a project run. By default all do, so that any file can be run by its name. */
function choose(mode: string, all: readonly string[], daily: readonly string[]): string[] {
  const chosen = without(daily, without(FAULTS, PAGES));
  if (mode === 'daily') return chosen;
  return mode === 'faults' ? without(all, chosen) : [...all];
}

/** One copy of graphql for our code and for the packages. */
const transform = {
  resolve: { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] },
};

const workers = {
  root,
  // The files of a worker share its modules: to load the server takes longer than most files run.
  isolate: false,
  // Young objects are collected less often: 4 % less processor time for the tests of the server.
  execArgv: ['--max-semi-space-size=64'],
  // Threads of the database start anew in each file: without compiled code, it takes them twice the time.
  env: { NODE_COMPILE_CACHE: `${root}node_modules/.cache/program` },
  // Twice the processors of the smallest machine, since many tests wait for a process or a deadline.
  maxWorkers: 4,
  // Only a hang takes as long: no test depends on the speed of the machine. A test that waits uses expect.poll or
  // test/support/wait-for.ts, and sets no time of its own.
  testTimeout: 300_000,
  hookTimeout: 300_000,
  expect: { poll: { timeout: 100_000 } },
};

const BUILD = 'test/support/setup-build.ts';

/** A project of tests on SQLite. */
const onSqlite = (name: string, include: string[], globalSetup: string[]) => ({
  ...transform,
  test: { ...workers, name, include, provide: { database: 'sqlite' as const }, globalSetup },
});

/** With `--mode matrix` (`npm run test:matrix`, before a release), all tests. */
const postgres = (mode: string) => ({
  ...transform,
  test: {
    ...workers,
    name: 'postgres',
    include: without(
      mode === 'matrix' ? ALL : choose(mode, ON_POSTGRES, DAILY_ON_POSTGRES),
      OF_SQLITE,
      WITHOUT_DATABASE,
    ),
    provide: { database: 'postgres' as const },
    globalSetup: [BUILD, 'test/support/postgres/setup.ts'],
  },
});

export default defineConfig(({ mode }) => ({
  test: {
    root,
    reporters: ['default', new ClosingLine()],
    globalSetup: ['test/support/setup-database.ts'],
    projects: [
      onSqlite('program', choose(mode, PROGRAM, PROGRAM), [BUILD]),
      onSqlite('console', choose(mode, CONSOLE, CONSOLE), [BUILD]),
      onSqlite('server', choose(mode, SERVER, SERVER), []),
      postgres(mode),
    ],
  },
}));
