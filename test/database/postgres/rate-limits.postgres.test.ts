import pg from 'pg';
import { RateLimiterPostgres } from 'rate-limiter-flexible';
import { expect, it, onTestFinished } from 'vitest';

import { SYSTEM_ROLE } from '../../../src/database/postgres/schema/index.js';
import { schemaDatabase } from '../../support/postgres/schema.js';

const database = schemaDatabase();

it.each(['the owner', SYSTEM_ROLE])('rate-limiter-flexible counts in rate_limits as %s', async (user) => {
  const options = user === SYSTEM_ROLE ? `-c role=${SYSTEM_ROLE}` : '';
  const pool = new pg.Pool({ connectionString: database.url, options });
  onTestFinished(() => pool.end());
  const limits = new RateLimiterPostgres({
    ...{ storeClient: pool, tableName: 'rate_limits', tableCreated: true, clearExpiredByTimeout: false },
    ...{ keyPrefix: user, points: 2, duration: 60 },
  });
  await limits.consume('key');
  await limits.consume('key');
  await expect(limits.consume('key')).rejects.toMatchObject({ remainingPoints: 0, consumedPoints: 3 });
  expect(await database.owner('select points from rate_limits where key = $1', [`${user}:key`])).toEqual([
    { points: 3 },
  ]);
  await limits.delete('key');
  expect(await limits.get('key')).toBeNull();
});
