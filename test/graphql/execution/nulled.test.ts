import { buildSchema, execute, Kind, parse, type GraphQLError, type GraphQLResolveInfo } from 'graphql';
import { describe, expect, it } from 'vitest';

import { errorsShown } from '../../../src/graphql/execution/mask.js';

const schema = buildSchema(`
  type Query { thing: Thing must: Thing! many: [Thing!]! }
  type Thing { thing: Thing must: Thing! many: [Thing!]! value: Int mustValue: Int! }
`);

const nextTurn = async (): Promise<void> => await new Promise((resolve) => setImmediate(resolve));

function pathOf({ path }: GraphQLResolveInfo): string {
  const keys: (string | number)[] = [];
  for (let part: GraphQLResolveInfo['path'] | undefined = path; part; part = part.prev)
    keys.unshift(part.key);
  return keys.join('.');
}

function ordersOf<T>(values: readonly T[]): T[][] {
  if (values.length < 2) return [[...values]];
  return values.flatMap((first) =>
    ordersOf(values.filter((value) => value !== first)).map((rest) => [first, ...rest]),
  );
}

/** The paths of the errors shown when fields fail in this order: in the response, and after all have failed. */
async function pathsShown(query: string, order: readonly string[]): Promise<(string | undefined)[][]> {
  const fail = new Map<string, () => void>();
  const value = async (_args: unknown, _context: unknown, info: GraphQLResolveInfo) =>
    await new Promise((_resolve, reject) => fail.set(pathOf(info), () => reject(new Error('failed'))));
  const thing = (): object => ({
    thing,
    must: thing,
    many: () => [thing(), thing()],
    value,
    mustValue: value,
  });
  const document = parse(query);
  const [operation] = document.definitions;
  if (operation?.kind !== Kind.OPERATION_DEFINITION) throw new Error('No operation');
  const executable = { schema, document, operation, variables: {} };
  const shown = (errors: readonly GraphQLError[] = []) =>
    errorsShown(executable, errors)
      .map(({ path }) => path?.join('.'))
      .toSorted();
  const responding = Promise.resolve(execute({ schema, document, rootValue: thing() })).then(
    ({ errors }) => ({
      errors,
      early: shown(errors),
    }),
  );
  await nextTurn();
  expect([...fail.keys()].toSorted()).toEqual(order.toSorted());
  for (const path of order) {
    fail.get(path)?.();
    await nextTurn();
  }
  const { errors, early } = await responding;
  return [early, shown(errors)];
}

describe('errors of fields that run at the same time', () => {
  it.each<[what: string, query: string, shown: readonly string[], hidden: readonly string[]]>([
    [
      'the error that ends the response is alone',
      '{ must { mustValue } other: thing { value } many { value } }',
      ['must.mustValue'],
      ['other.value', 'many.0.value', 'many.1.value'],
    ],
    [
      'those below a record that is null are left out, others stay',
      '{ thing { mustValue many { value } } second: thing { value } }',
      ['second.value', 'thing.mustValue'],
      ['thing.many.0.value', 'thing.many.1.value'],
    ],
    [
      'a record that is null hides another one in it',
      '{ thing { mustValue thing { mustValue } } }',
      ['thing.mustValue'],
      ['thing.thing.mustValue'],
    ],
    [
      'fields of fragments are found by their aliases',
      '{ ...Root } fragment Root on Query { a: thing { ... on Thing { b: mustValue } ...More } } fragment More on Thing { c: value }',
      ['a.b'],
      ['a.c'],
    ],
    [
      'all stay if each has a value of its own',
      '{ thing { value } many { value } }',
      ['many.0.value', 'many.1.value', 'thing.value'],
      [],
    ],
  ])('%s, in whatever order they fail', async (_what, query, shown, hidden) => {
    for (const order of ordersOf([...shown, ...hidden])) {
      expect(await pathsShown(query, order), order.join()).toEqual([shown, shown]);
    }
  });
});
