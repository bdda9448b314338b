import Sqlite from 'better-sqlite3';
import { createHash } from 'node:crypto';
import { readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { describe, expect } from 'vitest';

import { it } from '../support/cli-test.js';
import { fileOf } from '../support/databases/sqlite-place.js';
import { runProgram } from '../support/program.js';

const digest = (file: string): string => createHash('sha256').update(readFileSync(file)).digest('hex');

describe('serve', () => {
  it('CC-10 refuses a file that another server has open, and opens it after that one has ended', async ({
    cli,
    token,
  }) => {
    const first = await cli.start();
    const second = await runProgram(['serve'], cli.place.url);
    expect(second.code).toBe(78);
    expect(second.stderr).toContain(`is in use by process ${first.pid}`);
    expect(second.stderr.trimEnd().split('\n')).toHaveLength(1);
    expect((await first.client(token).get('groups')).status).toBe(200);
    expect(await first.end('SIGKILL')).toEqual({ code: null, signal: 'SIGKILL' });
    expect((await (await cli.serve()).client(token).get('groups')).status).toBe(200);
  });

  it.for<[string, (file: string) => void, string]>([
    ['CF-09 a text file', (file) => writeFileSync(file, 'no database\n'.repeat(500)), 'is not a SQLite'],
    [
      'CF-09 an overwritten header',
      (file) => writeFileSync(file, readFileSync(file).fill(0xff, 0, 16)),
      'is not a SQLite',
    ],
    ['CF-09 half a file', (file) => truncateSync(file, 20 * 1024), 'is damaged'],
    [
      'CF-14 a newer schema',
      (file) => {
        const database = new Sqlite(file);
        database.exec(
          "insert into applied_migrations (name, applied_at, needs) values ('9999-future', 0, '9999-future')",
        );
        database.pragma('journal_mode = DELETE');
        database.close();
      },
      'is newer than this program',
    ],
  ])('refuses %s and does not change it', async ([_case, damage, message], { cli }) => {
    damage(fileOf(cli.place));
    const before = digest(fileOf(cli.place));
    for (const command of [['serve'], ['user', 'list'], ['db', 'migrate']]) {
      const refused = await cli.run(command);
      expect([refused.code, refused.stdout]).toEqual([78, '']);
      expect(refused.stderr).toContain(message);
      expect(refused.stderr).toContain(fileOf(cli.place));
      expect(refused.stderr.trimEnd().split('\n')).toHaveLength(1);
    }
    expect(digest(fileOf(cli.place))).toBe(before);
  });
});
