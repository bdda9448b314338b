import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';

import { COUNTED } from '../../../src/schema/schema.js';
import { addRecords } from '../../support/postgres/records.js';
import { AUDIT, AUDITED, schemaDatabase } from '../../support/postgres/schema.js';
import { expectTrueTotals, STATUSES } from '../true-totals.js';

const database = schemaDatabase();
beforeAll(() => addRecords(database.admin));

const PAYMENTS = [
  'null, null',
  "0, 'approved'",
  "5, 'denied'",
  "7, 'cancelled'",
  "999999999999, 'approved'",
  '3, null',
];
const INSTANT = "'1970-01-01T00:00:00Z'::timestamptz + interval '1 second' *";

/** Rows of one transaction each, without their ids. Seconds around 1970 and around an hour of a later year. */
const transaction = fc
  .tuple(
    fc.constantFrom(1, 2),
    fc.constantFrom(...STATUSES),
    fc.constantFrom('a', 'b'),
    fc.constantFrom(...PAYMENTS),
    fc.oneof(
      fc.integer({ min: -200_000, max: 200_000 }),
      fc.integer({ min: 1_800_000_000, max: 1_800_010_000 }),
    ),
  )
  .map(
    ([company, status, app, payment, second]) =>
      `(${company}, '${status}', '${app}', ${payment}, ${INSTANT} ${second}.25)`,
  );

const addTransactions = fc.array(transaction, { minLength: 1, maxLength: 8 }).map(
  (
    rows,
  ) => `insert into transactions (id, company_id, transaction_type, serial_number, logical_number, app_name,
      detail, status, amount, payment_outcome, started_at, recorded_at)
    select (select coalesce(max(id), 0) from transactions) + row_number() over (), company, 'switch', 's', 'n', app, '', status,
      coalesce(amount::bigint, -1), outcome, started_at, now()
    from (values ${rows.join(', ')}) as given (company, status, app, amount, outcome, started_at)
    where company = any(visible())`,
);

const range = fc
  .tuple(fc.nat(30), fc.nat(12))
  .map(([id, more]) => `id between ${id + 1} and ${id + 1 + more}`);

const changeTransactions = fc
  .tuple(
    fc.constantFrom(
      "status = 'fail'",
      "app_name = 'b'",
      "transaction_type = 'company'",
      'amount = amount + 4',
      "detail = 'x'",
      "payment_status = 'approved', payment_type = 'sale', brand = 'visa'",
      "acquirer = 'a', installments = installments + 1",
      'group_id = 1 - group_id',
      "payment_outcome = 'denied'",
      'amount = -1',
      "started_at = started_at - interval '1 hour'",
    ),
    range,
  )
  .map(([change, rows]) => `update transactions set ${change} where ${rows}`);

/** Many rows of one company, which link with rows of others; the deletions below cascade to them. */
const addRecordsOfMany = fc.tuple(fc.constantFrom(1, 2), fc.integer({ min: 1, max: 5 })).map(
  ([company, count]) => `with new_ids as (
      select (select coalesce(max(id), 0) from app_versions) + n as id from generate_series(1, ${count}) as n
    ), versions as (
      insert into app_versions (id, company_id, app_id, number, uuid, crc, displayable, size, ${AUDITED})
      select id, ${company}, 1, 'n' || id, '', '', true, 1, ${AUDIT} from new_ids where ${company} = any(visible())
      returning id, company_id
    ), modules as (
      insert into app_version_modules (company_id, app_version_id, module_id)
      select company_id, id, 1 from versions where exists (select from app_versions as v
        where v.company_id = versions.company_id and v.id = 1)
    ) insert into app_version_groups (company_id, app_version_id, group_id)
      select company_id, id, 1 from versions`,
);

const addLedger = fc.array(fc.constantFrom('1', '2', 'null'), { minLength: 1, maxLength: 4 }).map(
  (companies) => `insert into ledger (company_id, at, channel, action, entity_type, sequence)
    select company, now(), 'api', 'x', 'group',
      (select max(position) from ledger) + row_number() over () + (random() * 1e9)::bigint
    from (values ${companies.map((company) => `(${company}::bigint)`).join(', ')}) as given (company)
    where company = any(visible()) or (company is null and current_user like '%_system')`,
);

