import { beforeAll, describe, expect, it } from 'vitest';

import type { Database } from '../../src/database/database.js';
import { createDemo, type Demo } from '../../src/demo/demo.js';
import { DAY, systemClock, type Clock } from '../../src/platform/clock.js';
import { createRandom } from '../../src/platform/random.js';
import { ROLLUPS } from '../../src/schema/rollups.js';
import type { Tables } from '../../src/schema/schema.js';
import { newDatabase } from '../support/databases/place.js';

interface CreatedDemo {
  readonly database: Database;
  readonly demo: Demo;
  readonly now: number;
  readonly remove: () => Promise<void>;
}

async function create(seed: number, time: string): Promise<CreatedDemo> {
  const place = await newDatabase();
  const database = await place.open();
  const clock: Clock = { ...systemClock, now: () => new Date(time) };
  const demo = await createDemo(database, clock, {
    seed,
    tokenSecret: 'secret of the demo test: 0123456789',
  });
  const remove = async (): Promise<void> => {
    await database.close();
    await place.remove();
  };
  return { database, demo, now: Date.parse(time), remove };
}

let first: CreatedDemo;
beforeAll(async () => {
  first = await create(7, '2026-05-05T09:30:00Z');
  return first.remove;
});

/** Columns whose values are random in each demo, whatever the seed. */
const SECRETS = ['password_hash', 'uuid', 'token_hash', 'nonce', 'last_four'];
/** Tables that depend on the calendar. */
const BY_TIME: readonly string[] = [...ROLLUPS.map(({ name }) => name), 'transaction_payment_kinds'];

/** Names of companies and users by their ids, which are random. */
async function namesIn({ database }: CreatedDemo): Promise<ReadonlyMap<unknown, string>> {
  const companies = await database.reads.selectFrom('companies').select(['id', 'name']).execute();
  const users = await database.reads.selectFrom('users').select(['id', 'email as name']).execute();
  return new Map([...companies, ...users].map(({ id, name }) => [id, name]));
}

/** Rows of all tables, with times in milliseconds relative to now, in an order that does not depend on random ids. */
async function dump(created: CreatedDemo): Promise<Record<string, string[]>> {
  const { database, now } = created;
  const named = await namesIn(created);
  const tables = await database.reads.introspection.getTables();
  const names = tables
    .map((table) => table.name as keyof Tables)
    // Tables of the index of names hold each part of a name in a form of their own.
    .filter((name) => !BY_TIME.includes(name) && !/migration|_search/.test(name));
  const dumped = names.map(async (name) => {
    const rows = await database.reads.selectFrom(name).selectAll().execute();
    return [name, rows.map((row) => JSON.stringify(relativeFields(row, now, named))).sort()] as const;
  });
  return Object.fromEntries(await Promise.all(dumped));
}

/** When a terminal was seen that never was. */
const NEVER = 0;

function relativeFields(row: object, now: number, named: ReadonlyMap<unknown, string>): unknown {
  const fields = Object.entries(row).filter(([name]) => !SECRETS.includes(name));
  return fields.map(([name, value]: [string, unknown]) => {
    if (typeof value === 'number' && value !== NEVER && /(_at|^at|since)$/.test(name))
      return [name, value - now];
    // The ledger's JSON of a record contains the same secrets and times.
    if (name === 'before' || name === 'after') return [name, typeof value];
    return [name, named.get(value) ?? value];
  });
}

async function count(name: keyof Tables): Promise<number> {
  const query = first.database.reads.selectFrom(name).select(({ fn }) => fn.countAll<number>().as('total'));
  return (await query.executeTakeFirstOrThrow()).total;
}

