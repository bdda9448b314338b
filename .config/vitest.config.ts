import { defineConfig } from 'vitest/config';

import ClosingLine from './closing-line.js';

/** Tests that start the built program, kill it or limit its memory: each file gets a process of its own. */
const PROCESSES = ['test/faults/**/*.test.ts', 'test/cli/**/*.test.ts', 'test/demo/demo-command.test.ts'];

const root = new URL('..', import.meta.url).pathname;
/** Decorators as the compiler understands them; one copy of graphql for our code and for the packages. */
const transform = {
  oxc: { decorator: { legacy: true } },
  resolve: { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] },
};
const limits = { root, maxWorkers: 2, testTimeout: 30_000, hookTimeout: 60_000 };

export default defineConfig({
  test: {
    root,
    reporters: ['default', new ClosingLine()],
    globalSetup: ['test/support/global-setup.ts'],
    projects: [
      {
        ...transform,
        test: { ...limits, name: 'processes', include: PROCESSES },
      },
      {
        ...transform,
        // Files of one worker share its modules: loading the server takes longer than most of the tests.
        test: { ...limits, name: 'shared', include: ['test/**/*.test.ts'], exclude: PROCESSES, isolate: false },
      },
    ],
  },
});
