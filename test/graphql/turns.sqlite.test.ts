import { execute, getVariableValues } from 'graphql';
import { beforeAll, describe, expect, it } from 'vitest';

import { GraphqlContext } from '../../src/graphql/execution/context.js';
import { coerceLongLists } from '../../src/graphql/execution/long-input.js';
import { answered, nodeId, refused } from '../support/dashboard.js';
import { fleet } from '../support/fleet.js';
import { useServer, type Fields } from '../support/server.js';
import { TRANSPORTS } from '../support/transports.js';
import { turnsOf } from '../support/turns.js';
import { parsed, schema, servicesOf } from './ways.js';

const ROWS = 1_000;
/** Rows of a batch that are coerced in one turn of the event loop, those that are rendered in one, and those of one insert. */
const [COERCED, RENDERED, INSERTED] = [100, 50, 200];

const server = useServer();

const rowsOf = (make: (n: number) => unknown): unknown[] => Array.from({ length: ROWS }, (_, n) => make(n));

const payment = (n: number): Fields => ({
  reference: `turn ${n}`,
  transactionType: 'SWITCH',
  serialNumber: 'S',
  logicalNumber: 'N',
  appName: 'a',
  status: 'SUCCESS',
  startedAt: '2026-11-22T10:00:00Z',
  finishedAt: '2026-11-22T10:00:01Z',
  parsed: { amount: n, type: 'sale', status: 'APPROVED', card: { brand: 'visa' } },
});

const RECORD = `mutation ($rows: [TransactionInput!]!) {
  transactionBulkRecord(inputs: $rows) { count results { index repeated transaction { reference parsed { amount } } } } }`;

describe('a long list of input objects in a variable', () => {
  it('is coerced in parts, to what graphql-js makes of it', async () => {
    const { document, operation } = parsed(RECORD);
    const rows = rowsOf(payment);
    const { result, turns } = await turnsOf(() =>
      coerceLongLists({ schema, document, operation, variables: { rows } }),
    );
    expect(turns).toBeGreaterThanOrEqual(ROWS / COERCED - 1);
    const expected = getVariableValues(schema, operation.variableDefinitions ?? [], { rows });
    expect(result.variables).toEqual(expected.coerced);
    const again = getVariableValues(schema, result.operation.variableDefinitions ?? [], result.variables);
    expect(again.coerced).toEqual(expected.coerced);
  });

  it('gets the errors of graphql-js, with the place of the entry', async () => {
    const rows = [...rowsOf(payment), { ...payment(0), appName: 7 }];
    expect(await refused(server.acme, RECORD, { rows })).toMatchObject({
      code: 'BAD_USER_INPUT',
      message: expect.stringContaining('at "rows[1000].appName"; String cannot represent') as string,
    });
  });
});

describe('a batch of 1,000 rows', () => {
  const owner = async (): Promise<object> => ({
    groupId: nodeId('Group', await fleet.group(server.acme.client, 'g')),
  });

  it.each([
    ['payments', 'rows', RECORD, () => payment],
    [
      'devices',
      'rows',
      'mutation ($rows: [String!]!) { deviceBulkCreate(serialNumbers: $rows) { count results { index device { serialNumber } } } }',
      () => (n: number) => `turn ${n}`,
    ],
    [
      'parameters',
      'rows',
      'mutation ($rows: [ParameterBulkSetRow!]!) { parameterBulkSet(rows: $rows) { count results { index parameter { key } } } }',
      async () => {
        const of = await owner();
        return (n: number) => ({ owner: of, key: `turn ${n}`, value: 'v' });
      },
    ],
  ])('of %s is stored and rendered in parts, in order', async (_what, name, query, maker) => {
    const make = await maker();
    const { document } = parsed(query);
    const contextValue = new GraphqlContext(server.acme.caller, servicesOf(server));
    const variableValues = { [name]: rowsOf(make) };
    const { result, turns } = await turnsOf(async () =>
      execute({ schema, document, variableValues, contextValue }),
    );
    contextValue.finish();
    expect(turns).toBeGreaterThanOrEqual(ROWS / INSERTED - 1 + ROWS / RENDERED - 1);
    const [payload] = Object.values(result.data ?? {}) as [{ count: number; results: { index: number }[] }];
    expect(payload.count).toBe(ROWS);
    expect(payload.results.map(({ index }) => index)).toEqual(rowsOf((n) => n));
  });
});

