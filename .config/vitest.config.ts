import { defineConfig } from 'vitest/config';

import ClosingLine from './closing-line.js';

export default defineConfig({
  // Decorators as the compiler understands them; one copy of graphql for our code and for the packages.
  oxc: { decorator: { legacy: true } },
  resolve: { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] },
  test: {
    reporters: ['default', new ClosingLine()],
    root: new URL('..', import.meta.url).pathname,
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    // Much of what is tested waits for processes and for time to go by.
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