describe('the demo fleet', () => {
  it('is the same for the same seed at any time, but for its password and token', async () => {
    const again = await create(7, '2027-11-30T23:59:59Z');
    const [one, other] = [await dump(first), await dump(again)];
    expect(Object.keys(other)).toEqual(Object.keys(one));
    for (const [table, rows] of Object.entries(one)) expect(other[table], table).toEqual(rows);
    expect(again.demo.emails).toEqual(first.demo.emails);
    expect(again.demo.password).not.toBe(first.demo.password);
    expect(again.demo.token).not.toBe(first.demo.token);
    await again.remove();
  });

  it('differs for another seed', async () => {
    const another = await create(8, '2026-05-05T09:30:00Z');
    const [one, other] = [await dump(first), await dump(another)];
    for (const table of ['devices', 'transactions', 'contents']) {
      expect(other[table], table).not.toEqual(one[table]);
    }
    await another.remove();
  });

  it.each([
    ['companies', 2, 2],
    ['users', 6, 6],
    ['groups', 11, 11],
    ['logical_numbers', 200, 500],
    ['devices', 250, 600],
    ['apps', 8, 20],
    ['app_versions', 12, 40],
    ['files', 8, 20],
    ['parameters', 80, 400],
    ['metacontents', 40, 300],
    ['notifications', 10, 30],
    ['notification_deliveries', 50, 1_000],
    ['transactions', 2_700, 3_300],
  ] as const)('has a realistic number of %s', async (table, min, max) => {
    const total = await count(table);
    expect(total).toBeGreaterThanOrEqual(min);
    expect(total).toBeLessThanOrEqual(max);
  });

  it('looks alive: most terminals were seen today, some days ago, and few never', async () => {
    const { database, now } = first;
    const rows = await database.reads.selectFrom('device_presence').select('last_seen_at').execute();
    const ages = rows.map((row) => now - row.last_seen_at).filter((age) => age < now);
    expect(rows.length).toBeGreaterThan(200);
    expect(ages.filter((age) => age < DAY).length).toBeGreaterThan(rows.length * 0.6);
    expect(ages.filter((age) => age > DAY).length).toBeGreaterThan(10);
    expect(ages.filter((age) => age < 0)).toEqual([]);
  });

  it('has links of every kind, and settings of groups and of logical numbers', async () => {
    const links = ['app_version_groups', 'app_version_modules', 'app_version_files'] as const;
    for (const table of [...links, 'logical_number_app_versions'] as const) {
      expect(await count(table), table).toBeGreaterThan(5);
    }
    for (const table of ['parameters', 'metacontents'] as const) {
      const rows = await first.database.reads.selectFrom(table).select(['group_id']).execute();
      expect(new Set(rows.map((row) => row.group_id === null)).size, table).toBe(2);
    }
    const apps = await first.database.reads.selectFrom('apps').select(['language', 'kind']).execute();
    expect(new Set(apps.map((app) => `${app.language} ${app.kind}`)).size).toBe(4);
  });

  it('has transactions of every type and status on each of the last 30 days, and none in the future', async () => {
    const rows = await first.database.reads.selectFrom('transactions').selectAll().execute();
    const ages = rows.map((row) => first.now - row.started_at);
    expect(Math.min(...ages)).toBeGreaterThan(0);
    expect(Math.max(...ages)).toBeLessThanOrEqual(30 * DAY);
    expect(new Set(ages.map((age) => Math.floor(age / DAY))).size).toBe(30);
    expect(rows.every((row) => (row.finished_at ?? 0) <= first.now)).toBe(true);
    expect(new Set(rows.map((row) => `${row.transaction_type} ${row.status}`)).size).toBe(7);
  });

  it('has payments with truncated card numbers, which need no masking', async () => {
    const rows = await first.database.reads
      .selectFrom('transactions')
      .select(['parsed', 'amount', 'sent', 'received', 'detail'])
      .where('parsed', 'is not', null)
      .execute();
    expect(rows.length).toBeGreaterThan(1_500);
    const payments = rows.map((row) => JSON.parse(row.parsed ?? '') as Payment);
    expect(rows.filter((row) => JSON.stringify(row).includes('*'))).toEqual([]);
    for (const { card } of payments) {
      expect([card.firstDigits, card.lastDigits]).toEqual([
        expect.stringMatching(/^\d{6}$/),
        expect.stringMatching(/^\d{4}$/),
      ]);
    }
    expect(payments.map((payment) => payment.amount)).toEqual(rows.map((row) => row.amount));
    const nsus = new Set(payments.map((payment) => payment.nsu));
    const cancelled = payments.filter((payment) => payment.nsuReference !== undefined);
    expect(cancelled.length).toBeGreaterThan(20);
    expect(cancelled.every((payment) => nsus.has(payment.nsuReference ?? ''))).toBe(true);
  });
});

interface Payment {
  readonly amount: number;
  readonly nsu: string;
  readonly nsuReference?: string;
  readonly card: { readonly firstDigits: string; readonly lastDigits: string };
}

describe('the random generator', () => {
  it('repeats its values for a seed, and covers the whole range', () => {
    const [one, same] = [createRandom(5), createRandom(5)];
    const values = Array.from({ length: 2_000 }, () => one.whole(3, 9));
    expect(Array.from({ length: 2_000 }, () => same.whole(3, 9))).toEqual(values);
    expect([...new Set(values)].sort()).toEqual([3, 4, 5, 6, 7, 8, 9]);
    expect(createRandom(6).digits(20)).not.toBe(createRandom(5).digits(20));
  });
});
