import { describe, expect, it } from 'vitest';

import { commandLineWithUser, runCommand, serveHere, type CommandLine } from '../support/program.js';

export const COMMANDS = [
  'serve',
  'db check',
  'db migrate',
  'db info',
  'db prune --dry-run',
  'user list',
  'member list --company Acme',
  'audit verify',
] as const;

/** A line of a stack. */
const STACK = /^\s+at |node:internal|\.ts:\d|\.js:\d/m;

/** How a table is removed by hand. */
type RemoveTable = (cli: CommandLine, table: string) => Promise<unknown>;

export const testRemovedTables = (removeTable: RemoveTable) =>
  describe('a database of which somebody removed a table', () => {
    it.each(['rollouts', 'memberships'])(
      'lets no command show a stack, and db check names the table: %s',
      async (table) => {
        const { cli } = await commandLineWithUser();
        await removeTable(cli, table);
        const check = await cli.run('db check');
        expect(check.code).not.toBe(0);
        expect(check.output).toContain(table);
        for (const command of COMMANDS.filter((each) => each !== 'serve'))
          expect((await cli.run(command)).output, command).not.toMatch(STACK);
      },
    );
  });

/** @param copyOf makes a copy of a database that a server has used, and resolves to its URL. */
export const testCopies = (copyOf: (cli: CommandLine) => Promise<string>) =>
  describe('RU-89 a copy beside its original', () => {
    it('is refused with 78, and starts like any other once it was accepted', async () => {
      const { cli } = await commandLineWithUser();
      const url = await copyOf(cli);
      const refused = await runCommand(['serve'], url);
      expect([refused.code, refused.stdout]).toEqual([78, '']);
      expect(refused.stderr).toMatch(/^[^\n]+ is a copy: its original is [^\n]+--accept-copy\.\n$/);
      // Commands look at the copy as before.
      expect((await runCommand(['db', 'check'], url)).code).toBe(0);
      for (const accept of [{ acceptCopy: true }, {}]) {
        const server = await serveHere(url, {}, accept);
        expect((await server.client(null).get('/healthz')).status).toBe(200);
        await server.stop();
      }
    });
  });
