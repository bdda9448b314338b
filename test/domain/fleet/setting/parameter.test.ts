import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';

import { effectiveParameters } from '../../../../src/domain/fleet/setting/parameter.service.js';
import type { Parameter } from '../../../../src/domain/fleet/setting/setting.model.js';
import { answered, changed, nodeId } from '../../../support/dashboard.js';
import { actionsOf, fleet, ledgerOf, rowsIn } from '../../../support/fleet.js';
import { useServer, type Fields } from '../../../support/server.js';

const server = useServer();
let group = 0;
let number = 0;
beforeAll(async () => {
  group = await fleet.group(server.acme.client, 'g');
  number = await fleet.logicalNumber(server.acme.client, '1', { group_id: group });
});

const ofGroup = () => ({ groupId: nodeId('Group', group) });
const ofNumber = () => ({ logicalNumberId: nodeId('LogicalNumber', number) });

describe('effectiveParameters', () => {
  const EFFECTIVE = `effectiveParameters { key value description source overridden { id value group { name } } }`;

  it("contain the number's own value instead of its group's, with the overridden parameter", async () => {
    const { client } = server.beta;
    await fleet.logicalNumber(client, 'e1', { group_id: await fleet.group(client, 'shared') });
    await client.post('parameters', { name: 'shared', key: 'host', value: 'a.example', description: 'd' });
    const both = await client.post('parameters', { name: 'shared', key: 'port', value: '80' });
    await client.post('parameters', { number: 'e1', key: 'port', value: '443' });
    await client.post('parameters', { number: 'e1', key: 'alone', value: 'x' });
    const port = both.record('group_parameter').id as number;
    expect(await answered(server.beta, `{ logicalNumber(number: "e1") { ${EFFECTIVE} } }`)).toEqual({
      logicalNumber: {
        effectiveParameters: [
          { key: 'alone', value: 'x', description: null, source: 'LOGICAL_NUMBER', overridden: null },
          { key: 'host', value: 'a.example', description: 'd', source: 'GROUP', overridden: null },
          {
            key: 'port',
            value: '443',
            description: null,
            source: 'LOGICAL_NUMBER',
            overridden: { id: nodeId('Parameter', port), value: '80', group: { name: 'shared' } },
          },
        ],
      },
    });
    await client.put('logical_numbers/e1', { group_id: null });
    await fleet.logicalNumber(client, 'e2', { group_id: await fleet.group(client, 'e2') });
    await client.post('parameters', { name: 'e2', key: 'k', value: 'of e2' });
    const query = '{ logicalNumbers { nodes { number effectiveParameters { key value } } } }';
    const parameters = (...pairs: [string, string][]) => pairs.map(([key, value]) => ({ key, value }));
    expect(await answered(server.beta, query)).toEqual({
      logicalNumbers: {
        nodes: [
          { number: 'e1', effectiveParameters: parameters(['alone', 'x'], ['port', '443']) },
          { number: 'e2', effectiveParameters: parameters(['k', 'of e2']) },
        ],
      },
    });
  });
});