describe('lists without pages', () => {
  const query = (numbers: number): string =>
    `{ logicalNumbers(first: ${numbers}, filter: { number: { contains: "entries" } }) { nodes { effectiveParameters { key value source } } } }`;

  beforeAll(async () => {
    const { client } = server.beta;
    const id = await fleet.group(client, 'wide');
    const rows = rowsOf((n) => ({ owner: { groupId: nodeId('Group', id) }, key: `k${n}`, value: 'v' }));
    await answered(
      server.beta,
      'mutation ($rows: [ParameterBulkSetRow!]!) { parameterBulkSet(rows: $rows) { count } }',
      { rows },
    );
    for (let n = 0; n < 11; n += 1) await fleet.logicalNumber(client, `entries ${n}`, { group_id: id });
  });

  it('are merged and shown in parts', async () => {
    const context = new GraphqlContext(server.beta.caller, servicesOf(server));
    const { document } = parsed(query(10));
    const { result, turns } = await turnsOf(async () => execute({ schema, document, contextValue: context }));
    context.finish();
    const { nodes } = (
      result.data as unknown as { logicalNumbers: { nodes: { effectiveParameters: unknown[] }[] } }
    ).logicalNumbers;
    expect(nodes.map(({ effectiveParameters }) => effectiveParameters.length)).toEqual(Array(10).fill(ROWS));
    // Three turns between the parts that are merged, and those of the 10,000 entries.
    expect(turns).toBeGreaterThanOrEqual(3 + 10_000 / RENDERED - 1);
  });

  it('have 10,000 entries in an operation at most, a parameter of a group for each of its numbers', async () => {
    const refusal = async (operation: string) => (await server.beta.graphql(operation)).body.errors?.[0];
    const expected = {
      message:
        'The operation shows too many entries of lists without pages: at most 10000. Ask for fewer records.',
      extensions: { code: 'BAD_USER_INPUT', limit: 'unpagedEntries', maximum: 10_000 },
    };
    expect(await refusal(query(11))).toMatchObject(expected);
    const twice = `{ a: ${query(10).slice(1, -1)} b: logicalNumber(number: "entries 10") { effectiveParameters { key } } }`;
    expect(await refusal(twice)).toMatchObject(expected);
    // The group of each of its six numbers has six numbers with 1,000 entries each, which are read once.
    const numbersOf = (inner: string) => `logicalNumbers(first: 6) { nodes { ${inner} } }`;
    const again = `{ ${numbersOf(`group { ${numbersOf('effectiveParameters { key }')} }`)} }`;
    expect(await refusal(again)).toMatchObject(expected);
  });
});

describe('an operation that fails beyond its budget', () => {
  it.each(Object.entries(TRANSPORTS))(
    'examines once over %s, though its errors need a second execution',
    async (_way, send) => {
      const query = '{ logicalNumbers(first: 11) { nodes { number effectiveParameters { key value } } } }';
      const { result, statements } = await server.statements(() => send(server, server.beta, query));
      expect(result).toContain('"code":"BAD_USER_INPUT"');
      expect(statements.filter((sent) => sent.includes('parameters'))).toHaveLength(1);
    },
  );
});

describe('records that graphql-js renders', () => {
  const NUMBERS = 100;
  const numbers = (first: number): string =>
    `logicalNumbers(first: ${first}, filter: { number: { contains: "again" } }) {
      nodes { group { name } devices(first: 2) { nodes { serialNumber createdBy { name } } edges { cursor } } } }`;
  let group: string;

  beforeAll(async () => {
    const { client } = server.beta;
    const groupId = await fleet.group(client, 'again');
    group = nodeId('Group', groupId);
    for (let n = 0; n < NUMBERS; n += 1) {
      const id = await fleet.logicalNumber(client, `again ${n}`, { group_id: groupId });
      await fleet.device(client, `AGAIN-${n}`, { logical_number_id: id });
    }
  });

  it('are rendered in parts of 50, with what is loaded for each', async () => {
    const context = new GraphqlContext(server.beta.caller, servicesOf(server));
    const { document } = parsed(`{ ${numbers(NUMBERS)} }`);
    const { result, turns } = await turnsOf(async () => execute({ schema, document, contextValue: context }));
    context.finish();
    expect(result).toEqual({ data: (await server.beta.graphql(`{ ${numbers(NUMBERS)} }`)).body.data });
    const perNumber = ['number', 'group', 'devices', 'node', 'edge', 'user'].length;
    expect(turns).toBeGreaterThanOrEqual((perNumber * NUMBERS) / 50 - 1);
  });

  it.each([
    ['a query with an error', (first: number) => `{ ${numbers(first)} broken: group { id } }`],
    [
      'a mutation',
      (first: number) =>
        `mutation { groupUpdate(id: "${group}", input: {}) { group { ${numbers(first)} } } }`,
    ],
    [
      'a bulk mutation',
      (first: number) => {
        const rows = Array.from({ length: first }, (_, n) => `"bulk ${first} ${n}"`).join();
        return `mutation { deviceBulkCreate(serialNumbers: [${rows}]) { results { device { createdBy { name } } } } }`;
      },
    ],
  ])('take as many SQL statements for 100 as for 60 in %s', async (_what, query) => {
    const statements = async (first: number): Promise<readonly string[]> => {
      const run = await server.statements(() => server.beta.graphql(query(first)));
      expect(run.result.text).toContain('"createdBy":{"name"');
      return run.statements;
    };
    await statements(10);
    const few = await statements(60);
    const many = await statements(NUMBERS);
    expect(many.length, many.join('\n')).toBe(few.length);
  });
});
