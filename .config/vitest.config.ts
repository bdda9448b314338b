import { defineConfig } from 'vitest/config';

import ClosingLine from './closing-line.js';

const root = new URL('..', import.meta.url).pathname;

/** Tests of the built program: they start it, kill it, open its pages, or limit its memory and storage. */
const PROGRAM = ['test/faults/**/*.test.ts', 'test/cli/**/*.test.ts', 'test/demo/demo-*.test.ts'];

/** Tests of the built console in a browser. */
const CONSOLE = 'test/console/**/*.test.ts';

/** Tests of one database only, by the end of their names. */
const [OF_SQLITE, OF_POSTGRES] = ['test/**/*.sqlite.test.ts', 'test/**/*.postgres.test.ts'] as const;

/** Tests of what depends on the database: storage, units of work, companies, all routes and fields, faults. */
const ON_EACH_DATABASE = [OF_POSTGRES, 'test/{database,contract,faults}/**/*.test.ts'];

/** Tests that read no database and run once. */
const WITHOUT_DATABASE = 'test/{architecture,container,documents,mqtt,platform,simulator}/**';

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

const program = {
  ...transform,
  test: {
    ...workers,
    name: 'program',
    include: PROGRAM,
    exclude: [OF_POSTGRES],
    provide: { database: 'sqlite' as const },
    globalSetup: ['test/support/setup-build.ts'],
  },
};

const pages = {
  ...program,
  test: { ...program.test, name: 'console', include: [CONSOLE] },
};

const server = {
  ...transform,
  test: {
    ...workers,
    name: 'server',
    include: ['test/**/*.test.ts'],
    exclude: [...PROGRAM, CONSOLE, OF_POSTGRES],
    provide: { database: 'sqlite' as const },
  },
};

/** All tests with `--mode matrix` (`npm run test:matrix`, before a release). */
const postgresOf = (mode: string) => ({
  ...transform,
  test: {
    ...workers,
    name: 'postgres',
    include: mode === 'matrix' ? ['test/**/*.test.ts'] : ON_EACH_DATABASE,
    exclude: [OF_SQLITE, WITHOUT_DATABASE],
    provide: { database: 'postgres' as const },
    globalSetup: ['test/support/setup-build.ts', 'test/support/postgres/setup.ts'],
  },
});

export default defineConfig(({ mode }) => ({
  test: {
    root,
    reporters: ['default', new ClosingLine()],
    globalSetup: ['test/support/setup-database.ts'],
    projects: [program, pages, server, postgresOf(mode)],
  },
}));