const remove = fc
  .tuple(fc.constantFrom('transactions', 'app_versions', 'notifications', 'devices', 'access_tokens'), range)
  .map(([table, rows]) => `delete from ${table} where ${rows}`);

const statement = fc.oneof(
  { weight: 4, arbitrary: addTransactions },
  { weight: 4, arbitrary: changeTransactions },
  { weight: 2, arbitrary: addRecordsOfMany },
  { weight: 3, arbitrary: remove },
  { weight: 1, arbitrary: addLedger },
  {
    weight: 1,
    arbitrary: fc.constantFrom(...[11, 12].map((id) => `delete from memberships where user_id = ${id}`)),
  },
);

/** A unit of work of company 1 or 2, or above companies. */
const unit = fc.record({
  company: fc.constantFrom(null, 1, 2),
  statements: fc.array(statement, { minLength: 1, maxLength: 4 }),
});

async function run({ company, statements }: { company: number | null; statements: string[] }): Promise<void> {
  await database.admin("select set_config('app.company_id', $1, true)", [company ?? '']);
  await database.admin(`set local role ${company === null ? database.roles.system : database.roles.company}`);
  for (const text of statements) await database.admin(text);
  await database.admin('reset role');
}

/** Integer division rounds toward zero, as on SQLite. */
const MILLISECONDS = 'floor(extract(epoch from started_at) * 1000)::bigint';
const expectExact = () => expectTrueTotals((query) => database.admin(query), COUNTED, MILLISECONDS);

describe('counters and totals', () => {
  it('are exact from the beginning', expectExact);

  it('stay exact, whatever a unit of work changes', async () => {
    await database.admin(`create function visible() returns bigint[] language sql stable as $$
      select case when current_setting('app.company_id') = '' then '{1,2}'::bigint[]
        else array[current_setting('app.company_id')::bigint] end $$`);
    await fc.assert(
      fc.asyncProperty(fc.array(unit, { minLength: 1, maxLength: 8 }), async (units) => {
        await database.admin('begin');
        try {
          for (const each of units) await run(each);
          await expectExact();
        } finally {
          await database.admin('rollback');
        }
      }),
      { numRuns: 40 },
    );
  });

  it('go down with rows that a deletion removes elsewhere', async () => {
    const countOf = async (name: string): Promise<number | undefined> =>
      (
        await database.admin<{ total: number }>(
          'select total from counters where company_id = 1 and name = $1',
          [name],
        )
      )[0]?.total;
    expect([await countOf('app_version_modules'), await countOf('access_tokens')]).toEqual([1, 1]);
    await database.admin('begin');
    await run({ company: 1, statements: ['delete from app_versions', 'delete from memberships'] });
    expect([await countOf('app_version_modules'), await countOf('access_tokens')]).toEqual([0, 0]);
    expect([await countOf('app_versions'), await countOf('users')]).toEqual([0, 0]);
    await database.admin('rollback');
  });

  it('make one change of a total for many rows', async () => {
    await database.admin('begin');
    await database.admin(`insert into transactions (id, company_id, transaction_type, serial_number, logical_number,
        app_name, detail, status, started_at, recorded_at)
      select 100 + n, 1, 'switch', 's', 'n', 'app', '', 'success', to_timestamp(0), now()
      from generate_series(1, 1000) as n`);
    // xmax is 0 because this transaction inserted the row and never updated it.
    expect(
      await database.admin(
        'select total, xmax::text from transaction_totals where span = 1440 and start = 0',
      ),
    ).toEqual([{ total: 1000, xmax: '0' }]);
    await database.admin('rollback');
  });
});

describe('a record', () => {
  it.each(['groups', 'memberships', 'transactions', 'app_version_groups'])(
    'of %s stays with its company',
    async (table) => {
      await expect(
        database.admin(`update ${table} set company_id = 3 - company_id where company_id = 1`),
      ).rejects.toThrow('a record stays with its company');
      await database.admin(`update ${table} set company_id = company_id`);
    },
  );
});
