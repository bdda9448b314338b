import { existsSync, statfsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';

import { DAY, systemClock } from '../../../src/platform/clock.js';
import { placeAt, urlOf } from '../../support/databases/sqlite-place.js';
import { prepareDatabase } from '../../support/prepared-database.js';
import { runCommand, runProgram, serveHere } from '../../support/program.js';
import { insertTransactions } from '../../support/retention.js';
import { fillDisk, itUnless, lacking, onSmallDisk, useScratchFolder } from '../machine.js';
import { problemsIn } from '../soundness.js';

const MEGABYTE = 1024 * 1024;
const OLD = 8_000;
const PRUNE = ['db', 'prune', '--transactions', '24 months'];

let folder: string;
useScratchFolder((scratch) => ({ folder } = scratch));

function freeBytes(mounted: string): number {
  const { bavail, bsize } = statfsSync(mounted);
  return bavail * bsize;
}

async function onFullDisk(
  use: (file: string, token: string, fill: () => void) => Promise<void>,
): Promise<void> {
  await onSmallDisk(folder, 60, async (small) => {
    const file = join(small, 'gateway.db');
    const place = placeAt(file);
    const { companyId, token } = await prepareDatabase(place);
    const now = systemClock.now().getTime();
    await insertTransactions(place, companyId, OLD, { first: new Date(now - 900 * DAY), stepMs: 60_000 });
    await insertTransactions(place, companyId, 5, { first: new Date(now - DAY), stepMs: 1_000 });
    await use(file, token, () => {
      fillDisk(small);
      expect(freeBytes(small)).toBe(0);
    });
    expect(await place.sql('select count(*) as total from transactions')).toEqual([{ total: 5 }]);
    expect(await problemsIn(place)).toEqual([]);
  });
}

describe('CF-05 a disk without a free byte', () => {
  itUnless(lacking.mount())('has room for db prune, and then for new records, without a server', async () => {
    await onFullDisk(async (file, token, fill) => {
      // A server makes the reserve. After its stop there is no log, for which every other command needs room.
      await (await serveHere(urlOf(file))).stop();
      expect(statSync(`${file}.reserve`).size).toBe(4 * MEGABYTE);
      fill();
      expect((await runCommand(['user', 'list'], urlOf(file))).code).toBe(74);
      const { size } = statSync(file);
      const { code, output } = await runCommand(PRUNE, urlOf(file));
      expect([code, output]).toEqual([0, expect.stringContaining(`transactions ${OLD}`)]);
      expect(statSync(file).size).toBeLessThanOrEqual(size);
      const server = await serveHere(urlOf(file));
      expect((await server.client(token).post('groups', { name: 'new' })).status).toBe(201);
      await server.stop();
    });
  });

  itUnless(lacking.mount())('has it also while a server runs that cannot store anything', async () => {
    await onFullDisk(async (file, token, fill) => {
      const server = await serveHere(urlOf(file));
      const client = server.client(token);
      fill();
      let refused = 201;
      for (let n = 0; refused === 201 && n < 2_000; n += 1) {
        refused = (await client.post('groups', { name: `group ${n}`.padEnd(100, 'x') })).status;
      }
      expect(refused).toBe(503);
      const { code, output } = await runProgram(PRUNE, urlOf(file));
      expect([code, output]).toEqual([0, expect.stringContaining(`transactions ${OLD}`)]);
      expect(existsSync(`${file}.reserve`)).toBe(false);
      await expect
        .poll(async () => (await client.post('groups', { name: `new ${Math.random()}` })).status)
        .toBe(201);
      await server.stop();
    });
  });
});
