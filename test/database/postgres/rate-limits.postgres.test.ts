import pg from 'pg';
import { RateLimiterPostgres } from 'rate-limiter-flexible';
import { expect, it, onTestFinished } from 'vitest';

import { schemaDatabase } from '../../support/postgres/schema.js';

const database = schemaDatabase();

it('rate-limiter-flexible counts in rate_limits in the role above companies', async () => {
  const options = `-c role=${database.roles.system}`;
  const pool = new pg.Pool({ connectionString: database.url, options });
  onTestFinished(() => pool.end());
  const limits = new RateLimiterPostgres({
    ...{ storeClient: pool, tableName: 'rate_limits', tableCreated: true, clearExpiredByTimeout: false },
    ...{ keyPrefix: 'test', points: 2, duration: 60 },
  });
  await limits.consume('key');
  await limits.consume('key');
  await expect(limits.consume('key')).rejects.toMatchObject({ remainingPoints: 0, consumedPoints: 3 });
  expect(await database.admin('select points from rate_limits where key = $1', ['test:key'])).toEqual([
    { points: 3 },
  ]);
  await limits.delete('key');
  expect(await limits.get('key')).toBeNull();
});
