import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, inject, it, onTestFinished } from 'vitest';

import { newDatabase } from '../support/databases/place.js';
import { fileOf, urlOf } from '../support/databases/sqlite-place.js';
import {
  commandLine,
  commandLineWithUser,
  runCommand,
  serveHere,
  type CommandLine,
} from '../support/program.js';

const isFile = inject('database') === 'sqlite';

const COMMANDS = [
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

describe('RU-88 a database of another state of the schema', () => {
  it.each([
    ['with another fingerprint', "update applied_migrations set fingerprint = 'of another state'"],
    ['from before there were fingerprints', 'alter table applied_migrations drop column fingerprint'],
  ])('is refused with 78 and one sentence: %s', async (_state, change) => {
    const { cli } = await commandLineWithUser();
    await cli.place.sql(change);
    const users = 'select count(*) as total from users';
    const rows = async () => [
      await cli.place.sql('select * from applied_migrations'),
      await cli.place.sql(users),
    ];
    const before = await rows();
    for (const command of COMMANDS) {
      const { code, stdout, stderr } = await cli.run(command);
      expect({ command, code, stdout }).toEqual({ command, code: 78, stdout: '' });
      expect(stderr, command).toMatch(
        /^[^\n]+ was made by another state of terminal-gateway, [^\n]+Nothing was changed\.[^\n]+\n$/,
      );
    }
    expect(await rows()).toEqual(before);
  });

  it('is recognised only when no migration is pending, and a new one is accepted', async () => {
    const cli = await commandLine();
    expect((await cli.run('db migrate')).code).toBe(0);
    expect((await cli.run('db check')).code).toBe(0);
    const [{ fingerprint }] = (await cli.place.sql('select fingerprint from applied_migrations')) as [
      { fingerprint: string },
    ];
    expect(fingerprint).toMatch(/^[0-9a-f]{16}$/);
  });
});

describe('a database of which somebody removed a table', () => {
  it.each(['rollouts', 'memberships'])(
    'lets no command show a stack, and db check names the table: %s',
    async (table) => {
      const { cli } = await commandLineWithUser();
      if (isFile) await cli.place.sql('pragma foreign_keys = off');
      if (isFile && table === 'memberships') await cli.place.sql('drop view members');
      await cli.place.sql(`drop table ${table}${isFile ? '' : ' cascade'}`);
      const check = await cli.run('db check');
      expect(check.code).not.toBe(0);
      expect(check.output).toContain(table);
      for (const command of COMMANDS.filter((each) => each !== 'serve'))
        expect((await cli.run(command)).output, command).not.toMatch(STACK);
    },
  );
});

describe('RU-89 a copy beside its original', () => {
  /** The URL of a copy: a backup of a file that a server uses, or a restored dump of a database that one has used. */
  async function copyOf(cli: CommandLine): Promise<string> {
    const server = await cli.serve();
    if (isFile) {
      const backup = join(cli.folder, 'backup.db');
      expect((await cli.run(['db', 'backup', backup])).code).toBe(0);
      return urlOf(backup);
    }
    await server.stop();
    await cli.place.disconnect();
    const copy = await newDatabase({ copyOf: cli.place });
    onTestFinished(() => copy.remove());
    return copy.url;
  }

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
    if (!isFile) await (await cli.serve()).stop();
  });

  it.runIf(isFile)(
    'is an original of its own if db restore made it, and a file that was moved is none',
    async () => {
      const { cli } = await commandLineWithUser();
      const [backup, restored] = ['backup.db', 'restored.db'].map((name) => join(cli.folder, name)) as [
        string,
        string,
      ];
      const server = await cli.serve();
      expect((await cli.run(['db', 'backup', backup])).code).toBe(0);
      expect((await cli.with({ DATABASE_URL: urlOf(restored) }).run(['db', 'restore', backup])).code).toBe(0);
      await (await serveHere(urlOf(restored))).stop();
      await server.stop();
      const moved = join(cli.folder, 'moved.db');
      renameSync(fileOf(cli.place), moved);
      await (await serveHere(urlOf(moved))).stop();
    },
  );
});
