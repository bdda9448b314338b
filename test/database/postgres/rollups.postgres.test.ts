import pg from 'pg';
import { expect, it } from 'vitest';

import { checkServer } from '../../../src/database/postgres/check.js';
import { bringUpToDate } from '../../../src/database/postgres/migrate.js';
import { MIGRATIONS } from '../../../src/database/postgres/migrations/index.js';
import { adminUrlOf, createDatabase, dropDatabase } from '../../support/postgres/boot.js';

import { addCompanies, connectTo, schemaDatabase, type Run } from '../../support/postgres/schema.js';

const database = schemaDatabase();

const addTransactions = (run: Run, first: number): Promise<unknown> =>
  run(`insert into transactions (id, company_id, transaction_type, serial_number, logical_number, app_name, detail,
      status, amount, payment_outcome, started_at, recorded_at)
    select ${first} + n, 1, 'switch', 's', 'n', 'app ' || n % 3, '', (array['success', 'fail'])[1 + n % 2], n, 'denied',
      to_timestamp(n * 5000), now() from generate_series(1, 100) as n`);

it('the rollups of transactions are filled by the migration, and kept for nodes of the version before', async () => {
  const url = await createDatabase(database.server);
  const client = new pg.Client(url);
  await client.connect();
  const { run, close } = await connectTo(adminUrlOf(database.server, url));
  try {
    const { '0013-schema': first } = MIGRATIONS;
    await bringUpToDate(client, 'test', undefined, { '0013-schema': first as never });
    await addCompanies(run);
    await addTransactions(run, 1_000);
    await run('delete from transactions where id between 1010 and 1020');
    expect(await bringUpToDate(client, 'test')).toEqual(Object.keys(MIGRATIONS).slice(1));
    expect(await checkServer(client)).toEqual([]);
    const [days] = await run('select sum(total) as total from transaction_day_totals where company_id = 1');
    expect(days).toEqual({ total: 89 });

    await run('begin');
    await run("select set_config('app.company_id', '1', true)");
    await run(`set local role ${new URL(url).pathname.slice(1)}_company`);
    await addTransactions(run, 2_000);
    await run("update transactions set status = 'running' where id > 2050");
    await run('commit');
    expect(await checkServer(client)).toEqual([]);
  } finally {
    await close();
    await client.end();
    await dropDatabase(database.server, url);
  }
});
