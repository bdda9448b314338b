import { defineConfig } from 'vitest/config';

import ClosingLine from './closing-line.js';

const root = new URL('..', import.meta.url).pathname;

/** Tests of the built program: they start it, kill it, open its pages, or limit its memory and storage. */
const PROGRAM = ['test/faults/**/*.test.ts', 'test/cli/**/*.test.ts', 'test/demo/demo-*.test.ts'];

/** Decorators as the compiler understands them; one copy of graphql for our code and for the packages. */
const transform = {
  oxc: { decorator: { legacy: true } },
  resolve: { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] },
};

const workers = {
  root,
  // The files of a worker share its modules: to load the server takes longer than most files run.
  isolate: false,
  // Twice the processors of the smallest machine, since many tests wait for a process or a deadline.
  maxWorkers: 4,
};

const FILE_ONLY = 'test/**/*.sqlite.test.ts';
const SERVER_ONLY = 'test/**/*.postgres.test.ts';

const ofProgram = {
  globalSetup: ['test/support/setup-build.ts'],
  testTimeout: 120_000,
  hookTimeout: 60_000,
  expect: { poll: { timeout: 20_000 } },
};

/** Tests on a SQLite file, those of the built program apart; and all that are not of files on PostgreSQL again. */
export default defineConfig({
  test: {
    root,
    reporters: ['default', new ClosingLine()],
    globalSetup: ['test/support/setup-database.ts'],
    projects: [
      {
        ...transform,
        test: {
          ...workers,
          ...ofProgram,
          name: 'program',
          include: PROGRAM,
          exclude: [SERVER_ONLY],
          provide: { database: 'sqlite' },
        },
      },
      {
        ...transform,
        test: {
          ...workers,
          name: 'server',
          include: ['test/**/*.test.ts'],
          exclude: [...PROGRAM, SERVER_ONLY],
          provide: { database: 'sqlite' },
          testTimeout: 30_000,
          hookTimeout: 60_000,
        },
      },
      {
        ...transform,
        test: {
          ...workers,
          ...ofProgram,
          name: 'postgres',
          include: ['test/**/*.test.ts'],
          exclude: [FILE_ONLY],
          globalSetup: ['test/support/setup-build.ts', 'test/support/postgres/setup.ts'],
          provide: { database: 'postgres' },
        },
      },
    ],
  },
});
