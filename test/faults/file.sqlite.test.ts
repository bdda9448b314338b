import { chmodSync, chownSync, copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';

import { createGroup } from '../../src/domain/fleet/group/group.service.js';
import { damageTable, placeAt, urlOf } from '../support/databases/sqlite-place.js';
import { prepareDatabase } from '../support/prepared-database.js';
import { killPrograms, runCommand, runProgram, serveHere, startProgram } from '../support/program.js';
import { scratchFolder } from '../support/scratch.js';
import { AS_NOBODY, isRoot, itUnless, lacking, runTool, startPrepared, useScratchFolder } from './machine.js';
import { Lists, TERMINALS_EACH, Writer } from './mixed-writes.js';
import { problemsIn } from './soundness.js';

const CONFIG_EXIT = 78;

let folder: string;
let file: string;
useScratchFolder((scratch) => ({ folder, file } = scratch));

describe('CF-10 random bytes in the middle of the database', () => {
  it('written while the server runs make all writes, and reads of these pages, fail with 503', async () => {
    const { token } = await prepareDatabase(placeAt(file), async (work) => {
      for (let n = 0; n < 200; n += 1) await createGroup(work, { name: `group ${n}` });
    });
    const program = await startProgram(urlOf(file));
    const client = program.client(token);
    expect((await client.get('devices')).status).toBe(200);
    damageTable(file, 'groups');
    const damaged = await client.get('groups');
    expect([damaged.status, damaged.body.code]).toEqual([503, 'db_corrupt']);
    expect(Number(damaged.headers.get('retry-after'))).toBeGreaterThan(0);
    const write = await client.post('devices', { serial_number: 's' });
    expect([write.status, write.body.code]).toEqual([503, 'db_corrupt']);
    expect((await client.get('devices')).status).toBe(200);
    expect((await client.get('/readyz')).status).toBe(503);
    expect((await client.get('/healthz')).status).toBe(200);
  });
});

describe('read-only storage', () => {
  itUnless(lacking.otherUser())(
    'CF-13 is refused at the start, whether the file or its folder is read-only',
    async () => {
      const data = join(folder, 'data');
      mkdirSync(data);
      const own = join(data, 'gateway.db');
      await prepareDatabase(placeAt(own));
      for (const above of [folder, dirname(folder)]) chmodSync(above, 0o711);
      if (isRoot) for (const path of [own, data]) chownSync(path, 65_534, 65_534);
      const start = async () => await runProgram(['serve'], urlOf(own), { through: AS_NOBODY });
      for (const [fileMode, folderMode] of [
        [0o444, 0o755],
        [0o644, 0o555],
        [0o444, 0o555],
      ] as const) {
        chmodSync(own, fileMode);
        chmodSync(data, folderMode);
        const { code, output } = await start();
        expect(code, output).toBe(CONFIG_EXIT);
        expect(output).toMatch(/no permission|cannot be (written|opened)/);
      }
      chmodSync(data, 0o755);
    },
  );
});

describe('a second server on the same database', () => {
  itUnless(lacking.mount())(
    'CC-10 is refused through a bind mount too, until the first ends by kill -9',
    async () => {
      await prepareDatabase(placeAt(file));
      const other = scratchFolder();
      runTool('mount', '--bind', folder, other);
      try {
        const first = await startProgram(urlOf(file));
        const second = await runCommand(['serve'], urlOf(join(other, 'gateway.db')));
        expect([second.code, second.output]).toEqual([
          CONFIG_EXIT,
          expect.stringContaining(`in use by process ${first.pid}`),
        ]);
        await first.end('SIGKILL');
        await (await serveHere(urlOf(join(other, 'gateway.db')))).stop();
      } finally {
        await killPrograms();
        runTool('umount', '-l', other);
      }
    },
  );
});

describe('a power cut', () => {
  itUnless(lacking.loop())('CF-02 loses no acknowledged change', async () => {
    const disk = join(folder, 'disk.img');
    const copy = join(folder, 'after.img');
    const mounted = join(folder, 'mounted');
    const mount = (image: string) => runTool('mount', '-o', 'loop', image, mounted);
    const unmount = () => runTool('umount', '-l', mounted);
    mkdirSync(mounted);
    writeFileSync(disk, Buffer.alloc(48 * 1024 * 1024));
    runTool('mkfs.ext4', '-q', '-F', disk);
    mount(disk);
    try {
      const mountedFile = join(mounted, 'gateway.db');
      const { token, client, program } = await startPrepared(placeAt(mountedFile));
      const writers = Array.from({ length: 16 }, (_, n) => new Writer(`w${n}`, Math.random));
      for (const writer of writers) await writer.prepare(client);
      const isGone = (): boolean => program.process.killed;
      const writing = Promise.all(writers.map((writer) => writer.write(client, isGone)));
      await Promise.race([writing, sleep(1_500)]);
      // Copies the disk as it is now, without what the operating system still caches in memory.
      program.process.kill('SIGSTOP');
      copyFileSync(disk, copy);
      await program.end('SIGKILL');
      await writing;
      unmount();
      mount(copy);
      const again = await serveHere(urlOf(mountedFile));
      const lists = new Lists(again.client(token));
      for (const writer of writers) expect(await writer.verify(lists)).toEqual([]);
      expect(await problemsIn(placeAt(mountedFile), { deliveriesEach: TERMINALS_EACH })).toEqual([]);
    } finally {
      await killPrograms();
      unmount();
    }
  });
});
