import Sqlite from 'better-sqlite3';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';

import { runDrill } from '../../src/cli/commands/database-drill.js';
import { FileTools } from '../../src/database/sqlite/tools.js';
import type { Drill, Progress } from '../../src/database/tools.js';
import { it } from '../support/cli-test.js';
import { fileOf, overwrite } from '../support/databases/sqlite-place.js';
import type { CommandLine } from '../support/program.js';
import { insertTransactions } from '../support/retention.js';

const SILENT = { progress: () => () => undefined };

/** An empty folder for the files of a drill. */
function folderOf(cli: CommandLine): string {
  const folder = join(cli.folder, 'drills');
  mkdirSync(folder);
  return folder;
}

/** Runs a drill of which a step is followed by `fault`, which gets the folder with its files. */
async function drillWith(cli: CommandLine, step: keyof Drill, fault: (folder: string) => void) {
  const parent = folderOf(cli);
  const drill = await new FileTools(fileOf(cli.place)).drill(parent);
  const broken: Drill = {
    ...drill,
    [step]: async (onProgress: Progress) => {
      await (drill[step] as Drill['backup'])(onProgress);
      fault(drill.left[0] ?? '');
    },
  };
  return { parent, left: drill.left, result: await runDrill(broken, 'gateway.db', SILENT) };
}

describe('db drill of a file', () => {
  it('restores a backup beside a server, prints the times and leaves nothing', async ({ cli, token }) => {
    const server = await cli.serve();
    const client = server.client(token);
    expect((await client.post('groups', { name: 'before' })).status).toBe(201);
    const folder = folderOf(cli);
    const drill = await cli.run(['db', 'drill', folder]);
    expect([drill.code, drill.lines]).toEqual([
      0,
      [
        'STEP     SECONDS',
        ...['backup ', 'restore', 'check  ', 'remove '].map(
          (step) => expect.stringMatching(new RegExp(`^${step}  \\d+\\.\\d$`)) as string,
        ),
        expect.stringMatching(
          / can be restored from a backup: the drill took \d+\.\d s and has left nothing\.$/,
        ) as string,
      ],
    ]);
    expect(readdirSync(folder)).toEqual([]);
    // A drill keeps no backup, so it is none.
    expect(existsSync(`${fileOf(cli.place)}.last-backup`)).toBe(false);
    expect((await client.get('groups')).body.pagination).toMatchObject({ total_entries: 1 });
    const seconds = Object.fromEntries(
      ['backup', 'restore', 'check', 'remove'].map((step) => [step, expect.any(Number) as number]),
    );
    const asJson = (await cli.run(['db', 'drill', folder, '--json'])).object();
    expect(asJson).toEqual({ ok: true, seconds, left: [] });
  });

  it('finds a backup that is cut off, and names what is left', async ({ cli }) => {
    const { parent, left, result } = await drillWith(cli, 'backup', (folder) =>
      truncateSync(join(folder, 'backup.db'), 20_000),
    );
    expect(result.value).toMatchObject({ ok: false, left });
    expect(result.failure?.message).toMatch(
      /The drill failed at the step restore\. .*terminal-gateway-drill-/,
    );
    expect(readdirSync(parent)).toHaveLength(1);
    expect(result.lines.join('\n')).not.toContain('can be restored');
  });

  it('finds bytes of a backup that the disk has changed', async ({ cli }) => {
    const [company] = await cli.place.sql<{ id: number }>('select id from companies');
    await insertTransactions(cli.place, company?.id ?? 0, 2_000, { first: new Date(0), stepMs: 1_000 });
    const { result } = await drillWith(cli, 'backup', (folder) =>
      overwrite(join(folder, 'backup.db'), 40 * 4096, randomBytes(40 * 4096)),
    );
    expect(result.failure?.message).toMatch(/damaged[^]*The drill failed at the step restore\./);
  });

  it('finds a backup that lacks the latest changes', async ({ cli }) => {
    const { result } = await drillWith(cli, 'restore', (folder) => {
      const database = new Sqlite(join(folder, 'restored.db'));
      database.exec(
        'drop trigger ledger_no_delete; delete from ledger where position = (select max(position) from ledger)',
      );
      database.close();
    });
    expect(result.failure?.message).toMatch(
      /its ledger ends at \d+, before \d+[^]*The drill failed at the step check\./,
    );
  });

  it('finds wrong totals, which a backup has too, and ends with 78', async ({ cli }) => {
    await cli.place.sql('update counters set total = total + 1');
    const folder = folderOf(cli);
    const drill = await cli.run(['db', 'drill', folder]);
    expect(drill.code).toBe(78);
    const [left = ''] = readdirSync(folder);
    expect(drill.stderr).toContain('its counter of users is 2, but it has 1');
    expect(drill.stderr).toContain(`The drill failed at the step check. What it has made is left`);
    expect(drill.stderr).toContain(join(folder, left));
    expect(readdirSync(join(folder, left))).toEqual(expect.arrayContaining(['backup.db', 'restored.db']));
    expect(drill.lines.slice(0, 4).join('\n')).toMatch(/^STEP .*\nbackup .*\nrestore .*\ncheck /);
  });

  it('is refused without a database or its folder, and with a place to restore into', async ({
    bare,
    cli,
  }) => {
    const into = await cli.run(['db', 'drill', cli.folder, '--into', 'file:other.db']);
    expect([into.code, into.stderr]).toEqual([78, '--into is for PostgreSQL. Nothing was done.\n']);
    const none = await bare.run(['db', 'drill', bare.folder]);
    expect([none.code, none.stderr]).toEqual([78, expect.stringContaining('There is no database at')]);
    const missing = await cli.run(['db', 'drill', join(cli.folder, 'missing')]);
    expect(missing.code).toBeGreaterThan(0);
    expect(missing.stderr).toContain('missing');
  });
});
