import { utimesSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

import { MINUTE, SECOND } from '../../src/platform/clock.js';
import { fileOf } from '../support/databases/sqlite-place.js';
import { fleet } from '../support/fleet.js';
import { useServerPerTest } from '../support/server.js';

const AGE = 'database_checkpoint_age_seconds';
const server = useServerPerTest();

async function ageOfCheckpoint(): Promise<number> {
  server.clock.advance(5 * SECOND);
  return await server.metric(AGE);
}

describe('the age of the last checkpoint of a file', () => {
  it('grows while changes are in the log only, and begins anew with a checkpoint', async () => {
    const anHourAgo = new Date(Date.now() - 60 * MINUTE);
    utimesSync(fileOf(server.place), anHourAgo, anHourAgo);
    await fleet.group(server.acme.client, 'shops');
    expect(await ageOfCheckpoint()).toBeGreaterThanOrEqual(3_600);
    await server.place.sql('pragma wal_checkpoint(truncate)');
    expect(await ageOfCheckpoint()).toBeLessThan(600);
  });
});
