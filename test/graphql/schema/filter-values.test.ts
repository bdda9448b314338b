import {
  getNamedType,
  isInputObjectType,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputObjectType,
} from 'graphql';
import { beforeAll, describe, expect, it } from 'vitest';

import { answered, refused } from '../../support/dashboard.js';
import { populate } from '../../support/populated.js';
import { useServer } from '../../support/use-server.js';
import { schema } from '../ways.js';

/** Each root query with a filter, its required selection, and the type of its filter. */
interface Filtered {
  readonly name: string;
  readonly select: (args: string) => string;
  readonly type: GraphQLInputObjectType;
}

const filterIn = ({ args }: GraphQLField<unknown, unknown>): GraphQLArgument | undefined =>
  args.find(({ name }) => name === 'filter');

const filtered = Object.values(schema.getQueryType()?.getFields() ?? {}).flatMap((field): Filtered[] => {
  const argument = filterIn(field);
  const type = argument === undefined ? undefined : getNamedType(argument.type);
  if (!isInputObjectType(type)) return [];
  const { name } = field;
  const select = (args: string): string =>
    name === 'transactionSummary'
      ? `${name}(bucket: NONE, by: [STATUS]${args}) { count }`
      : `${name}(first: 3${args}) { totalCount nodes { __typename } }`;
  return [{ name, select, type }];
});

/** Each comparison of a filter: its column, its operator and the type of its value. */
function comparisonsOf(type: GraphQLInputObjectType): readonly [string, string, string][] {
  return Object.values(type.getFields()).flatMap((column) => {
    const comparator = getNamedType(column.type);
    if (comparator === type || !isInputObjectType(comparator)) return [];
    return Object.values(comparator.getFields()).map((operator): [string, string, string] => [
      column.name,
      operator.name,
      String(operator.type),
    ]);
  });
}

/** A field that is not planned: its query goes to the resolvers. */
const UNPLANNED = 'deviceSummary { total }';
const WAYS = [
  ['planned', ''],
  ['by resolvers', UNPLANNED],
] as const;

const server = useServer();
beforeAll(async () => {
  await populate(server, server.acme, 2);
});

describe.each(filtered)('RU-50: the filter of $name', ({ name, select, type }) => {
  it.each(WAYS)('leaves out what has no value, %s', async (_way, more) => {
    const whole = (await answered(server.acme, `{ ${select('')} }`))[name];
    for (const [column, operator, value] of comparisonsOf(type)) {
      const comparator = `{ ${operator}: $value }`;
      const filters = [
        `{ ${column}: ${comparator} }`,
        `{ and: [{ ${column}: ${comparator} }] }`,
        `{ or: [{ ${column}: ${comparator} }] }`,
        `{ not: { ${column}: ${comparator} } }`,
        `{ not: { or: [{ and: [{ ${column}: ${comparator} }] }] } }`,
      ];
      const queries = filters.map((filter, index) => `a${index}: ${select(`, filter: ${filter}`)}`);
      const data = await answered(server.acme, `query ($value: ${value}) { ${queries.join(' ')} ${more} }`);
      for (const index of filters.keys()) expect(data[`a${index}`], filters[index]).toEqual(whole);
    }
    const query = `query ($filter: ${type.name}) { ${select(', filter: $filter')} ${more} }`;
    for (const filter of [undefined, null, {}, { and: [{}] }, { or: [{}] }, { not: {} }]) {
      expect((await answered(server.acme, query, { filter }))[name], JSON.stringify(filter)).toEqual(whole);
    }
  });

  it.each(WAYS)('refuses null, %s', async (_way, more) => {
    for (const [column, operator, value] of comparisonsOf(type)) {
      const query = `query ($value: ${value}) { ${select(`, filter: { ${column}: { ${operator}: $value } }`)} ${more} }`;
      const variable = await refused(server.acme, query, { value: null });
      expect(variable).toMatchObject({
        code: 'BAD_USER_INPUT',
        message: expect.stringContaining(`filter.${column}.${operator} must not be null`) as string,
      });
    }
    const [[column, operator] = ['', '']] = comparisonsOf(type);
    const query = `query ($filter: ${type.name}) { ${select(', filter: $filter')} ${more} }`;
    for (const [filter, path] of [
      [{ [column]: null }, `filter.${column}`],
      [{ and: null }, 'filter.and'],
      [{ or: [{ [column]: { [operator]: null } }] }, `filter.or.0.${column}.${operator}`],
      [{ not: { [column]: { [operator]: null } } }, `filter.not.${column}.${operator}`],
    ] as const) {
      expect((await refused(server.acme, query, { filter })).message).toContain(`${path} must not be null`);
    }
  });
});
