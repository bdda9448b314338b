import Sqlite from 'better-sqlite3';
import { getNamedType, isLeafType, isObjectType } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { statementsFor } from '../../support/dashboard.js';
import { fileOf } from '../../support/databases/sqlite-place.js';
import { populate } from '../../support/populated.js';
import { planOf } from '../../support/query-plan.js';
import { useServer } from '../../support/server.js';
import { askable, findWays, nodeOf, schema, type Way } from '../ways.js';

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
      if (/\blimit (\?|\(select \?\))$/.test(statement.trim())) continue;
      const unbounded = planOf(database, statement).filter((step) => UNBOUNDED.test(step));
      expect(unbounded, statement).toEqual([]);
    }
  });
});