describe('parameterBulkSet', () => {
  const BULK = `mutation ($rows: [ParameterBulkSetRow!]!, $errorPolicy: BulkErrorPolicy) {
    parameterBulkSet(rows: $rows, errorPolicy: $errorPolicy) { count
      results { index parameter { databaseId key value description group { name } logicalNumber { number } }
        userErrors { message path code } }
      userErrors { message path code } } }`;
  interface Payload extends Fields {
    readonly results:
      | readonly {
          readonly parameter: (Fields & { databaseId: number }) | null;
          readonly userErrors: readonly Fields[];
        }[]
      | null;
  }
  const set = async (rows: readonly Fields[], errorPolicy?: string): Promise<Payload> =>
    await changed<Payload>(server.acme, BULK, { rows, errorPolicy });
  const actions = (id = 0): Promise<string[]> => actionsOf(server, server.acme, 'parameter', id);

  it('creates new parameters and updates existing ones, of numbers and of groups', async () => {
    const made = await set([
      { owner: ofGroup(), key: 'host', value: 'a', description: 'first' },
      { owner: ofNumber(), key: 'host', value: 'b' },
    ]);
    expect(made).toMatchObject({
      count: 2,
      results: [
        { index: 0, parameter: { key: 'host', value: 'a', group: { name: 'g' }, logicalNumber: null } },
        { index: 1, parameter: { key: 'host', value: 'b', group: null, logicalNumber: { number: '1' } } },
      ],
      userErrors: [],
    });
    const again = await set([
      { owner: ofNumber(), key: 'host', value: 'b' },
      { owner: ofNumber(), key: 'port', value: '1' },
      { owner: ofGroup(), key: 'host', value: 'c' },
    ]);
    expect(again.results?.map(({ parameter }) => [parameter?.value, parameter?.description])).toEqual([
      ['b', null],
      ['1', null],
      ['c', 'first'],
    ]);
    const [host, own] = made.results?.map(({ parameter }) => parameter?.databaseId) ?? [];
    expect(again.results?.[2]?.parameter?.databaseId).toBe(host);
    expect(await actions(host)).toEqual(['create', 'update']);
    expect(await actions(own)).toEqual(['create']);
    const [, update] = await ledgerOf(server, server.acme, 'parameter', host ?? 0);
    expect(update).toMatchObject({
      before: { value: 'a', description: 'first', revision: 1 },
      after: { value: 'c', description: 'first', revision: 2 },
    });
    const cleared = await set([{ owner: ofGroup(), key: 'host', value: 'c', description: null }]);
    expect(cleared.results).toMatchObject([{ parameter: { value: 'c', description: null } }]);
  });

  const bad = (): Fields[] => [
    { owner: ofGroup(), key: 'sound', value: '1' },
    { owner: {}, key: 'k', value: '1' },
    { owner: { groupId: nodeId('Group', 9e6) }, key: 'k', value: '1' },
    { owner: ofGroup(), key: '', value: 'x'.repeat(64 * 1024 + 1) },
    { owner: ofGroup(), key: 'sound', value: '2' },
    { owner: ofNumber(), key: 'sound', value: '3' },
  ];
  const problems = [
    [],
    [
      {
        message: 'must be either a logical number or a group',
        path: ['rows', '1', 'owner'],
        code: 'INVALID',
      },
    ],
    [{ message: 'No such group.', path: ['rows', '2', 'owner'], code: 'NOT_FOUND' }],
    [
      { message: 'must not be empty', path: ['rows', '3', 'key'], code: 'INVALID' },
      { message: 'must have at most 65536 bytes', path: ['rows', '3', 'value'], code: 'INVALID' },
    ],
    [{ message: 'is given twice', path: ['rows', '4', 'key'], code: 'INVALID' }],
    [],
  ];

  it('sets nothing if a row is invalid, and reports the errors of each row', async () => {
    const { count, results } = await set(bad());
    expect(count).toBe(0);
    expect(results?.map(({ userErrors }) => userErrors)).toEqual(problems);
    expect(results?.every(({ parameter }) => parameter === null)).toBe(true);
    expect(await rowsIn(server, 'parameters', "key = 'sound'")).toBe(0);
  });

  it('sets the valid rows with REJECT_FAILED_ROWS', async () => {
    const { count, results } = await set(bad(), 'REJECT_FAILED_ROWS');
    expect(count).toBe(2);
    expect(results?.map(({ userErrors }) => userErrors)).toEqual(problems);
    const none = Array<undefined>(4).fill(undefined);
    expect(results?.map(({ parameter }) => parameter?.value)).toEqual(['1', ...none, '3']);
  });

  it('takes one more statement for each further 200 rows that it inserts, and refuses 1001 rows', async () => {
    const rows = (prefix: string, count: number): Fields[] =>
      Array.from({ length: count }, (_, n) => ({
        owner: n % 2 === 0 ? ofGroup() : ofNumber(),
        key: `${prefix} ${n}`,
        value: String(n),
      }));
    const statements = async (given: Fields[]): Promise<number> =>
      (await server.statements(() => set(given))).statements.length;
    const few = await statements(rows('few', 2));
    // 500 parameters of either kind of owner, and 1,000 ledger entries.
    expect(await statements(rows('many', 1000))).toBe(few + 2 + 2 + 4);
    expect(await statements(rows('many', 1000))).toBeLessThan(few);
    expect(await set(rows('more', 1001))).toEqual({
      count: null,
      results: null,
      userErrors: [{ message: 'must have at most 1000 entries', path: ['rows'], code: 'INVALID' }],
    });
  });
});

const AT = new Date('2026-11-21T00:00:00Z');

/** Parameters of one owner: each key once, in any order. */
const ownedBy = (owner: Pick<Parameter, 'groupId' | 'logicalNumberId'>): fc.Arbitrary<Parameter[]> =>
  fc.uniqueArray(
    fc.record({
      id: fc.nat(),
      key: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'A', 'á', 'ab'),
      value: fc.string(),
      description: fc.option(fc.string()),
      groupId: fc.constant(owner.groupId),
      logicalNumberId: fc.constant(owner.logicalNumberId),
      revision: fc.constant(1),
      createdBy: fc.constant(1),
      createdAt: fc.constant(AT),
      updatedAt: fc.constant(AT),
      createdVia: fc.constant('api' as const),
    }),
    { selector: ({ key }) => key },
  );

const own = ownedBy({ groupId: null, logicalNumberId: 1 });
const shared = ownedBy({ groupId: 2, logicalNumberId: null });

describe('the effective parameters of a logical number', () => {
  it('are each key of either owner once, in order', () => {
    fc.assert(
      fc.property(own, shared, (mine, inherited) => {
        const keys = [...new Set([...mine, ...inherited].map(({ key }) => key))].sort();
        expect(effectiveParameters(mine, inherited).map(({ key }) => key)).toEqual(keys);
      }),
    );
  });

  it("are the number's own where it has one, else the group's, and say which", () => {
    fc.assert(
      fc.property(own, shared, (mine, inherited) => {
        const find = (all: readonly Parameter[], key: string) => all.find((one) => one.key === key);
        for (const { key, value, description, source, overridden } of effectiveParameters(mine, inherited)) {
          const first = find(mine, key);
          const winner = first ?? find(inherited, key);
          expect({ value, description }).toEqual({ value: winner?.value, description: winner?.description });
          expect(source).toBe(first === undefined ? 'GROUP' : 'LOGICAL_NUMBER');
          expect(overridden).toBe(first === undefined ? null : (find(inherited, key) ?? null));
        }
      }),
    );
  });
});
