import Sqlite from 'better-sqlite3';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import type { Condition } from '../../src/database/list/condition.js';
import type { List } from '../../src/database/list/list.js';
import {
  EMPTY_SLICE,
  firstIn,
  type Key,
  type Slice,
  type SliceRequest,
} from '../../src/database/list/listing.js';
import { narrowing, type Search, searchedRows } from '../../src/database/list/request-class.js';
import { bound, handleOf } from '../../src/database/sqlite/connection.js';
import type { ReadWork } from '../../src/database/work.js';
import { ledgerEntries } from '../../src/domain/base/ledger/ledger.service.js';
import { devices, devicesOfLogicalNumber } from '../../src/domain/fleet/device/device.service.js';
import { groups } from '../../src/domain/fleet/group/group.service.js';
import {
  logicalNumbers,
  logicalNumbersOfGroup,
} from '../../src/domain/fleet/logical-number/logical-number.service.js';
import { parameters } from '../../src/domain/fleet/setting/parameter.service.js';
import { metacontents } from '../../src/domain/fleet/setting/setting.service.js';
import { deliveriesOfNotification } from '../../src/domain/messages/notification/delivery.service.js';
import { notifications } from '../../src/domain/messages/notification/notification.service.js';
import {
  transactions,
  transactionsOfDevice,
  transactionsOfLogicalNumber,
} from '../../src/domain/payments/transaction/transaction.service.js';
import { apiTokens } from '../../src/domain/people/access-token/access-token.service.js';
import {
  appVersions,
  appVersionsOfGroup,
  defaultVersionsOfGroup,
} from '../../src/domain/software/app/app-version.service.js';
import { apps } from '../../src/domain/software/app/app.service.js';
import { files } from '../../src/domain/software/file/file.service.js';
import { unknownTerminals } from '../../src/domain/terminals/terminal/refusal.service.js';
import { orderFor } from '../../src/graphql/export/request.js';
import { comparisonsOf, conditions, MOST_VALUES } from '../support/conditions.js';
import { databaseFile } from '../support/databases/sqlite-place.js';

const AUDITED = 'revision, created_at, updated_at, created_by, created_via';
const audit = (n: string): string => `1, ${n}, 1000 - ${n}, null, 'api'`;
const ROWS = 120;
const NUMBERS = `with recursive r(n) as (select 1 union all select n + 1 from r where n < ${ROWS})`;

