import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { DAY, HOUR, MINUTE } from '../../../../src/platform/clock.js';
import { finishTransaction } from '../../../../src/resources/transaction/recording/transaction-finish.service.js';
import { getTransaction } from '../../../../src/resources/transaction/transaction.service.js';
import {
  MAX_READ,
  MAX_ROWS,
} from '../../../../src/resources/transaction/summary/transaction-summary.model.js';
import { insertRows } from '../../../support/databases/rows.js';
import type { Fields } from '../../../support/client.js';
import { answered, refused, statementsFor } from '../../../support/dashboard.js';
import { fleet } from '../../../support/fleet.js';
import { startServer, type Member, type TestServer } from '../../../support/server.js';
import { meets, transactionFilters, type Filter, type Row } from '../filters.js';
import { payment, record, report } from '../records.js';

const FIRST = Date.UTC(2026, 0, 1);
const DAYS = 4;

let server: TestServer;
/** Where the logical numbers are; L-2 is in no group, L-3 nowhere. */
const groupOf: Record<string, { databaseId: number; name: string }> = {};
beforeAll(async () => {
  server = await startServer();
  const { client } = server.acme;
  for (const [name, numbers] of [
    ['North', ['L-0']],
    ['South', ['L-1', 'L-4']],
  ] as const) {
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
afterAll(async () => {
  await server.stop();
});

const SUMMARY = `query ($filter: TransactionFilter, $bucket: TransactionSummaryBucket!,
    $by: [TransactionSummaryDimension!]!) {
  transactionSummary(filter: $filter, bucket: $bucket, by: $by) {
    bucketStart status transactionType appName logicalNumber group { databaseId name } count
    amountTotal approvedAmount deniedAmount cancelledAmount netAmount } }`;

interface Sums {
  readonly count: number;
  readonly amountTotal: number;
  readonly approvedAmount: number;
  readonly deniedAmount: number;
  readonly cancelledAmount: number;
  readonly netAmount: number;
}
type Summary = readonly (Fields & Sums)[];
interface Question {
  readonly filter?: Filter;
  readonly bucket: 'HOUR' | 'DAY' | 'NONE';
  readonly by: readonly string[];
}
const summary = async (question: Question, member: Pick<Member, 'graphql'> = server.acme): Promise<Summary> =>
  (await answered<{ transactionSummary: Summary }>(member, SUMMARY, { ...question })).transactionSummary;

/** What a payment says besides its amount, and how its amount counts. */
const PAYMENTS = [
  { parsed: { type: 'sale', status: 'approved' }, outcome: 'approved' },
  { parsed: { type: 'pre-authorization', status: 'approved' }, outcome: 'approved' },
  { parsed: { type: 'sale', status: 'denied' }, outcome: 'denied' },
  { parsed: { type: 'cancellation', status: 'denied', nsuReference: '7' }, outcome: 'denied' },
  { parsed: { type: 'cancellation', status: 'approved', nsuReference: '7' }, outcome: 'cancelled' },
  { parsed: { type: 'cancellation', status: 'approved' }, outcome: 'cancelled' },
  { parsed: { type: 'refund', status: 'approved' }, outcome: 'cancelled' },
  { parsed: { type: 'void', status: 'approved', nsuReference: '7' }, outcome: 'cancelled' },
] as const;

interface Paid extends Row {
  readonly amount: number | null;
  readonly paid: (typeof PAYMENTS)[number];
}

const BUCKETS = { HOUR, DAY, NONE: null };
const DIMENSIONS: Readonly<Record<string, (row: Row) => Fields>> = {
  STATUS: ({ status }) => ({ status: status.toUpperCase() }),
  TRANSACTION_TYPE: ({ transactionType }) => ({ transactionType: transactionType.toUpperCase() }),
  APP_NAME: ({ appName }) => ({ appName }),
  LOGICAL_NUMBER: ({ logicalNumber }) => ({ logicalNumber }),
  GROUP: ({ logicalNumber }) => ({ group: groupOf[logicalNumber] ?? null }),
};

/** The expected summary: a plain sum over all transactions. */
function expected(rows: readonly Paid[], { filter = {}, bucket, by }: Question): Summary {
  const found = new Map<string, Fields & { -readonly [Name in keyof Sums]: number }>();
  const length = BUCKETS[bucket];
  for (const row of rows.filter((each) => meets(each, filter))) {
    const start =
      length === null ? null : new Date(Math.floor(row.startedAt / length) * length).toISOString();
    const dimensions = {
      ...{ bucketStart: start, status: null, transactionType: null, appName: null },
      ...{ logicalNumber: null, group: null },
      ...Object.assign({}, ...by.map((name) => DIMENSIONS[name]?.(row))),
    } as Fields;
    const key = JSON.stringify(dimensions);
    const none = { approvedAmount: 0, deniedAmount: 0, cancelledAmount: 0, netAmount: 0 };
    const known = found.get(key) ?? { ...dimensions, count: 0, amountTotal: 0, ...none };
    const amount = row.amount ?? 0;
    known.count += 1;
    known.amountTotal += amount;
    known[`${row.paid.outcome}Amount`] += amount;
    known.netAmount = known.approvedAmount - known.cancelledAmount;
    found.set(key, known);
  }
  return [...found.values()];
}

const inAnyOrder = (rows: Summary): string[] => rows.map((row) => JSON.stringify(row)).sort();

const rowArbitrary = fc.record({
  startedAt: fc
    .tuple(
      fc.oneof(
        fc.integer({ min: 0, max: DAYS * 24 }).map((hour) => hour * HOUR),
        fc.integer({ min: 0, max: DAYS * 1440 }).map((minute) => minute * MINUTE),
      ),
      fc.constantFrom(-1, 0, 0, 1, 250),
    )
    .map(([at, more]) => FIRST + at + more),
  status: fc.constantFrom('success', 'fail', 'running'),
  transactionType: fc.constantFrom('company', 'switch', 'get_asset'),
  appName: fc.constantFrom('a.rb', 'b.rb', 'é.rb'),
  serialNumber: fc.constantFrom('S-0', 'S-1', 'S-2'),
  logicalNumber: fc.constantFrom('L-0', 'L-1', 'L-2', 'L-3', 'L-4'),
  amount: fc.option(fc.oneof(fc.nat(5_000), fc.constant(999_999_999_999))),
  paid: fc.constantFrom(...PAYMENTS),
});
type Drawn = Omit<Paid, 'id'>;

function reported({ startedAt, amount, paid, ...row }: Drawn) {
  const times = {
    startedAt: new Date(startedAt),
    finishedAt: row.status === 'running' ? null : new Date(startedAt + MINUTE),
  };
  const made = amount === null || row.status !== 'success' ? report() : payment({ ...paid.parsed, amount });
  return { ...made, ...row, ...times };
}

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
  const parsed = amount === null ? null : payment({ ...row.paid.parsed, amount }).parsed;
  await server.app.units.write(server.acme.caller, async (work) =>
    finishTransaction(work, await getTransaction(work, row.id), { status, finishedAt, parsed }),
  );
  return { ...row, status, amount };
}

const questions = fc.record({
  filter: transactionFilters(FIRST, DAYS),
  bucket: fc.constantFrom('HOUR', 'DAY', 'NONE'),
  by: fc.oneof(
    fc.subarray(['STATUS', 'TRANSACTION_TYPE', 'APP_NAME']),
    fc.shuffledSubarray(Object.keys(DIMENSIONS)),
  ),
} as const);

describe('transactionSummary', () => {
  it('equals a plain sum over all transactions, from rollups or from single transactions', async () => {
    const run = fc.record({
      drawn: fc.array(rowArbitrary, { maxLength: 60 }),
      ends: fc.array(fc.option(fc.nat(9_000)), { minLength: 1, maxLength: 5 }),
      asked: fc.array(questions, { minLength: 4, maxLength: 8 }),
    });
    await fc.assert(
      fc.asyncProperty(run, async ({ drawn, ends, asked }) => {
        const rows = await recordAnew(drawn);
        for (const [n, row] of rows.entries()) {
          if (n % 2 === 0) rows[n] = await finish(row, ends[n % ends.length] ?? null);
        }
        for (const question of asked) {
          expect(inAnyOrder(await summary(question))).toEqual(inAnyOrder(expected(rows, question)));
        }
      }),
      { numRuns: 80 },
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

  it('uses the present group of a logical number, and no data of another company', async () => {
    const { client } = server.acme;
    await recordAnew([]);
    const at = new Date(FIRST);
    await fleet.logicalNumber(client, 'L-MOVES', { group_id: groupOf['L-0']?.databaseId });
    await record(server, server.acme, [
      report({ logicalNumber: 'L-MOVES', startedAt: at }),
      report({ logicalNumber: 'L-3', startedAt: at }),
    ]);
    await record(server, server.beta, [report({ logicalNumber: 'L-MOVES', startedAt: at })]);
    const groups = async (): Promise<unknown[]> =>
      (await summary({ bucket: 'NONE', by: ['GROUP'] })).map(({ group, count }) => [
        (group as { name: string } | null)?.name ?? null,
        count,
      ]);
    expect(await groups()).toEqual([
      [null, 1],
      ['North', 1],
    ]);
    await client.put('logical_numbers/L-MOVES', { group_id: groupOf['L-1']?.databaseId });
    expect(await groups()).toEqual([
      [null, 1],
      ['South', 1],
    ]);
    await client.delete('logical_numbers/L-MOVES');
    expect(await groups()).toEqual([[null, 2]]);
  });

  it('takes one statement, one more to count the transactions to read, and one for groups', async () => {
    await recordAnew(fc.sample(rowArbitrary, { numRuns: 100, seed: 3 }));
    const member = await server.member('acme', 'operator');
    const ragged = { startedAt: { gte: '2026-01-01T10:20:30Z', lt: '2026-01-04T11:22:33Z' } };
    const statements = async (question: Question) => {
      const [totals, ...others] = await statementsFor(server, member, SUMMARY, { ...question });
      expect(totals, 'what the summary may examine').toContain('"counters"');
      return others;
    };
    const [kept, ...others] = await statements({ filter: ragged, bucket: 'DAY', by: ['STATUS'] });
    expect(others).toEqual([]);
    for (const table of ['transaction_day_totals', 'transaction_hour_totals', 'transactions']) {
      expect(kept).toContain(`"${table}" as`);
    }
    const whole = await statements({ bucket: 'DAY', by: ['STATUS', 'TRANSACTION_TYPE', 'APP_NAME'] });
    expect(whole).toHaveLength(1);
    expect(whole[0]).not.toContain('"transactions"');
    expect(await statements({ filter: ragged, bucket: 'DAY', by: ['GROUP'] })).toHaveLength(3);
    const serial = { serialNumber: { eq: 'S-1' } };
    expect(await statements({ filter: serial, bucket: 'DAY', by: ['LOGICAL_NUMBER'] })).toHaveLength(2);
  });

  it('can be read by viewers, not by tokens without the scope read', async () => {
    const viewer = await server.member('acme', 'viewer');
    expect(await summary({ bucket: 'NONE', by: [] }, viewer)).toHaveLength(1);
    const ingest = await server.member('acme', 'operator', ['ingest']);
    expect((await refused(ingest, '{ transactionSummary { count } }')).code).toBe('FORBIDDEN');
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
      { bucket: 'NONE', by: ['LOGICAL_NUMBER'] },
    ] as const) {
      const { message, code } = await problem(question);
      expect([code, message]).toEqual([
        'BAD_USER_INPUT',
        expect.stringContaining(`more than ${MAX_ROWS} rows`),
      ]);
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
    await insertRows(server.place, 'transaction_hour_totals', [
      {
        ...{ company_id: companyId, hour, status: 'success', transaction_type: 'switch' },
        ...{ total: MAX_READ, amount_total: 0, approved_amount: 0, denied_amount: 0, cancelled_amount: 0 },
      },
    ]);
    const gte = new Date((hour + 1) * HOUR).toISOString();
    for (const question of [
      { bucket: 'NONE', by: ['GROUP'] },
      { bucket: 'DAY', by: [], filter: { logicalNumber: { startsWith: 'L-1' } } },
      { bucket: 'DAY', by: [], filter: { or: [{ serialNumber: { eq: 'S-1' } }] } },
    ] as const) {
      const { message, code } = await problem(question);
      expect([code, message]).toEqual([
        'BAD_USER_INPUT',
        expect.stringMatching(new RegExp(`at most ${MAX_READ} .* shorten the interval of startedAt`)),
      ]);
      const filter = { ...('filter' in question ? question.filter : {}), startedAt: { gte } };
      expect((await summary({ ...question, filter }, server.beta)).length).toBeGreaterThan(0);
    }
    const bySerial = { bucket: 'NONE', by: ['GROUP'], filter: { serialNumber: { eq: 'S-1' } } } as const;
    expect(await summary(bySerial, server.beta)).toHaveLength(2);
  });

  it('is refused if the sum of the amounts is not a safe integer', async () => {
    await server.place.sql(
      'update transaction_day_totals set amount_total = $1 where company_id = $2 and day = $3',
      [Number.MAX_SAFE_INTEGER + 1, server.beta.caller.companyId, FIRST / DAY],
    );
    const { message, code } = await problem({ bucket: 'NONE', by: [] });
    expect([code, message]).toEqual(['BAD_USER_INPUT', expect.stringContaining('more than 2^53 - 1 cents')]);
  });
});
