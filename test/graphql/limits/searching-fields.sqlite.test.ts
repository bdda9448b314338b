import Sqlite from 'better-sqlite3';
import { getNamedType, getNullableType, isLeafType, isListType, isObjectType } from 'graphql';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';

import { costOf } from '../../../src/graphql/limits/cost.js';
import { statementsFor } from '../../support/dashboard.js';
import { fileOf } from '../../support/databases/sqlite-place.js';
import { populate } from '../../support/populated.js';
import { planOf } from '../../support/query-plan.js';
import { useServer } from '../../support/server.js';
import { askable, findWays, nodeOf, parsed, schema, type Way } from '../ways.js';

const server = useServer();
let database: Sqlite.Database;
beforeAll(async () => {
  await populate(server, server.acme, 2);
  database = new Sqlite(fileOf(server.place), { readonly: true });
});
afterAll(() => {
  database.close();
});

const query = schema.getQueryType();
if (query == null) throw new Error('There are no queries');

/** All fields of object types that a query can select. */
const FIELDS = Object.values(schema.getTypeMap())
  .filter((type) => isObjectType(type) && !type.name.startsWith('__'))
  .filter((type) => type !== schema.getMutationType() && type !== schema.getSubscriptionType())
  .flatMap((type) =>
    isObjectType(type)
      ? Object.values(type.getFields()).map((field) => ({ name: `${type.name}.${field.name}`, field }))
      : [],
  );

/** Fields that read something by themselves and declare no search: relations one by one, all leaves of a type together. */
const root: Way = (inner) => `{ ${inner} }`;
const SILENT = [[query, root] as const, ...findWays()].flatMap(([type, way]) => {
  const fields = askable(type).filter(
    ({ extensions, type: of }) =>
      extensions.searches === undefined && !getNamedType(of).name.endsWith('Edge'),
  );
  const leaves = fields.filter((field) => isLeafType(getNamedType(field.type))).map(({ name }) => name);
  const others = fields.map(({ name }) => name).filter((name) => !leaves.includes(name));
  return [
    ...(leaves.length === 0 ? [] : [[`the leaves of ${type.name}`, leaves.join(' '), way] as const]),
    ...others.map((name) => [`${type.name}.${name}`, `${name} { __typename }`, way] as const),
  ];
});

/** A step that reads all rows of a table, or all of a company. */
const UNBOUNDED = /^SCAN (?!json_each|p\b|found\b|CONSTANT ROW|\(subquery|pair\b)|\(company_id=\?\)$/;

const known = new Map<Way, readonly string[]>();

/** Statements for the records at the end of a way, without any of their fields. */
async function statementsAround(way: Way): Promise<readonly string[]> {
  const statements = known.get(way) ?? (await statementsFor(server, server.acme, way('__typename', 50)));
  known.set(way, statements);
  return statements;
}

/**
 * Fields that read something by themselves and cost nothing: their entries have no ids, and are counted while they are
 * read (`unpagedEntries`), are of one terminal, person or rule, or are the largest counts of a summary.
 */
const FREE = new Set(
  `AlertRule.problems LogicalNumber.effectiveParameters Device.files Device.software Viewer.companies Viewer.preferences
  DeviceSummary.byModel DeviceSummary.byFrameworkVersion DeviceSummary.byPresence DeviceSummary.byGroup`.split(
    /\s+/,
  ),
);

/** Fields without a page that show more than one thing, or JSON, which may have many records in it. */
const SEVERAL = [[query, root] as const, ...findWays()].flatMap(([type, way]) =>
  askable(type)
    .filter(({ type: of }) => nodeOf(getNamedType(of)) === undefined)
    .filter(({ type: of }) => isListType(getNullableType(of)) || getNamedType(of).name === 'JSON')
    .map((field) => [`${type.name}.${field.name}`, field, way] as const),
);

describe('RU-91 a field without a page', () => {
  it.each(SEVERAL)('%s has a price if it reads something by itself', async (name, field, way) => {
    const asked = isLeafType(getNamedType(field.type)) ? field.name : `${field.name} { __typename }`;
    const around = await statementsAround(way);
    const statements = await statementsFor(server, server.acme, way(asked, 50));
    const own = statements.slice(around.length);
    const priceOf = (inner: string): number => {
      const { document, operation } = parsed(way(inner, 1));
      return costOf(schema, document, operation, {}).nodes;
    };
    const price = priceOf(asked) - priceOf('__typename');
    const isFree = own.length === 0 || FREE.has(name);
    expect(price > 0 || isFree, own.join('\n')).toBe(true);
  });

  it('is priced or not as its name says', () => {
    const names = SEVERAL.map(([name]) => name);
    expect(names).toEqual(expect.arrayContaining([...FREE, 'Query.fleetState', 'Query.savedFilters']));
  });

  it('of a JSON text is refused in 30 aliases, and read like a search', async () => {
    const aliases = Array.from({ length: 30 }, (_, n) => `a${n}: fleetState(devices: ${n % 2 === 0})`);
    const { status, body } = await server.acme.graphql(`{ ${aliases.join(' ')} }`);
    expect([status, body.errors?.[0]?.extensions]).toEqual([
      400,
      expect.objectContaining({ limit: 'cost', maximum: 10_000, actual: 60_000 }),
    ]);
    const read = vi.spyOn(server.app.units, 'read');
    const one = await server.acme.graphql('{ fleetState }');
    const places = read.mock.calls.map(([, , options]) => options?.examines);
    read.mockRestore();
    expect([one.status, places]).toEqual([200, [false, true]]);
    expect(one.body.extensions).toMatchObject({ cost: { requested: 2_000 } });
  });
});

describe('GQ-30 the search of a field', () => {
  it('is declared by every list, and by every field with a filter', () => {
    const lists = FIELDS.filter(
      ({ field }) =>
        nodeOf(getNamedType(field.type)) !== undefined || field.args.some(({ name }) => name === 'filter'),
    );
    expect(lists.length).toBeGreaterThan(30);
    const silent = lists.filter(({ field }) => typeof field.extensions.searches !== 'function');
    expect(silent.map(({ name }) => name)).toEqual([]);
  });

  it('is declared by every other field that reads all rows of a table', () => {
    const others = FIELDS.filter(({ field }) => field.extensions.searches !== undefined).map(
      ({ name }) => name,
    );
    const some = 'Query.deviceSummary Query.transactionSummary LogicalNumber.effectiveParameters';
    expect(others).toEqual(expect.arrayContaining(some.split(' ')));
  });

  it.each(SILENT)('is none for %s: its statements find their rows by an index', async (_name, asked, way) => {
    // Ignores statements of the surrounding query, and pages that are read in index order with a limit.
    const around = new Set(await statementsAround(way));
    for (const statement of await statementsFor(server, server.acme, way(asked, 50))) {
      if (around.has(statement)) continue;
      if (/\blimit (\?|\(select \?\))( offset \(select \?\))?$/.test(statement.trim())) continue;
      const unbounded = planOf(database, statement).filter((step) => UNBOUNDED.test(step));
      expect(unbounded, statement).toEqual([]);
    }
  });
});
