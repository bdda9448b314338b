import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

import { recovered } from '../faults/load.js';
import {
  fillDisk,
  itUnless,
  lacking,
  onSmallDisk,
  startPrepared,
  upload,
  useScratchFolder,
} from '../faults/machine.js';
import { killRounds } from '../faults/rounds.js';
import { placeAt } from '../support/databases/sqlite-place.js';
import { prepareDatabase } from '../support/prepared-database.js';

let folder: string;
let file: string;
useScratchFolder((scratch) => ({ folder, file } = scratch));

it('kill -9 during mixed writes loses no acknowledged change', async () => {
  const place = placeAt(file);
  const { token } = await prepareDatabase(place);
  const { problems, acknowledged } = await killRounds({ rounds: 1, place, token });
  expect(problems).toEqual([]);
  expect(acknowledged).toBeGreaterThan(0);
});

itUnless(lacking.mount())('a full disk refuses writes, serves reads, and recovers', async () => {
  await onSmallDisk(folder, 40, async (mounted) => {
    const { client } = await startPrepared(placeAt(join(mounted, 'gateway.db')));
    expect((await client.post('groups', { name: 'before' })).status).toBe(201);
    const filler = fillDisk(mounted);
    const refused = await client.post('files', upload('large', 8));
    expect([refused.status, refused.body.code]).toEqual([503, 'storage_full']);
    expect((await client.get('groups')).list('groups')).toHaveLength(1);
    rmSync(filler);
    await recovered(client);
  });
});

it('a server whose database was removed acknowledges nothing more, and ends', async () => {
  const { client, program } = await startPrepared(placeAt(file));
  rmSync(file);
  const status = await client.post('groups', { name: 'after' }).then(
    (reply) => reply.status,
    () => 0,
  );
  expect([0, 503]).toContain(status);
  await expect.poll(() => program.process.exitCode).toBe(74);
});
