import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import type { Database } from '../../src/database/database.js';
import { connect } from '../../src/database/sqlite/connect.js';
import { backupTo, restoreFrom } from '../../src/database/sqlite/file/backup.js';
import { reading } from '../../src/database/sqlite/file/open-file.js';
import { createUnits } from '../../src/database/units.js';
import { testClock } from '../support/clock.js';
import { databaseFile, overwrite } from '../support/databases/sqlite-place.js';
import { removeFolder, scratchFolder } from '../support/scratch.js';
import { add as addNamed } from './added-companies.js';

let folder: string;
let database: Database;
let target: string;
beforeEach(() => {
  folder = scratchFolder();
  database = connect(databaseFile(folder));
  target = join(folder, 'backup.db');
});
afterEach(async () => {
  await database.close();
  removeFolder(folder);
});

const add = (name: string): Promise<void> => addNamed(createUnits(database, testClock()), name);

function namesIn(file: string): string[] {
  return reading(file, (opened) => {
    expect(opened.pragma('integrity_check', { simple: true })).toBe('ok');
    return (opened.prepare('select name from companies order by id').all() as { name: string }[]).map(
      (row) => row.name,
    );
  });
}

describe('a backup', () => {
  it('can be read by its owner only, and needs no file beside it', async () => {
    await add('Acme');
    const seen: number[] = [];
    await backupTo(database.name, target, (pages) => seen.push(pages));
    expect(seen.length).toBeGreaterThan(0);
    expect(statSync(target).mode & 0o777).toBe(0o600);
    expect(namesIn(target)).toEqual(['Acme']);
    expect(readdirSync(folder).filter((name) => name.startsWith('backup'))).toEqual(['backup.db']);
  });

  it('never overwrites a file', async () => {
    writeFileSync(target, 'precious');
    await expect(backupTo(database.name, target)).rejects.toThrow('exists and is not overwritten');
    expect(readFileSync(target, 'utf8')).toBe('precious');
  });

  it('of a damaged database is not made', async () => {
    for (let n = 0; n < 500; n += 1) await add(`company ${n} ${'-'.repeat(500)}`);
    await database.close();
    overwrite(database.name, 4 * 4096, randomBytes(40_000));
    await expect(backupTo(database.name, target)).rejects.toMatchObject({ name: 'DatabaseRefused' });
    expect(readdirSync(folder).filter((name) => name.startsWith('backup'))).toEqual([]);
  });

  it('of nothing is not made', async () => {
    await expect(backupTo(join(folder, 'none.db'), target)).rejects.toThrow('There is no database');
    expect(existsSync(target)).toBe(false);
  });
});

describe('restoring', () => {
  it('puts a backup in an empty place, ready to be served', async () => {
    await add('Acme');
    await backupTo(database.name, target);
    const place = join(folder, 'elsewhere', 'gateway.db');
    await restoreFrom(target, place);
    const restored = connect(place);
    expect(await restored.reads.selectFrom('companies').select('name').execute()).toEqual([{ name: 'Acme' }]);
    await restored.close();
    expect(statSync(place).mode & 0o777).toBe(0o600);
  });

  it.each([
    [
      'a database stands there',
      (place: string) => writeFileSync(place, 'x'),
      'exists and is not overwritten',
    ],
    [
      'the log of another stands there',
      (place: string) => writeFileSync(`${place}-wal`, 'x'),
      'log of another database',
    ],
  ])('is refused where %s', async (_what, prepare, says) => {
    await add('Acme');
    await backupTo(database.name, target);
    const place = join(folder, 'restored.db');
    prepare(place);
    await expect(restoreFrom(target, place)).rejects.toThrow(says);
  });

  it.each([
    ['there is none', () => undefined, 'There is no backup'],
    ['it is empty', (path: string) => writeFileSync(path, ''), 'is empty'],
    ['it is no database', (path: string) => writeFileSync(path, 'x'.repeat(5_000)), 'not a SQLite database'],
  ])('is refused where %s', async (_what, prepare, says) => {
    prepare(target);
    const place = join(folder, 'restored.db');
    await expect(restoreFrom(target, place)).rejects.toThrow(says);
    expect(existsSync(place)).toBe(false);
  });
});