const FILL = [
  `insert into companies (id, name, created_at, updated_at) values (1, 'one', 0, 0), (2, 'two', 0, 0)`,
  `insert into users (id, email, name, time_zone, password_hash, sign_in_count, failed_sign_ins, revision, created_at, updated_at)
    values (1, 'a@b.example', 'A', 'UTC', '', 0, 0, 1, 0, 0)`,
  ...[1, 2].flatMap((company) => [
    `insert into memberships (company_id, user_id, role, created_at) values (${company}, 1, 'admin', 0)`,
    `${NUMBERS} insert into groups (company_id, id, name, ${AUDITED}) select ${company}, n, 'v' || n, ${audit('n')} from r`,
    `${NUMBERS} insert into logical_numbers (company_id, id, number, group_id, ${AUDITED})
      select ${company}, n, 'v' || n, (select min(id) from groups where company_id = ${company}) + n % 3, ${audit('n')} from r`,
    `${NUMBERS} insert into devices (company_id, id, serial_number, enabled, logical_number_id, meta, framework_version, ${AUDITED})
      select ${company}, n, 'v' || n, n % 2, (select min(id) from logical_numbers where company_id = ${company}) + n % 3,
      json_object('model', 'v' || (n % 5)), 'v' || (n % 4), ${audit('n')} from r`,
    `update device_presence set last_seen_at = max(device_id - 20, 0) * 12 where company_id = ${company}`,
    `${NUMBERS} insert into apps (company_id, id, name, communication_format, kind, language, ${AUDITED})
      select ${company}, n, 'v' || n, 'http', 'standard', 'ruby', ${audit('n')} from r`,
    `${NUMBERS} insert into app_versions (company_id, id, app_id, size, number, uuid, crc, displayable, ${AUDITED})
      select ${company}, n, (select min(id) from apps where company_id = ${company}) + n % 3, 0, 'v' || n, n, '', 1, ${audit('n')} from r`,
    `insert into app_version_groups (company_id, app_version_id, group_id)
      select ${company}, v.id, g.id from app_versions v join groups g on g.company_id = v.company_id
      where v.company_id = ${company} and g.id % 40 = 0`,
    `insert into group_default_versions (company_id, app_version_id, group_id)
      select company_id, app_version_id, group_id from app_version_groups
      where company_id = ${company} and app_version_id % 2 = 0`,
    `${NUMBERS} insert into contents (company_id, id, size, crc, sha256, created_at) select ${company}, n, 0, '', n, 0 from r`,
    `${NUMBERS} insert into files (company_id, id, name, file_type, crc, content_id, size, ${AUDITED})
      select ${company}, n, 'v' || n, 'asset', '', (select min(id) from contents where company_id = ${company}), 0, ${audit('n')} from r`,
    `${NUMBERS} insert into notifications (company_id, id, content, "range", kind, expires_at, ${AUDITED})
      select ${company}, n, 'x', 'group', 'show', n, ${audit('n')} from r`,
    `${NUMBERS} insert into notification_deliveries (company_id, id, notification_id, logical_number_id, lane, state, queued_at, sequence)
      select ${company}, n, 1 + n % 3, n, n, 'v' || (n % 2), n, n from r`,
    `${NUMBERS} insert into access_tokens (company_id, id, user_id, kind, scopes, token_hash, last_four, created_at)
      select ${company}, n, 1, 'named', '[]', ${company} || ' ' || n, '', n from r`,
    `${NUMBERS} insert into unknown_terminals (company_id, id, serial_number, first_seen_at, last_seen_at, count)
      select ${company}, n, 'unknown v' || n, n, n * 10, n from r`,
    `${NUMBERS} insert into ledger (company_id, sequence, user_id, job_id, entity_id, at, channel, action, entity_type)
      select ${company}, n, 1, n / 40, n % 30, n, 'api', 'v' || (n % 2), 'v' || (n % 3) from r`,
    `${NUMBERS} insert into transactions (company_id, id, transaction_type, serial_number, logical_number, app_name, detail, status, started_at, recorded_at, amount, nsu, authorization_code, last_digits, reference, brand, group_id)
      select ${company}, n, 'switch', 'v' || (n % 30), 'v' || (n % 30), 'v' || (n % 3), '', 'v' || (n % 2), n * 10, 0, n % 50 - 1, 'v' || (n % 40), 'v' || (n % 40), 'v' || (n % 40), 'v' || n, 'v' || (n % 3), n % 4 from r`,
  ]),
];

let database: Sqlite.Database;
let work: ReadWork;
/** The statements that were run. */
let sent: string[] = [];
/** Rows that the statements have visited, of the list's table and of the one with the times at which devices were seen. */
const visited = { own: 0, presence: 0 };

beforeAll(() => {
  database = new Sqlite(databaseFile());
  database.pragma('foreign_keys = on');
  for (const statement of FILL) database.exec(statement);
  for (const table of ['own', 'presence'] as const) {
    database.function(`visited_${table}`, (_row: unknown) => {
      visited[table] += 1;
      return 1;
    });
  }
  // Each row that a step of the plan reaches is counted before anything else of it is compared.
  const counting = (text: string): string =>
    /from "transaction_\w+" as/.test(text)
      ? text.replace(/as "t"\s+where /g, (from) => `${from}visited_own(t.status) and `)
      : text.replace(
          /as "?t"?\s+where /,
          text.includes('device_presence')
            ? '$&visited_own(t.id) and visited_presence(t.device_id) and '
            : '$&visited_own(t.rowid) and ',
        );
  const db = handleOf(async ({ sql: text, parameters }) => {
    sent.push(text);
    return await Promise.resolve({
      rows: database.prepare(counting(text)).all(...bound(parameters)) as never[],
    });
  });
  const presence = { staleMs: 200, offlineMs: 600 };
  work = { db, caller: { companyId: 1 }, now: new Date(1_200), presence } as unknown as ReadWork;
});
afterAll(() => {
  database.close();
});

