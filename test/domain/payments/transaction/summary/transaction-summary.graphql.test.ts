import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';

import { finishTransaction } from '../../../../../src/domain/payments/transaction/recording/transaction-recording.service.js';
import {
  DIMENSIONS as ALL_DIMENSIONS,
  MAX_READ,
  MAX_ROWS,
} from '../../../../../src/domain/payments/transaction/summary/transaction-summary.model.js';
import { getTransaction } from '../../../../../src/domain/payments/transaction/transaction.service.js';
import { DAY, HOUR, MINUTE } from '../../../../../src/platform/clock.js';
import { camelCase, snakeCase } from '../../../../../src/platform/validate.js';
import { SUMS } from '../../../../../src/schema/rollups.js';
import type { Fields } from '../../../../support/client.js';
import { answered, refused, statementsFor } from '../../../../support/dashboard.js';
import { insertRows } from '../../../../support/databases/rows.js';
import { fleet } from '../../../../support/fleet.js';
import { useServer, type Member } from '../../../../support/server.js';
import { transactionFilters } from '../filters.js';
import { payment, record, report } from '../records.js';
import {
  DAYS,
  DIMENSIONS,
  dimensions,
  drawnRows,
  expected,
  inAnyOrder,
  parsedOf,
  reported,
  SUMMARY,
  type Drawn,
  type Paid,
  type Question,
  type Summary,
} from './expected-summary.js';

const FIRST = Date.UTC(2026, 0, 1);

const server = useServer();
/** Places of the logical numbers; L-2 is in no group, L-3 nowhere. */
const groupOf: Record<string, { databaseId: number; name: string }> = {};
beforeAll(async () => {
  const { client } = server.acme;
  for (const [name, numbers] of Object.entries({ North: ['L-0'], South: ['L-1', 'L-4'] })) {
    const databaseId = await fleet.group(client, name);
    for (const number of numbers) {
      await fleet.logicalNumber(client, number, { group_id: databaseId });
      groupOf[number] = { databaseId, name };
    }
  }
  await fleet.logicalNumber(client, 'L-2');
  const theirs = await fleet.group(server.beta.client, 'theirs');
  await fleet.logicalNumber(server.beta.client, 'L-3', { group_id: theirs });
});

const summary = async (question: Question, member: Pick<Member, 'graphql'> = server.acme): Promise<Summary> =>
  (await answered<{ transactionSummary: Summary }>(member, SUMMARY, { ...question })).transactionSummary;

const rowArbitrary = drawnRows(FIRST);

/** Filters of the list that select the transactions of a row, by the dimension of the summary. */
const OWN_FIELDS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.keys(DIMENSIONS).map((name) => [name, camelCase(name.toLowerCase())])),
  GROUP: 'groupDatabaseId',
};

async function rowsWithEnds(question: Question) {
  const query = SUMMARY.replace('bucketStart', 'bucketStart bucketEnd');
  const { transactionSummary } = await answered<{
    transactionSummary: readonly (Summary[number] & Record<'bucketStart' | 'bucketEnd', string | null>)[];
  }>(server.acme, query, { ...question });
  return transactionSummary;
}

/** The number of transactions that a filter of the list finds, and the sum of their amounts. */
async function followed(filter: Fields) {
  const { transactions } = await answered<{
    transactions: {
      readonly totalCount: number;
      readonly nodes: readonly { readonly parsed: { readonly amount: number } | null }[];
    };
  }>(server.acme, LIST, { filter });
  const amountTotal = transactions.nodes.reduce((sum, { parsed }) => sum + (parsed?.amount ?? 0), 0);
  return { count: transactions.totalCount, amountTotal };
}

const LIST = `query ($filter: TransactionFilter) {
  transactions(first: 100, filter: $filter) { totalCount nodes { parsed { amount } } } }`;

/** Replaces all transactions. */
async function recordAnew(drawn: readonly Drawn[]): Promise<Paid[]> {
  await server.place.sql('delete from transactions where company_id = $1', [server.acme.caller.companyId]);
  const { firstId } = await record(server, server.acme, drawn.map(reported));
  return drawn.map((row, n) => ({
    ...row,
    id: (firstId ?? 0) + n,
    amount: row.status === 'success' ? row.amount : null,
  }));
}

