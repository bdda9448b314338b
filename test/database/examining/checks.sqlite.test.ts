import Sqlite from 'better-sqlite3';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import type { Comparison, Condition, FilterKind } from '../../../src/database/list/condition.js';
import type { ChildList, List } from '../../../src/database/list/list.js';
import { bound, handleOf } from '../../../src/database/sqlite/connection.js';
import { checkedText, openChecked } from '../../../src/database/sqlite/examining/checked-connection.js';
import type { ReadWork } from '../../../src/database/work.js';
import {
  devicesByFrameworkVersion,
  devicesByModel,
  totalDevices,
} from '../../../src/domain/fleet/device/device.service.js';
import {
  ALL_ROWS,
  DIMENSIONS,
} from '../../../src/domain/payments/transaction/summary/transaction-summary.model.js';
import { summarizeTransactions } from '../../../src/domain/payments/transaction/summary/transaction-summary.service.js';
import { listTransactions } from '../../../src/domain/payments/transaction/transaction.service.js';
import { BUCKETS } from '../../../src/platform/buckets.js';
import { HOUR } from '../../../src/platform/clock.js';
import { PRESENCE_LIMITS } from '../../../src/platform/terminal.js';
import { fileOf } from '../../support/databases/sqlite-place.js';
import { populate } from '../../support/populated.js';
import { planOf } from '../../support/query-plan.js';
import { removeFolder, scratchFolder } from '../../support/scratch.js';
import { startServer, type TestServer } from '../../support/server.js';

const ROOT = new URL('../../../', import.meta.url).pathname;

let server: TestServer;
let plain: Sqlite.Database;
let checked: Sqlite.Database;
let mayGoOn = true;
const statements = new Set<string>();

beforeAll(async () => {
  server = await startServer();
  await populate(server, server.acme, 2);
  plain = new Sqlite(fileOf(server.place), { readonly: true });
  checked = openChecked(fileOf(server.place), { mayGoOn: () => mayGoOn, rowsPerCheck: 1 });
});
afterAll(async () => {
  plain.close();
  checked.close();
  await server.stop();
});

/** A unit whose statements run on the connection of a reader thread, which asks at every row. */
function checkedWork(): ReadWork {
  const db = handleOf(async ({ sql, parameters }) => {
    statements.add(sql);
    return await Promise.resolve({
      rows: checked.prepare(checkedText(sql)).all(...bound(parameters)) as never[],
    });
  });
  const { caller } = server.acme;
  return { caller, db, everywhere: () => db, now: new Date(), presence: PRESENCE_LIMITS };
}

/** The read has a result, and is stopped as soon as it examines a row that it may not. */
async function expectStopped(name: string, read: (work: ReadWork) => Promise<unknown>): Promise<void> {
  mayGoOn = true;
  expect(sizeOf(await read(checkedWork())), name).toBeGreaterThan(0);
  mayGoOn = false;
  await expect(read(checkedWork()), name).rejects.toMatchObject({ name: 'Stopped' });
}

function sizeOf(result: unknown): number {
  if (typeof result === 'number') return result;
  if (Array.isArray(result)) return result.length;
  if (result instanceof Map) return Math.max(0, ...[...result.values()].map(sizeOf));
  const { items, total, records } = result as { items?: unknown; total?: number; records?: unknown };
  return sizeOf(items ?? records ?? total ?? 0);
}

type Compared = readonly (readonly [Comparison['operator'], unknown])[];

const equal = (value: unknown): Compared => [
  ['eq', value],
  ['in', [value]],
  ['isNull', true],
];
const range = (value: unknown): Compared => [
  ['gte', value],
  ['lt', value],
  ['isNull', true],
];

const OPERATORS: Readonly<Record<FilterKind, Compared>> = {
  text: [...equal('x'), ['startsWith', 'x'], ['contains', 'x'], ['eqIgnoringCase', 'x']],
  choice: equal('x'),
  flag: [
    ['eq', true],
    ['isNull', true],
  ],
  id: equal(1),
  instant: range(new Date()),
  integer: [['eq', 1], ...range(1)],
  amount: [...equal(1), ['gte', 1], ['lt', 1]],
  optionalChoice: equal('x'),
  entry: [['hasEntry', ['x', 'x']]],
  linked: [
    ['eq', 1],
    ['in', [1]],
  ],
};

/** Conditions that hold for all records, each with one of the list's comparisons. */
function conditionsOf({ filters }: List<unknown>): Condition[] {
  return Object.entries(filters).flatMap(([field, kind]) =>
    OPERATORS[kind].map(([operator, value]) => {
      const comparison = { field, operator, value };
      return { or: [comparison, { not: comparison }] };
    }),
  );
}

async function exported<T>(isOne: (value: object) => boolean): Promise<(readonly [string, T])[]> {
  const files = globSync('src/domain/**/*.{repository,service}.ts').map((file) => `${ROOT}${file}`);
  const modules = await Promise.all(files.map((file) => import(file) as Promise<Record<string, unknown>>));
  return modules
    .flatMap((module) => Object.entries(module))
    .filter(([, value]) => typeof value === 'object' && value !== null && isOne(value)) as [string, T][];
}

const PAGE = { descending: false, backward: false, limit: 10, key: null };

