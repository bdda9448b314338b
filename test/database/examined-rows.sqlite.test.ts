import Sqlite from 'better-sqlite3';
import fc from 'fast-check';
import { Kysely } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import type { Condition } from '../../src/database/list/condition.js';
import { countAll, valuesOf, type Examination } from '../../src/database/list/examining/examination.js';
import type { List } from '../../src/database/list/list.js';
import { ThreadDialect } from '../../src/database/sqlite/examining/thread-dialect.js';
import type { ReadWork } from '../../src/database/work.js';
import { apiTokens } from '../../src/resources/access-token/access-token.service.js';
import {
  appVersions,
  appVersionsOfGroup,
  defaultVersionsOfGroup,
} from '../../src/resources/app-version/app-version.service.js';
import { apps } from '../../src/resources/app/app.service.js';
import { devices, devicesOfLogicalNumber } from '../../src/resources/device/device.service.js';
import { PRESENCES } from '../../src/resources/device/presence/presence.model.js';
import { files } from '../../src/resources/file/file.service.js';
import { groups } from '../../src/resources/group/group.service.js';
import { ledgerEntries } from '../../src/resources/ledger-entry/ledger-entry.service.js';
import {
  logicalNumbers,
  logicalNumbersOfGroup,
} from '../../src/resources/logical-number/logical-number.service.js';
import { deliveriesOfNotification } from '../../src/resources/notification/delivery/recall.service.js';
import { notifications } from '../../src/resources/notification/notification.service.js';
import { unknownTerminals } from '../../src/resources/terminal/unknown/adoption.service.js';
import {
  transactions,
  transactionsOfDevice,
  transactionsOfLogicalNumber,
} from '../../src/resources/transaction/totals/transaction-totals.service.js';
import type { Tables } from '../../src/schema/schema.js';
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
      '{}', 'v' || (n % 4), ${audit('n')} from r`,
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
    `${NUMBERS} insert into notification_deliveries (company_id, id, notification_id, logical_number_id, state, queued_at, sequence)
      select ${company}, n, 1 + n % 3, n, 'v' || (n % 2), n, n from r`,
    `${NUMBERS} insert into access_tokens (company_id, id, user_id, kind, scopes, token_hash, last_four, created_at)
      select ${company}, n, 1, 'named', '[]', ${company} || ' ' || n, '', n from r`,
    `${NUMBERS} insert into unknown_terminals (company_id, id, serial_number, first_seen_at, last_seen_at, count)
      select ${company}, n, 'unknown v' || n, n, n * 10, n from r`,
    `${NUMBERS} insert into ledger (company_id, sequence, user_id, entity_id, at, channel, action, entity_type)
      select ${company}, n, 1, n % 30, n, 'api', 'v' || (n % 2), 'v' || (n % 3) from r`,
    `${NUMBERS} insert into transactions (company_id, id, transaction_type, serial_number, logical_number, app_name, detail, status, started_at, recorded_at)
      select ${company}, n, 'switch', 'v' || (n % 30), 'v' || (n % 30), 'v' || (n % 3), '', 'v' || (n % 2), n * 10, 0 from r`,
  ]),
];

let database: Sqlite.Database;
let work: ReadWork;
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
  const read = async (text: string, parameters: readonly unknown[]): Promise<unknown[]> =>
    await Promise.resolve(database.prepare(counting(text)).all(...parameters));
  const db = new Kysely<Tables>({ dialect: new ThreadDialect(read) });
  const presence = { staleMs: 200, offlineMs: 600 };
  work = { db, caller: { companyId: 1 }, now: new Date(1_200), presence } as unknown as ReadWork;
});
afterAll(() => {
  database.close();
});

const LISTS = {
  groups,
  logicalNumbers,
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

/** Comparisons of a list, with values of which some rows have one. */
function conditions(list: List<unknown>): fc.Arbitrary<Condition> {
  const text = fc.integer({ min: 0, max: 130 }).map((n) => `v${n}`);
  const number = fc.integer({ min: 0, max: 1_300 });
  const compared = Object.entries(list.filters).map(([field, kind]): fc.Arbitrary<Condition> => {
    const of = (operator: string, value: fc.Arbitrary<unknown>): fc.Arbitrary<Condition> =>
      value.map((each) => ({ field, operator, value: each }) as Condition);
    if (kind === 'instant') {
      const at = number.map((n) => new Date(n));
      return fc.oneof(of('gte', at), of('lt', at));
    }
    if (kind === 'flag') return of('eq', fc.boolean());
    const value: fc.Arbitrary<unknown> =
      field === 'presence'
        ? fc.constantFrom(...PRESENCES)
        : kind === 'text' || kind === 'choice'
          ? text
          : number;
    const any = [of('eq', value), of('in', fc.array(value, { maxLength: 4 }))];
    return kind === 'text' ? fc.oneof(...any, of('contains', fc.constant('v'))) : fc.oneof(...any);
  });
  const one = fc.oneof(...compared);
  const nested = fc.oneof(
    { weight: 4, arbitrary: one },
    { weight: 1, arbitrary: fc.array(one, { minLength: 1, maxLength: 3 }).map((or): Condition => ({ or })) },
    { weight: 1, arbitrary: one.map((not): Condition => ({ not })) },
  );
  return fc.array(nested, { minLength: 1, maxLength: 3 }).map((and): Condition => ({ and }));
}

/** Rows that an examination allows: by the totals, and by the index where it counts them. */
async function allowed(
  examination: Examination,
  parents: readonly number[] | readonly string[] = [],
): Promise<number> {
  const [values = 0] = await valuesOf(work, [examination]);
  const rows = examination.values === 0 ? 0 : values / examination.values;
  if (examination.within === undefined) return rows;
  const [counted = 0] = await countAll(work, [examination.within(work, 1_000_000, parents)]);
  return Math.min(rows, counted);
}

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

describe('GQ-30 the rows that a list examines', () => {
  it.each(Object.entries(LISTS))('%s are at most those of its price', async (_name, given) => {
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
        const page = await rowsOf(() => list.slice(work, asked));
        const ofPage = await allowed(list.examinesSlice(asked));
        expect(page).toBeLessThanOrEqual(Math.max(ofPage, asked.limit + 1) * times + END);
        const count = await rowsOf(() => list.count(work, asked.condition));
        const ofCount = await allowed(list.examinesCount(asked.condition));
        expect(count).toBeLessThanOrEqual(Math.max(ofCount, 1) * times + END);
        most = Math.max(most, page, count);
      }),
      { numRuns: 250 },
    );
    expect(most, 'rows are counted').toBeGreaterThan(ROWS / 2);
  });

  it('none are examined for an empty list of values, whatever else is compared', async () => {
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
  ] as const)('%s are at most those of its price', async (_name, child, table, column) => {
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
        const ofPages = await allowed(child.examinesSlices(asked), parents);
        expect(pages).toBeLessThanOrEqual(Math.max(ofPages, (asked.limit + 1) * parents.length) * times);
        const counts = await rowsOf(() => child.counts(work, parents as never[], asked.condition));
        expect(counts).toBeLessThanOrEqual(
          (await allowed(child.examinesCounts(asked.condition), parents)) * times,
        );
        most = Math.max(most, pages, counts);
      }),
      { numRuns: 60 },
    );
    expect(most, 'rows are counted').toBeGreaterThan(ROWS / 2);
  });
});
