import { mkdirSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

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

const inUse = (message = 'in use by'): unknown =>
  expect.objectContaining({
    name: 'DatabaseRefused',
    reason: 'in_use',
    message: expect.stringContaining(message) as string,
  });

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
  it('is refused while another process owns it, with its process id, until that is killed', async () => {
    const file = databaseFile(folder);
    const owner = await inOtherProcess(OWN, file);
    expect(() => lockFile(file)).toThrow(inUse(`in use by process ${owner.pid}`));
    owner.kill('SIGKILL');
    await new Promise((resolve) => owner.once('exit', resolve));
    lockFile(file).release();
  });

  it('is refused to this process too while it owns it, and free after its release', () => {
    const file = databaseFile(folder);
    const lock = lockFile(file);
    for (let time = 0; time < 2; time += 1)
      expect(() => lockFile(file)).toThrow(inUse(`process ${process.pid}`));
    lock.release();
    lockFile(file).release();
  });

  it('is the same one through every path to the file', () => {
    const file = databaseFile(folder);
    const elsewhere = scratchFolder();
    symlinkSync(folder, join(elsewhere, 'linked-folder'));
    symlinkSync(file, join(elsewhere, 'linked.db'));
    const lock = lockFile(file);
    expect(() => lockFile(join(elsewhere, 'linked-folder', 'gateway.db'))).toThrow(inUse());
    expect(() => lockFile(join(elsewhere, 'linked.db'))).toThrow(inUse());
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
    const file = join(folder, 'folder.db');
    mkdirSync(file);
    await expect(openDatabase(file, { exclusive: true })).rejects.toMatchObject({ reason: 'unusable' });
    expect(statSync(`${file}.lock`, { throwIfNoEntry: false })).toBeUndefined();
  });
});