/** Finishes running transactions, as terminals report it. */
async function finish(row: Paid, amount: number | null): Promise<Paid> {
  if (row.status !== 'running') return row;
  const status = amount === null ? 'fail' : 'success';
  const finishedAt = new Date(row.startedAt + MINUTE);
  const parsed = amount === null ? null : payment(parsedOf({ ...row, amount })).parsed;
  await server.app.units.write(server.acme.caller, async (work) =>
    finishTransaction(work, await getTransaction(work, row.id), { status, finishedAt, parsed }),
  );
  return { ...row, status, amount };
}

/** Zones with days of 23, 24 and 25 hours, changes at midnight and at other minutes, and a day that was left out. */
const PLACES = [
  [null, '2026-01-01'],
  ['America/Sao_Paulo', '2026-01-01'],
  ['America/Sao_Paulo', '2018-11-02'],
  ['America/Sao_Paulo', '2018-02-15'],
  ['America/New_York', '2026-03-06'],
  ['America/New_York', '2026-10-30'],
  ['Australia/Lord_Howe', '2026-04-03'],
  ['Australia/Lord_Howe', '2026-10-02'],
  ['Australia/Adelaide', '2026-04-03'],
  ['Pacific/Apia', '2011-12-28'],
  ['Asia/Kathmandu', '2026-03-30'],
  ['Asia/Kolkata', '2026-01-01'],
  ['America/St_Johns', '2006-10-27'],
  ['America/St_Johns', '2006-03-31'],
] as const;

const run = fc.constantFrom(...PLACES).chain(([timeZone, date]) => {
  const first = Date.parse(date);
  const question = fc.record({
    filter: transactionFilters(first, DAYS),
    bucket: fc.constantFrom('HOUR', 'DAY', 'WEEK', 'MONTH', 'NONE'),
    by: dimensions,
    timeZone: fc.constant(timeZone),
    minPayments: fc.constantFrom(0, 0, 1, 3),
  } as const);
  return fc.record({
    drawn: fc.array(drawnRows(first), { maxLength: 60 }),
    ends: fc.array(fc.option(fc.nat(9_000)), { minLength: 1, maxLength: 5 }),
    asked: fc.array(question, { minLength: 6, maxLength: 12 }),
  });
});