const LISTS = {
  groups,
  logicalNumbers,
  parameters: parameters.all,
  metacontents: metacontents.all,
  devices,
  apps,
  appVersions,
  files,
  notifications,
  apiTokens,
  unknownTerminals,
  ledgerEntries,
  transactions,
};

/** Rows that a request may visit: those that it shows (`shown`), or the rows that it searches. */
const allowed = async (search: Search | null, shown: number): Promise<number> =>
  search === null ? Math.max(shown, MOST_VALUES) : await searchedRows(work, [search]);

/** The first row after a range, at which a statement stops. */
const END = 1;

/** The rows that a statement visits, in multi-index ORs once for each alternative. */
async function rowsOf(run: () => Promise<unknown>): Promise<number> {
  Object.assign(visited, { own: 0, presence: 0 });
  await run();
  return Math.max(visited.own, visited.presence);
}

function alternatives(where: Condition | null): number {
  if (where === null || 'field' in where) return 1;
  if ('not' in where) return alternatives(where.not);
  if ('or' in where) return where.or.reduce((sum, part) => sum + alternatives(part), 0);
  return where.and.reduce((most, part) => Math.max(most, alternatives(part)), 1);
}

/** A step of a query plan, for example `SEARCH t USING INDEX …`. */
interface Step {
  readonly id: number;
  readonly parent: number;
  readonly detail: string;
}

/** Steps that find the rows of the statement which `run` sends; apart from those that only order its page. */
async function stepsOf(run: () => Promise<unknown>): Promise<readonly string[]> {
  sent = [];
  await run();
  const [text = ''] = sent;
  const values = Array.from(text.matchAll(/\?/g), () => null);
  const steps = database.prepare(`explain query plan ${text}`).all(...values) as Step[];
  const inner = steps.find(({ parent, detail }) => parent === 0 && /^(CO-ROUTINE|MATERIALIZE)/.test(detail));
  const finding = inner === undefined ? steps : steps.filter(({ parent }) => parent === inner.id);
  // Others read the values of `in` and the few records of one row, and look up once whether anything is being removed.
  return finding
    .map(({ detail }) => detail)
    .filter((detail) => !/json_each|SUBQUERY|CONSTANT ROW|SCAN known/.test(detail));
}

/** The pages of a list that are no searches: from its beginning, and from a key on. */
async function* indexedPages(list: List<unknown>, condition: Condition | null): AsyncGenerator<SliceRequest> {
  for (const order of list.orders) {
    for (const descending of [false, true]) {
      const first = { order, descending, backward: false, limit: 3, key: null, condition };
      if (list.searchOfSlice(first) !== null) continue;
      yield first;
      const key: Key | undefined = (await list.slice(work, { ...first, limit: 1 })).items[0]?.key;
      if (key !== undefined) yield { ...first, key };
    }
  }
}

describe('LS-04 the class of a request', () => {
  it.each(Object.entries(LISTS))('of %s is right for all filters and orders', async (_name, given) => {
    const list = given as List<unknown>;
    const single = Object.entries(list.filters).flatMap(([field, kind]) =>
      comparisonsOf(field, kind).flatMap(
        (each) => fc.sample(each, { numRuns: 20, seed: 1 }).find((found) => !isEmpty(found)) ?? [],
      ),
    );
    const pairs = single.flatMap((one, n) => single.slice(n + 1).map((other) => ({ and: [one, other] })));
    let indexed = 0;
    for (const condition of [null, ...single, ...pairs]) {
      for await (const request of indexedPages(list, condition)) {
        indexed += 1;
        const steps = await stepsOf(() => list.slice(work, request));
        const text = `${JSON.stringify(request)}\n${steps.join('\n')}`;
        expect(steps.filter((step) => step.startsWith('SEARCH')).length, text).toBeGreaterThan(0);
        const scans = steps.filter((step) => step.startsWith('SCAN'));
        expect(scans, text).toEqual([]);
        const isOfFew = list.searchOfCount(condition) === null && condition !== null;
        const sorts = steps.filter((step) => step.includes('TEMP B-TREE'));
        if (!isOfFew) expect(sorts, text).toEqual([]);
        if (condition !== null) expect(steps.join(), text).toMatch(/company_id=\? AND /);
      }
    }
    expect(indexed).toBeGreaterThanOrEqual(list.orders.length * 2);
  });
});

