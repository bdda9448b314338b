import { readdirSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

import { reading } from '../../src/database/sqlite/file/open-file.js';
import { placeAt, urlOf } from '../support/databases/sqlite-place.js';
import { prepareDatabase } from '../support/prepared-database.js';
import { type Program, serveHere } from '../support/program.js';
import { openSlowClient } from '../support/slow-client.js';
import {
  faultyStorage,
  itUnless,
  lacking,
  MEGABYTE,
  noProc,
  onSmallDisk,
  servePrepared,
  startPrepared,
  upload,
  useScratchFolder,
} from './machine.js';
import { problemsIn } from './soundness.js';

let folder: string;
let file: string;
useScratchFolder((scratch) => ({ folder, file } = scratch));

const ENOSPC = 28;

/** Names of files of uploads beside the database. */
const left = (beside = folder): string[] => readdirSync(beside).filter((name) => name.includes('upload'));

/** Files of uploads that the program has open; they have no name any more. */
const openIn = ({ pid }: Program): string[] =>
  readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
    const path = linkOf(`/proc/${pid}/fd/${fd}`);
    return path.includes('.upload-') ? [path] : [];
  });

/** Empty if the file was closed meanwhile. */
function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}

/** How many contents and chunks are stored. */
function stored(): number[] {
  return reading(file, (database) =>
    ['contents', 'content_chunks'].map((table) =>
      Number(database.prepare(`select count(*) from ${table}`).pluck().get()),
    ),
  );
}

describe('UP-20 kill -9 during a large upload', () => {
  itUnless(noProc)('while it arrives leaves nothing', async () => {
    const { token, program } = await startPrepared(placeAt(file));
    const client = await openSlowClient(program.url);
    const head = `POST /v1/files?access_token=${token} HTTP/1.1\r\nHost: a\r\nContent-Type: multipart/form-data; boundary=X\r\nContent-Length: ${9 * MEGABYTE}\r\n\r\n`;
    const part = '--X\r\nContent-Disposition: form-data; name="f"; filename="a"\r\n\r\n';
    await client.send(head + part);
    await client.send(Buffer.alloc(8 * MEGABYTE));
    await expect.poll(() => openIn(program)).toHaveLength(1);
    expect(left()).toEqual([]);
    await program.end('SIGKILL');
    client.socket.destroy();
    const again = await serveHere(urlOf(file));
    expect(left()).toEqual([]);
    expect(stored()).toEqual([0, 0]);
    expect((await again.client(token).post('files', upload('after', 1))).status).toBe(201);
  });

  itUnless(lacking.compiler())('while it is stored leaves no bytes without an owner', async () => {
    const storage = faultyStorage(folder);
    const { token, program } = await startPrepared(placeAt(file), storage.options);
    expect((await program.client(token).post('files', upload('kept', 2))).status).toBe(201);
    const before = stored();
    storage.fail('write', 'kill', { every: 1_000, files: 'gateway.db-wal' });
    await expect(program.client(token).post('files', upload('lost', 16))).rejects.toThrow();
    expect(await program.ended).toEqual({ code: null, signal: 'SIGKILL' });
    storage.heal();
    expect(stored()[1]).toBeGreaterThan(before[1] ?? 0);
    const again = await serveHere(urlOf(file));
    await expect.poll(stored).toEqual(before);
    expect(await problemsIn(placeAt(file))).toEqual([]);
    const files = (await again.client(token).get('files')).list('files');
    expect(files.map(({ name }) => name)).toEqual(['kept']);
    expect(left()).toEqual([]);
  });

  it('of a system that keeps the names of open files leaves none after the next start', async () => {
    const { token } = await prepareDatabase(placeAt(file));
    writeFileSync(`${file}.upload-77-1`, 'left');
    const server = await serveHere(urlOf(file));
    expect(left()).toEqual([]);
    expect((await server.client(token).get('files')).status).toBe(200);
  });
});

describe('UP-20 an upload that the storage has no room for', () => {
  itUnless(lacking.compiler())('is 503 storage_full while other changes are stored', async () => {
    const storage = faultyStorage(folder);
    const { client } = await startPrepared(placeAt(file), storage.options);
    storage.fail('write', ENOSPC, { files: 'gateway.db.upload-*' });
    const refused = await client.post('files', upload('refused', 4));
    expect([refused.status, refused.body.code]).toEqual([503, 'storage_full']);
    expect(refused.headers.get('retry-after')).toBe('60');
    expect((await client.post('groups', { name: 'beside' })).status).toBe(201);
    expect((await client.get('/readyz')).status).toBe(200);
    storage.heal();
    expect((await client.post('files', upload('accepted', 4))).status).toBe(201);
    expect(await problemsIn(placeAt(file))).toEqual([]);
  });

  itUnless(lacking.mount())('leaves the room of a small disk to other changes', async () => {
    await onSmallDisk(folder, 40, async (small) => {
      const smallFile = join(small, 'gateway.db');
      const { client } = await servePrepared(placeAt(smallFile));
      // The file would fit once, but not in the database and in the spool at the same time.
      const refused = await client.post('files', upload('refused', 24));
      expect([refused.status, refused.body.code]).toEqual([503, 'storage_full']);
      expect((await client.get('/readyz')).status).toBe(200);
      expect((await client.post('groups', { name: 'beside' })).status).toBe(201);
      expect((await client.post('files', upload('fits', 8))).status).toBe(201);
      expect((await client.delete('groups/beside')).status).toBe(200);
      expect(left(small)).toEqual([]);
      expect(await problemsIn(placeAt(smallFile))).toEqual([]);
    });
  });
});
