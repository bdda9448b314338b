import { getNamedType, isInputObjectType } from 'graphql';
import type { GraphQLArgument, GraphQLField, GraphQLInputObjectType } from 'graphql';
import { beforeAll, describe, expect, it } from 'vitest';

import { answered, refused } from '../../support/dashboard.js';
import { populate } from '../../support/populated.js';
import { useServer } from '../../support/server.js';
import { comparisonsOf, schema } from '../ways.js';

/** Each root query with a filter, its required selection, and the type of its filter. */
interface Filtered {
  readonly name: string;
  readonly select: (args: string) => string;
  readonly type: GraphQLInputObjectType;
}

const SUMMARIES: Readonly<Record<string, (args: string) => string>> = {
  transactionSummary: (args) => `transactionSummary(bucket: NONE, by: [STATUS]${args}) { count }`,
  notificationSummary: (args) => `notificationSummary(bucket: NONE${args}) { bucketStart }`,
  deviceSummary: (args) =>
    `deviceSummary(filter: ${args.slice(', filter: '.length) || '{}'}) { total enabled }`,
};

const filterIn = ({ args }: GraphQLField<unknown, unknown>): GraphQLArgument | undefined =>
  args.find(({ name }) => name === 'filter');

const filtered = Object.values(schema.getQueryType()?.getFields() ?? {}).flatMap((field): Filtered[] => {
  const argument = filterIn(field);
  const type = argument === undefined ? undefined : getNamedType(argument.type);
  if (!isInputObjectType(type)) return [];
  const { name } = field;
  const select = (args: string): string =>
    name.endsWith('Summary')
      ? (SUMMARIES[name]?.(args) ?? '')
      : `${name}(first: 3${args}) { totalCount nodes { __typename } }`;
  return [{ name, select, type }];
});

/** A field that is not planned: its query goes to the resolvers. */
const UNPLANNED = 'unplanned: deviceSummary { total }';
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
    for (const [column, comparisons] of Map.groupBy(comparisonsOf(type), ([of]) => of)) {
      const plain = comparisons.map(([, operator], n) => `{ ${column}: { ${operator}: $v${n} } }`);
      const [one = ''] = plain;
      const nested = [
        `{ and: [${one}] }`,
        `{ or: [${one}] }`,
        `{ not: ${one} }`,
        `{ not: { or: [{ and: [${one}] }] } }`,
      ];
      const variables = comparisons.map(([, , value], n) => `$v${n}: ${value}`);
      for (const [filters, declared] of [
        [plain, variables.join()],
        [nested, variables[0]],
      ] as const) {
        const queries = filters.map((filter, index) => `a${index}: ${select(`, filter: ${filter}`)}`);
        const data = await answered(server.acme, `query (${declared}) { ${queries.join(' ')} ${more} }`);
        for (const index of filters.keys()) expect(data[`a${index}`], filters[index]).toEqual(whole);
      }
    }
    const query = `query ($filter: ${type.name}) { ${select(', filter: $filter')} ${more} }`;
    for (const filter of [undefined, null, {}, { and: [{}] }, { or: [{}] }, { not: {} }]) {
      expect((await answered(server.acme, query, { filter }))[name], JSON.stringify(filter)).toEqual(whole);
    }
  });

  it('refuses null for every comparison', async () => {
    for (const [column, operator, value] of comparisonsOf(type)) {
      const query = `query ($value: ${value}) { ${select(`, filter: { ${column}: { ${operator}: $value } }`)} }`;
      const { code, message } = await refused(server.acme, query, { value: null });
      expect(code).toBe('BAD_USER_INPUT');
      expect(message).toContain(`filter.${column}.${operator} must not be null`);
    }
  });

  it.each(WAYS)('refuses null at every level, %s', async (_way, more) => {
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

it('a long filter in the document selects what it selects as a variable, in fragments too', async () => {
  const or = Array.from({ length: 40 }, (_, n) => ({ serialNumber: { eq: `populated ${n + 1}` } }));
  const literal = JSON.stringify({ not: { or } }).replaceAll(/"(\w+)":/g, '$1: ');
  const data = await answered(
    server.acme,
    `query ($filter: DeviceFilter) { ...Page given: devices(filter: $filter) { ...Numbers } }
      fragment Page on Query { written: devices(filter: ${literal}) { ...Numbers } }
      fragment Numbers on DeviceConnection { nodes { serialNumber } }`,
    { filter: { not: { or } } },
  );
  const nodes = [{ serialNumber: 'populated 0' }];
  expect(data).toEqual({ written: { nodes }, given: { nodes } });
});