describe('a statement that examines rows in a reader thread can be stopped:', () => {
  it('every list and count, with every filter', async () => {
    const lists = await exported<List<unknown>>((value) => 'slice' in value && 'filters' in value);
    expect(lists.length).toBeGreaterThan(10);
    for (const [name, list] of lists) {
      const conditions = conditionsOf(list);
      // Orders take turns: with every filter in every order, it would be most of the tests of this database.
      for (let turn = 0; turn < Math.max(conditions.length, list.orders.length); turn += 1) {
        const condition = conditions[turn % conditions.length] ?? null;
        const order = list.orders[turn % list.orders.length] ?? '';
        const what = `${name} ${JSON.stringify(condition)} ${order}`;
        await expectStopped(what, (work) => list.count(work, condition));
        await expectStopped(what, (work) => list.slice(work, { ...PAGE, order, condition }));
      }
    }
  });

  it('also where the filter holds for no record', async () => {
    const lists = await exported<List<unknown>>((value) => 'slice' in value && 'filters' in value);
    mayGoOn = false;
    for (const [name, list] of lists) {
      for (const [field, kind] of Object.entries(list.filters)) {
        if (kind !== 'text') continue;
        const condition = { field, operator: 'contains', value: 'no record has this' } as const;
        await expect(list.count(checkedWork(), condition), name).rejects.toMatchObject({ name: 'Stopped' });
      }
    }
  });

  it('the lists of many parents', async () => {
    const lists = await exported<ChildList<unknown, string | number>>((value) => 'slices' in value);
    expect(lists.length).toBeGreaterThan(5);
    const { userId } = server.acme.caller;
    for (const [name, children] of lists) {
      const isByName = name.startsWith('transactionsOf') || name === 'deliveriesOfDevice';
      const parents = isByName ? ['populated 0'] : [1, 2, 3, 4, userId];
      const [condition = null] = conditionsOf(children.list);
      const request = { ...PAGE, order: children.list.orders[0] ?? '', condition };
      await expectStopped(name, (work) => children.slices(work, parents, request));
      await expectStopped(name, (work) => children.counts(work, parents, condition));
    }
  });

  it('every summary', async () => {
    await expectStopped('devices', totalDevices);
    await expectStopped('devices by version', devicesByFrameworkVersion);
    await expectStopped('devices by model', devicesByModel);
    const since = {
      field: 'startedAt',
      operator: 'gte',
      value: new Date(server.clock.now().getTime() - HOUR),
    } as const;
    const eq = (field: string) => ({ field, operator: 'eq', value: 'populated 0' }) as const;
    const timeZones = [null, 'America/Sao_Paulo', 'Asia/Kathmandu'];
    let turn = 0;
    for (const where of [null, since, eq('serialNumber'), eq('logicalNumber')]) {
      for (const bucket of BUCKETS) {
        for (const by of [...DIMENSIONS.map((dimension) => [dimension]), []]) {
          const timeZone = timeZones[(turn += 1) % timeZones.length] ?? null;
          const name = `${JSON.stringify(where)} by ${bucket} and ${by.join()} in ${timeZone}`;
          const request = { ...ALL_ROWS, where, bucket, by, timeZone };
          await expectStopped(name, (work) => summarizeTransactions(work, request));
        }
      }
    }
  });

  it('the list of transactions of /v1', async () => {
    const page = { page: 1, perPage: 10 };
    for (const filter of [{}, { status: 'success' }, { serialNumber: 'populated 0' }]) {
      await expectStopped(JSON.stringify(filter), (work) => listTransactions(work, filter, page));
    }
  });

  it('by the same plan as on another connection', () => {
    expect(statements.size).toBeGreaterThan(200);
    // Tables and subqueries are named otherwise, and of two indexes that serve alike either may be taken.
    const stepsOf = (steps: string[]): string[] =>
      steps.map((step) =>
        step
          .replace(/^(\w+) [\w.]+/, '$1')
          .replace(/INDEX \w+|SUBQUERY \d+/, (named) => named.split(' ')[0] ?? ''),
      );
    for (const statement of statements) {
      expect(stepsOf(planOf(checked, checkedText(statement))), statement).toEqual(
        stepsOf(planOf(plain, statement)),
      );
    }
  });
});

describe('the rows at which a reader thread asks', () => {
  it('are some of each few thousand, wherever their ids begin, and a small part', () => {
    const folder = scratchFolder();
    const file = join(folder, 'records.db');
    const rows = 2_000;
    const database = new Sqlite(file);
    database.exec('create table "records" ("id" integer primary key)');
    database.exec(`with recursive n(i) as (select 1 union all select i + 1 from n where i < ${2 * rows})
      insert into "records" select iif(i <= ${rows}, i, 1000000 + i * 7) from n`);
    database.close();
    // Each connection chooses other rows, at random.
    for (let connection = 0; connection < 250; connection += 1) {
      let asked = 0;
      const reader = openChecked(file, { mayGoOn: () => (asked += 1) > 0 });
      for (const where of [`id <= ${rows}`, `id > ${rows}`]) {
        asked = 0;
        expect(reader.prepare(`select count(*) from records where ${where}`).pluck().get()).toBe(rows);
        expect(asked).toBeGreaterThan(0);
        expect(asked).toBeLessThan(rows / 4);
      }
      reader.close();
    }
    removeFolder(folder);
  });
});