describe('the pages of an export', () => {
  it.each(Object.entries(LISTS))(
    'of %s come in the order of an index, sorted for none of them',
    async (_name, given) => {
      const list = given as List<unknown>;
      const single = Object.entries(list.filters).flatMap(([field, kind]) =>
        comparisonsOf(field, kind).flatMap(
          (each) => fc.sample(each, { numRuns: 20, seed: 1 }).find((found) => !isEmpty(found)) ?? [],
        ),
      );
      const pairs = single.map((one, n): Condition => ({ and: [one, single.at(n - 7) ?? one] }));
      const others = single.flatMap((one): Condition[] => [
        { not: one },
        { or: [one, ...single.slice(0, 1)] },
      ]);
      for (const condition of [null, ...single, ...pairs, ...others]) {
        // Exact values that find few records.
        if (narrowing(list.listing.filters, condition) !== undefined) continue;
        const order = orderFor(list, condition);
        const first = firstIn(order, 3, { condition });
        const isWalk = list.searchOfSlice(first) !== null;
        const key = (await list.slice(work, firstIn(order, 1))).items[0]?.key ?? null;
        const steps = await stepsOf(() => list.slice(work, { ...first, isWalk, key }));
        const text = `${JSON.stringify({ order, condition })}\n${steps.join('\n')}`;
        expect(
          steps.filter((step) => step.includes('TEMP B-TREE')),
          text,
        ).toEqual([]);
      }
    },
  );
});

/** Whether a condition has an empty list of values, so that no rows are read. */
const isEmpty = (where: Condition): boolean =>
  'and' in where
    ? where.and.some(isEmpty)
    : 'field' in where && Array.isArray(where.value) && where.value.length === 0;

