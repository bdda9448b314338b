import { mkdirSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { connect } from '../../src/database/sqlite/connect.js';
import { lockFile } from '../../src/database/sqlite/file/lock.js';
import { openDatabase } from '../../src/database/sqlite/open.js';
import { databaseFile } from '../support/databases/sqlite-place.js';
import { inOtherProcess } from '../support/other-process.js';
import { removeFolder, scratchFolder } from '../support/scratch.js';

let folder: string;
beforeEach(() => {
  folder = scratchFolder();
});
afterEach(() => removeFolder(folder));

const refusalOf = (use: () => unknown): unknown => {
  try {
    use();
    return 'it was given';
  } catch (error) {
    return error;
  }
};

/** Script that locks a database file with the same SQLite statements as this server. */
const OWN = `
  process.umask(0o077);
  const lock = new (require('better-sqlite3'))(process.argv[1] + '.lock', { timeout: 0 });
  lock.exec('begin exclusive; pragma user_version = ' + process.pid);
  lock.exec('commit; pragma locking_mode = exclusive; begin exclusive');
  process.stdout.write('owned');
  setInterval(() => undefined, 1000);
`;

describe('CC-10 the lock on a database file', () => {
  it('is refused while another process owns it, with its process id', async () => {
    const file = databaseFile(folder);
    const owner = await inOtherProcess(OWN, file);
    expect(refusalOf(() => lockFile(file))).toMatchObject({
      name: 'DatabaseRefused',
      reason: 'in_use',
      message: expect.stringContaining(`in use by process ${owner.pid}`) as string,
    });
  });

  it('leaves nothing stale behind an owner that was killed', async () => {
    const file = databaseFile(folder);
    const owner = await inOtherProcess(OWN, file);
    owner.kill('SIGKILL');
    await new Promise((resolve) => owner.once('exit', resolve));
    lockFile(file).release();
  });

  it('is refused to this process too while it owns it, and free after its release', () => {
    const file = databaseFile(folder);
    const lock = lockFile(file);
    expect(refusalOf(() => lockFile(file))).toMatchObject({
      message: expect.stringContaining(`process ${process.pid}`) as string,
    });
    expect(refusalOf(() => lockFile(file))).toMatchObject({ reason: 'in_use' });
    lock.release();
    lockFile(file).release();
  });

  it('is the same one through every path to the file', () => {
    const file = databaseFile(folder);
    const elsewhere = scratchFolder();
    symlinkSync(folder, join(elsewhere, 'linked-folder'));
    symlinkSync(file, join(elsewhere, 'linked.db'));
    const lock = lockFile(file);
    expect(refusalOf(() => lockFile(join(elsewhere, 'linked-folder', 'gateway.db')))).toMatchObject({
      reason: 'in_use',
    });
    expect(refusalOf(() => lockFile(join(elsewhere, 'linked.db')))).toMatchObject({ reason: 'in_use' });
    lock.release();
    removeFolder(elsewhere);
  });

  it('is kept by a server until it closes its database, and does not keep the command line out', async () => {
    const file = join(folder, 'new', 'gateway.db');
    const server = await openDatabase(file, { exclusive: true });
    await expect(openDatabase(file, { exclusive: true })).rejects.toMatchObject({ reason: 'in_use' });
    const commandLine = await openDatabase(file);
    await commandLine.close();
    await server.close();
    const next = await openDatabase(file, { exclusive: true });
    await next.close();
  });

  it('is given back where opening fails', async () => {
    const file = join(folder, 'gateway.db');
    const other = connect(databaseFile(folder));
    await other.close();
    const lock = lockFile(file);
    lock.release();
    mkdirSync(join(folder, 'folder.db'));
    await expect(openDatabase(join(folder, 'folder.db'), { exclusive: true })).rejects.toMatchObject({
      reason: 'unusable',
    });
    expect(statSync(join(folder, 'folder.db.lock'), { throwIfNoEntry: false })).toBeUndefined();
  });
});
