import 'reflect-metadata';
import { execute, getOperationAST, parse } from 'graphql';
import { beforeAll, describe, expect, it } from 'vitest';

import { createSchema } from '../../src/app/graphql/schema.js';
import { GraphqlContext } from '../../src/graphql/execution/context.js';
import { shareArguments } from '../../src/graphql/execution/long-input.js';
import { populate } from '../support/populated.js';
import { useServer } from '../support/use-server.js';
import { servicesOf } from './operation-services.js';

const schema = await createSchema();

const server = useServer();
beforeAll(async () => {
  await populate(server, server.acme, 3);
});

function operationOf(query: string, variables: Readonly<Record<string, unknown>> = {}) {
  const document = parse(query);
  const operation = getOperationAST(document);
  if (operation == null) throw new Error('No operation');
  return { schema, document, operation, variables };
}

const comparisons = (count: number, value = '"z"'): string =>
  Array.from({ length: count }, (_, n) => `{ serialNumber: { in: [${value}, "${n}"] } }`).join();

describe('a long input object in a document', () => {
  const LONG = `
    query Devices { ...Page groups(first: 3) { nodes { logicalNumbers(first: 2, filter: { or: [{ enabled: { eq: true } }${', { enabled: { eq: false } }'.repeat(40)}] }) { nodes { number } } } } }
    fragment Page on Query { devices(first: 5, filter: { not: { or: [${comparisons(40)}] } }) { nodes { serialNumber } } }`;

  it('becomes a variable, in fragments too', () => {
    const shared = shareArguments(operationOf(LONG));
    expect(Object.keys(shared.variables)).toEqual(['argument 0', 'argument 1']);
    expect(shared.operation.variableDefinitions).toHaveLength(2);
    expect(shared.document.definitions).toContain(shared.operation);
  });

  it('selects the same', async () => {
    const given = operationOf(LONG);
    const shared = shareArguments(given);
    const [expected, found] = await Promise.all(
      [given, shared].map(async ({ document, variables }) => {
        const contextValue = new GraphqlContext(server.acme.caller, servicesOf(server));
        const result = await execute({ schema, document, variableValues: variables, contextValue });
        contextValue.finish();
        return result;
      }),
    );
    expect(found).toEqual(expected);
    expect(expected?.errors).toBeUndefined();
    expect(JSON.stringify(expected?.data)).toContain('serialNumber');
  });

  it.each([
    ['is short', `{ devices(filter: { or: [${comparisons(2)}] }) { totalCount } }`],
    [
      'contains a variable',
      `query ($v: String!) { devices(filter: { or: [${comparisons(40, '$v')}] }) { totalCount } }`,
    ],
  ])('stays as it is if it %s', (_name, query) => {
    const given = operationOf(query, { v: 'x' });
    expect(shareArguments(given)).toBe(given);
  });
});