describe('GQ-30 the rows that a list reads', () => {
  it.each(Object.entries(LISTS))('%s are those that it shows, unless it searches', async (name, given) => {
    const list = given as List<unknown>;
    const request = fc.record({
      order: fc.constantFrom(...list.orders),
      descending: fc.boolean(),
      backward: fc.boolean(),
      limit: fc.integer({ min: 0, max: 10 }),
      key: fc.constant(null),
      condition: fc.option(conditions(list), { freq: 8 }),
    });
    let most = 0;
    await fc.assert(
      fc.asyncProperty(request, async (asked) => {
        const times = alternatives(asked.condition);
        let first: Slice<unknown> = EMPTY_SLICE;
        const page = await rowsOf(async () => (first = await list.slice(work, asked)));
        const ofPage = await allowed(list.searchOfSlice(asked), asked.limit + 1);
        expect(page).toBeLessThanOrEqual(ofPage * times + END);
        const key = first.items.at(asked.backward ? 0 : -1)?.key ?? null;
        const next = await rowsOf(() => list.slice(work, { ...asked, key }));
        expect(next).toBeLessThanOrEqual(ofPage * times + END);
        const count = await rowsOf(() => list.count(work, asked.condition));
        const ofCount = await allowed(list.searchOfCount(asked.condition), 1);
        expect(count).toBeLessThanOrEqual(ofCount * times + END);
        most = Math.max(most, page, count);
      }),
      { numRuns: 100 },
    );
    if (!['parameters', 'metacontents'].includes(name))
      expect(most, 'rows are counted').toBeGreaterThan(ROWS / 2);
  });

  it.each(Object.entries(LISTS))('%s are the same in pages as all at once', async (_name, given) => {
    const list = given as List<unknown>;
    const request = fc.record({
      order: fc.constantFrom(...list.orders),
      descending: fc.boolean(),
      backward: fc.boolean(),
      condition: fc.option(conditions(list), { freq: 8 }),
    });
    await fc.assert(
      fc.asyncProperty(request, async (asked) => {
        const whole = await list.slice(work, { ...asked, limit: 1_000, key: null });
        const paged: unknown[] = [];
        for (let key: Key | null = null; ;) {
          const { items, hasMore } = await list.slice(work, { ...asked, limit: 25, key });
          paged.splice(asked.backward ? 0 : paged.length, 0, ...items);
          if (!hasMore) break;
          key = items.at(asked.backward ? 0 : -1)?.key ?? null;
        }
        expect(paged).toEqual(whole.items);
      }),
      { numRuns: 30 },
    );
  });

  it('begin at the key, where the order has a bound too', async () => {
    const condition = { field: 'amount', operator: 'gte', value: 0 } as const;
    const page = { order: 'AMOUNT', descending: false, backward: false, limit: 3, condition };
    expect(await rowsOf(() => transactions.slice(work, { ...page, key: { value: 20, id: 1 } }))).toBe(4);
  });

  it('are none for an empty list of values, whatever else is compared', async () => {
    const and: Condition[] = [
      { field: 'serialNumber', operator: 'in', value: [] },
      { field: 'logicalNumber', operator: 'in', value: ['v0'] },
    ];
    const request = { order: 'ID', descending: false, backward: false, limit: 0, key: null };
    expect(await rowsOf(() => LISTS.transactions.slice(work, { ...request, condition: { and } }))).toBe(0);
    const two: Condition[] = [
      { field: 'serialNumber', operator: 'eq', value: 'v30' },
      { field: 'logicalNumber', operator: 'eq', value: 'v0' },
    ];
    expect(await rowsOf(() => LISTS.transactions.count(work, { and: two }))).toBe(0);
  });

  it.each([
    ['devices of logical numbers', devicesOfLogicalNumber, 'logical_numbers', 'id'],
    ['logical numbers of groups', logicalNumbersOfGroup, 'groups', 'id'],
    ['app versions of groups, by links', appVersionsOfGroup, 'groups', 'id'],
    ['default versions of groups, by links', defaultVersionsOfGroup, 'groups', 'id'],
    ['deliveries of notifications', deliveriesOfNotification, 'notifications', 'id'],
    ['transactions of devices', transactionsOfDevice, 'devices', 'serial_number'],
    ['transactions of logical numbers', transactionsOfLogicalNumber, 'logical_numbers', 'number'],
  ] as const)('%s are those that they show, unless they search', async (_name, child, table, column) => {
    const parents = database
      .prepare(`select ${column} from ${table} where company_id = 1`)
      .pluck()
      .all() as number[];
    const request = fc.record({
      order: fc.constantFrom(...child.list.orders),
      descending: fc.boolean(),
      backward: fc.boolean(),
      limit: fc.integer({ min: 0, max: 10 }),
      key: fc.constant(null),
      condition: fc.option(conditions(child.list as List<unknown>), { freq: 5 }),
    });
    let most = 0;
    await fc.assert(
      fc.asyncProperty(request, async (asked) => {
        const times = alternatives(asked.condition);
        const pages = await rowsOf(() => child.slices(work, parents as never[], asked));
        const ofPages = await allowed(child.searchOfSlices(asked), (asked.limit + 1) * parents.length);
        expect(pages).toBeLessThanOrEqual(ofPages * times);
        const counts = await rowsOf(() => child.counts(work, parents as never[], asked.condition));
        expect(counts).toBeLessThanOrEqual(
          (await allowed(child.searchOfCounts(asked.condition), ROWS)) * times,
        );
        most = Math.max(most, pages, counts);
      }),
      { numRuns: 40 },
    );
    expect(most, 'rows are counted').toBeGreaterThan(ROWS / 2);
  });
});