describe('transactionSummary', () => {
  it('equals a plain sum over all transactions, from rollups or from single transactions', async () => {
    await fc.assert(
      fc.asyncProperty(run, async ({ drawn, ends, asked }) => {
        const rows = await recordAnew(drawn);
        for (const [n, row] of rows.entries()) {
          if (n % 2 === 0) rows[n] = await finish(row, ends[n % ends.length] ?? null);
        }
        for (const question of asked) {
          expect(inAnyOrder(await summary(question))).toEqual(inAnyOrder(expected(rows, question, groupOf)));
        }
      }),
      { numRuns: 12 },
    );
  });

  it('is empty without transactions, and ignores a repeated dimension', async () => {
    await recordAnew([]);
    expect(await summary({ bucket: 'NONE', by: [] })).toEqual([]);
    expect(await answered(server.acme, '{ transactionSummary { count } }')).toEqual({
      transactionSummary: [],
    });
    await recordAnew(fc.sample(rowArbitrary, { numRuns: 30, seed: 1 }));
    expect(await summary({ bucket: 'DAY', by: ['STATUS', 'STATUS'] })).toEqual(
      await summary({ bucket: 'DAY', by: ['STATUS'] }),
    );
  });

  it('is ordered by time, then by the properties', async () => {
    await recordAnew(fc.sample(rowArbitrary, { numRuns: 200, seed: 2 }));
    const rows = await summary({ bucket: 'DAY', by: ['APP_NAME', 'LOGICAL_NUMBER'] });
    const keys = rows.map(({ bucketStart, appName, logicalNumber }) =>
      [bucketStart, appName, logicalNumber].join(' '),
    );
    expect(keys).toEqual([...keys].sort());
    expect(keys.length).toBeGreaterThan(20);
  });

  it('uses the group that a logical number had when it was recorded, and no data of another company', async () => {
    const { client } = server.acme;
    await recordAnew([]);
    const at = new Date(FIRST);
    const gone = await fleet.group(client, 'Gone');
    await fleet.logicalNumber(client, 'L-MOVES', { group_id: gone });
    const recordOne = () =>
      record(server, server.acme, [report({ logicalNumber: 'L-MOVES', startedAt: at })]);
    await recordOne();
    await record(server, server.acme, [report({ logicalNumber: 'L-3', startedAt: at })]);
    await record(server, server.beta, [report({ logicalNumber: 'L-MOVES', startedAt: at })]);
    await client.put('logical_numbers/L-MOVES', { group_id: groupOf['L-1']?.databaseId });
    await recordOne();
    const groups = async (): Promise<unknown[]> =>
      (await summary({ bucket: 'NONE', by: ['GROUP'] })).map(({ group, groupDatabaseId, count }) => [
        (group as { name: string } | null)?.name ?? null,
        groupDatabaseId,
        count,
      ]);
    const south = ['South', groupOf['L-1']?.databaseId, 1];
    expect(await groups()).toEqual([[null, null, 1], south, ['Gone', gone, 1]]);
    await client.delete('logical_numbers/L-MOVES');
    await client.delete('groups/Gone');
    expect(await groups()).toEqual([[null, null, 1], south, [null, gone, 1]]);
  });

  it('has no dimension that is not followed here', () => {
    const followed = Object.keys(DIMENSIONS).map((name) => camelCase(name.toLowerCase()));
    expect(followed.toSorted()).toEqual(ALL_DIMENSIONS.toSorted());
  });

  it.each(Object.keys(DIMENSIONS))('by %s leads from each row to its transactions', async (dimension) => {
    await recordAnew(fc.sample(rowArbitrary, { numRuns: 90, seed: 4 }));
    for (const [bucket, timeZone] of [['NONE'], ['MONTH'], ['DAY', 'America/Sao_Paulo'], ['HOUR']] as const) {
      const filter = bucket === 'HOUR' ? { amount: { lt: 1_000 } } : {};
      const rows = await rowsWithEnds({ filter, bucket, by: [dimension], timeZone });
      expect(rows.length).toBeGreaterThan(1);
      for (const { bucketStart, bucketEnd, count, amountTotal, ...row } of rows) {
        const values = Object.entries(row).filter(([name]) => OWN_FIELDS[dimension] === name);
        const own = values.map(([name, value]) => [name, value === null ? { isNull: true } : { eq: value }]);
        const time = bucketStart === null ? {} : { startedAt: { gte: bucketStart, lt: bucketEnd } };
        const and = [filter, Object.fromEntries(own) as Fields, time];
        const found = await followed({ and });
        expect(found, JSON.stringify(and)).toEqual({ count, amountTotal });
      }
    }
  });

  it('has pages by each sum, which together are all rows', async () => {
    await recordAnew(fc.sample(rowArbitrary, { numRuns: 120, seed: 5 }));
    const question = { bucket: 'DAY', by: ['LOGICAL_NUMBER'] } as const;
    const all = await summary(question);
    for (const [of, direction] of [
      ['count', 'DESC'],
      ['amountTotal', 'DESC'],
      ['approvedCount', 'ASC'],
      ['deniedCount', 'DESC'],
      ['approvedAmount', 'DESC'],
      ['deniedAmount', 'ASC'],
      ['deniedPercent', 'DESC'],
      ['deniedPercent', 'ASC'],
    ] as const) {
      const field = snakeCase(of).toUpperCase();
      const paged: Summary[number][] = [];
      for (let skip = 0; ;) {
        const page = await summary({ ...question, orderBy: { field, direction }, first: 7, skip });
        paged.push(...page);
        if (page.length < 7) break;
        skip += page.length;
      }
      expect(paged).toHaveLength(all.length);
      const sign = direction === 'ASC' ? 1 : -1;
      // Rows without a payment have no share, and are last.
      const place = (row: Summary[number]): number => (row[of] === null ? Infinity : sign * row[of]);
      expect(paged).toEqual(
        all.toSorted((one, other) => (place(one) === place(other) ? 0 : place(one) - place(other))),
      );
    }
  });

  it('shows empty buckets of the interval, or between the first and the last transaction', async () => {
    const at = (day: number) =>
      report({ startedAt: new Date(FIRST + day * DAY), finishedAt: new Date(FIRST + day * DAY) });
    await recordAnew([]);
    const zone = { bucket: 'DAY', by: [], emptyBuckets: true, timeZone: 'America/Sao_Paulo' } as const;
    expect(await summary(zone)).toEqual([]);
    const filter = { startedAt: { gte: '2018-11-03T03:00:00Z', lt: '2018-11-06T02:00:00Z' } };
    // On the 4th, clocks were set forward at midnight.
    const starts = ['2018-11-03T03:00:00.000Z', '2018-11-04T03:00:00.000Z', '2018-11-05T02:00:00.000Z'];
    expect((await summary({ ...zone, filter })).map(({ bucketStart }) => bucketStart)).toEqual(starts);
    await record(server, server.acme, [at(0), at(2)]);
    const counts = async (question: Question) => (await summary(question)).map(({ count }) => count);
    expect(await counts({ bucket: 'DAY', by: ['STATUS'], emptyBuckets: true })).toEqual([1, 0, 1]);
    expect(
      (await counts({ bucket: 'HOUR', by: [], emptyBuckets: true })).filter((count) => count > 0),
    ).toEqual([1, 1]);
    for (const [wrong, words] of [
      [{ bucket: 'NONE', emptyBuckets: true }, 'needs a bucket'],
      [{ bucket: 'DAY', emptyBuckets: true, first: 1 }, 'needs a bucket'],
      [{ bucket: 'DAY', skip: 1 }, 'skip goes with first'],
      [{ bucket: 'DAY', first: 0 }, 'from 1 to'],
      [{ bucket: 'DAY', minPayments: -1 }, '0 or more, not -1'],
      [{ bucket: 'DAY', emptyBuckets: true, minPayments: 1 }, 'leave out first, skip and minPayments'],
      [
        { bucket: 'HOUR', emptyBuckets: true, filter: { startedAt: { gte: '1990-01-01T00:00:00Z' } } },
        'more than',
      ],
    ] as const) {
      const { code, message } = await refused(server.acme, SUMMARY, { by: [], ...wrong });
      expect([code, message]).toEqual(['BAD_USER_INPUT', expect.stringContaining(words)]);
    }
  });

  it('takes one statement, and one or two more to find out what is to be read', async () => {
    await recordAnew(fc.sample(rowArbitrary, { numRuns: 100, seed: 3 }));
    const member = await server.member('acme', 'operator');
    const ragged = { startedAt: { gte: '2026-01-01T10:20:30Z', lt: '2026-01-04T11:22:33Z' } };
    const statements = async (question: Question) => {
      const [totals, ...others] = await statementsFor(server, member, SUMMARY, { ...question });
      expect(totals, 'what the summary may read').toContain('"counters"');
      return others;
    };
    const [, kept, ...others] = await statements({ filter: ragged, bucket: 'DAY', by: ['STATUS'] });
    expect(others).toEqual([]);
    for (const source of ['"transaction_totals" as', '"transactions" as']) expect(kept).toContain(source);
    for (const span of [1_440, 360, 30]) expect(kept).toContain(`t.span = ${span} `);
    const whole = await statements({ bucket: 'DAY', by: ['STATUS', 'TRANSACTION_TYPE', 'APP_NAME'] });
    expect(whole).toHaveLength(2);
    expect(whole[1]).not.toContain('"transactions"');
    expect(await statements({ filter: ragged, bucket: 'DAY', by: ['LOGICAL_NUMBER'] })).toHaveLength(3);
    expect(await statements({ filter: ragged, bucket: 'NONE', by: ['STATUS'] })).toHaveLength(1);
    for (const dimension of ['PAYMENT_STATUS', 'BRAND', 'INSTALLMENTS']) {
      expect(await statements({ bucket: 'DAY', by: [dimension] })).toHaveLength(2);
      const zoned = await statements({ bucket: 'MONTH', by: [dimension], timeZone: 'America/New_York' });
      // The days with transactions, and the sums.
      expect(zoned).toHaveLength(2);
      expect(zoned[1]).not.toContain('"transactions"');
    }
    const hours = await statements({ bucket: 'DAY', by: ['BRAND'], timeZone: 'Asia/Kolkata' });
    expect(hours).toHaveLength(2);
    expect(hours[1]).not.toContain('"transactions"');
    const serial = { serialNumber: { eq: 'S-1' } };
    expect(await statements({ filter: serial, bucket: 'DAY', by: ['LOGICAL_NUMBER'] })).toHaveLength(2);
  });
});

