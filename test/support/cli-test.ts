import { it as base } from 'vitest';

import { commandLine, commandLineWithUser, type CommandLine } from './program.js';

/** Tests get a command line on a database with a user, whose token is `token`, or one on a database without tables, `bare`. */
export const it = base.extend<{
  readonly given: Awaited<ReturnType<typeof commandLineWithUser>>;
  readonly cli: CommandLine;
  readonly token: string;
  readonly bare: CommandLine;
}>({
  given: async ({}, use) => use(await commandLineWithUser()),
  cli: async ({ given }, use) => use(given.cli),
  token: async ({ given }, use) => use(given.token),
  bare: async ({}, use) => use(await commandLine()),
});
