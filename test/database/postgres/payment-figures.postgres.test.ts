import pg from 'pg';
import { expect, it } from 'vitest';

import { checkServer } from '../../../src/database/postgres/check.js';
import { bringUpToDate } from '../../../src/database/postgres/migrate.js';
import { MIGRATIONS } from '../../../src/database/postgres/migrations/index.js';
import { adminUrlOf, createDatabase, dropDatabase } from '../../support/postgres/boot.js';
import { addCompanies, connectTo, schemaDatabase } from '../../support/postgres/schema.js';
import { FIGURES, KINDS, MIGRATED, MIGRATED_KINDS, olderPayments } from '../older-payments.js';

const database = schemaDatabase();

it('payments of an older database are summed up, and so are their changes', async () => {
  const url = await createDatabase(database.server);
  const client = new pg.Client(url);
  await client.connect();
  const { run, close } = await connectTo(adminUrlOf(database.server, url));
  try {
    const before = Object.fromEntries(Object.entries(MIGRATIONS).filter(([name]) => name < '0022'));
    await bringUpToDate(client, 'test', undefined, before);
    await addCompanies(run);
    for (const statement of olderPayments((ms) => `to_timestamp(${ms / 1_000})`)) await run(statement);
    expect((await bringUpToDate(client, 'test'))[0]).toBe('0022-payment-figures');
    expect(await run(FIGURES)).toEqual(MIGRATED);
    expect(await run(KINDS)).toEqual(MIGRATED_KINDS);
    expect(await checkServer(client)).toEqual([]);
    await run("update transactions set brand = 'visa' where id < 100");
    await run('delete from transactions where id > 250');
    expect(await checkServer(client)).toEqual([]);
  } finally {
    await close();
    await client.end();
    await dropDatabase(database.server, url);
  }
});