describe('a summary that would be too much', () => {
  beforeAll(async () => {
    await server.place.sql('delete from transactions');
  });
  const problem = async (question: Question) => await refused(server.beta, SUMMARY, { ...question });

  it(`is refused beyond ${MAX_ROWS} rows, with that number`, async () => {
    const many = Array.from({ length: MAX_ROWS + 1 }, (_, n) => {
      const startedAt = new Date(FIRST + n * HOUR);
      return report({ logicalNumber: `L-${n}`, startedAt, finishedAt: startedAt });
    });
    await record(server, server.beta, many.slice(0, -1));
    await record(server, server.beta, many.slice(-1));
    for (const question of [
      { bucket: 'HOUR', by: [] },
      { bucket: 'HOUR', by: ['APP_NAME'] },
    ] as const) {
      const message = expect.stringContaining(`more than ${MAX_ROWS} rows`) as string;
      expect(await problem(question)).toEqual({ code: 'BAD_USER_INPUT', message });
      const lt = new Date(FIRST + MAX_ROWS * HOUR).toISOString();
      const filter = { startedAt: { gte: new Date(FIRST).toISOString(), lt }, appName: { eq: 'shop.rb' } };
      expect(await summary({ ...question, filter }, server.beta)).toHaveLength(MAX_ROWS);
    }
  });

  it('is complete if more logical numbers than that belong to few groups', async () => {
    const startedAt = new Date(FIRST + (MAX_ROWS + 1) * HOUR);
    await record(server, server.beta, [
      report({ logicalNumber: 'L-last', startedAt, finishedAt: startedAt }),
    ]);
    const rows = await summary({ bucket: 'NONE', by: ['GROUP'] }, server.beta);
    expect(rows.reduce((sum, { count }) => sum + count, 0)).toBe(MAX_ROWS + 2);
  });

  it(`is refused where more than ${MAX_READ} transactions would be read one by one`, async () => {
    const { companyId } = server.beta.caller;
    const hour = FIRST / HOUR - 400 * 24;
    const sums = Object.fromEntries(SUMS.map((name) => [name, name === 'total' ? MAX_READ : 0]));
    const kind = { status: 'success', transaction_type: 'switch' };
    const row = { company_id: companyId, span: 30, start: hour * 60, ...kind, ...sums };
    await insertRows(server.place, 'transaction_totals', [row]);
    const gte = new Date((hour + 1) * HOUR).toISOString();
    for (const question of [
      { bucket: 'NONE', by: ['GROUP', 'BRAND'] },
      { bucket: 'DAY', by: [], filter: { logicalNumber: { startsWith: 'L-1' } } },
      { bucket: 'DAY', by: [], filter: { or: [{ serialNumber: { eq: 'S-1' } }] } },
    ] as const) {
      const words = new RegExp(`at most ${MAX_READ} .* shorten the interval of startedAt`);
      const message = expect.stringMatching(words) as string;
      expect(await problem(question)).toEqual({ code: 'BAD_USER_INPUT', message });
      const filter = { ...('filter' in question ? question.filter : {}), startedAt: { gte } };
      expect((await summary({ ...question, filter }, server.beta)).length).toBeGreaterThan(0);
    }
    const bySerial = { bucket: 'NONE', by: ['GROUP'], filter: { serialNumber: { eq: 'S-1' } } } as const;
    expect(await summary(bySerial, server.beta)).toHaveLength(2);
  });

  it('is refused if the sum of the amounts is not a safe integer', async () => {
    await server.place.sql(
      'update transaction_totals set amount_total = $1 where company_id = $2 and span = 1440 and start = $3',
      [Number.MAX_SAFE_INTEGER + 1, server.beta.caller.companyId, FIRST / MINUTE],
    );
    const message = expect.stringContaining('more than 2^53 - 1 cents') as string;
    expect(await problem({ bucket: 'NONE', by: [] })).toEqual({ code: 'BAD_USER_INPUT', message });
  });
});
