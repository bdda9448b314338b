import { getNamedType, isInputObjectType } from 'graphql';
import type { GraphQLField, GraphQLInputObjectType, GraphQLInputType } from 'graphql';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { answered, changed, nodeId, type UserErrorShape } from '../../support/dashboard.js';
import { fleet, rowsIn } from '../../support/fleet.js';
import { useServer, type Fields } from '../../support/server.js';
import { responseIn, TRANSPORTS } from '../../support/transports.js';
import { comparisonsOf, schema } from '../ways.js';

/** A mutation with a filter in its target. */
interface Tried {
  /** Arguments besides the target. */
  readonly args: () => string;
  /** The field that names a record, in filters and in `examples`. */
  readonly named: string;
  /** A condition on an id, and the id that all records have. */
  readonly ofGroup: readonly [column: string, id: () => string];
  readonly records: string;
  /** Number of records that the mutation has not changed yet. */
  readonly had: () => Promise<number>;
}

const TRIED: Readonly<Record<string, Tried>> = {
  appVersionGrant: {
    args: () => `appVersionIds: ["${nodeId('AppVersion', version)}"], mode: REMOVE`,
    named: 'number',
    ofGroup: ['groupId', () => nodeId('Group', group)],
    records: 'logical numbers',
    had: () => rowsIn(server, 'logical_number_app_versions', `app_version_id = ${version}`),
  },
  commandSend: {
    args: () => 'input: { action: "APP_UPDATE" }',
    named: 'serialNumber',
    ofGroup: ['group', () => nodeId('Group', group)],
    records: 'devices',
    had: async () =>
      (await rowsIn(server, 'devices')) -
      (await rowsIn(server, 'notification_deliveries', "state = 'queued'")),
  },
  deviceBulkChange: {
    args: () => 'change: { enabled: false }',
    named: 'serialNumber',
    ofGroup: ['group', () => nodeId('Group', group)],
    records: 'devices',
    had: () => rowsIn(server, 'devices', 'enabled'),
  },
  logicalNumberBulkChange: {
    args: () => 'change: { groupId: null, force: true }',
    named: 'number',
    ofGroup: ['groupId', () => nodeId('Group', group)],
    records: 'logical numbers',
    had: () => rowsIn(server, 'logical_numbers', `group_id = ${group}`),
  },
  rolloutCreate: {
    args: () => `input: { name: "all", appVersionIds: ["${nodeId('AppVersion', version)}"], waves: [{}] }`,
    named: 'number',
    ofGroup: ['groupId', () => nodeId('Group', group)],
    records: 'logical numbers',
    had: () =>
      rowsIn(
        server,
        'logical_numbers',
        `group_id = ${group} and id not in (select logical_number_id from rollout_terminals)`,
      ),
  },
};

const inputOf = (type: GraphQLInputType): GraphQLInputObjectType | undefined => {
  const named = getNamedType(type);
  return isInputObjectType(named) ? named : undefined;
};

const mutations = Object.values(schema.getMutationType()?.getFields() ?? {});

/** The input type of the target, which is an argument or in the argument `input`. */
function targetOf({ args }: GraphQLField<unknown, unknown>): GraphQLInputObjectType | undefined {
  const inputs = args.flatMap(({ name, type }): (readonly [string, GraphQLInputType])[] => [
    [name, type],
    ...Object.values(inputOf(type)?.getFields() ?? {}).map((field) => [field.name, field.type] as const),
  ]);
  const target = inputs.find(([name]) => name === 'target' || name === 'filter');
  return target === undefined ? undefined : inputOf(target[1]);
}

const withTarget = mutations.filter((field) => targetOf(field) !== undefined);
const withFilter = withTarget.flatMap((field) => {
  const filter = targetOf(field)?.getFields().filter;
  const type = filter === undefined ? undefined : inputOf(filter.type);
  return type === undefined ? [] : [{ name: field.name, type }];
});

const server = useServer();
let version = 0;
let group = 0;
beforeAll(async () => {
  const { client } = server.acme;
  group = await fleet.group(client, 'all');
  version = (await fleet.appVersions(client, 1, [group]))[0] ?? 0;
});

interface Payload {
  readonly count: number | null;
  readonly examples: readonly Fields[] | null;
  readonly userErrors: readonly UserErrorShape[];
}

describe('RU-50: every mutation with a target', () => {
  it.each(withTarget)('$name has dryRun, expectCount, count and examples', ({ args, type }) => {
    expect(args.map(({ name }) => name)).toEqual(expect.arrayContaining(['dryRun', 'expectCount']));
    const payload = getNamedType(type);
    expect('getFields' in payload && Object.keys(payload.getFields())).toEqual(
      expect.arrayContaining(['count', 'examples', 'userErrors']),
    );
  });

  it('is tried', () => {
    expect(withTarget.map(({ name }) => name).sort()).toEqual([
      'appVersionGrant',
      'commandSend',
      'deviceBulkChange',
      'logicalNumberBulkChange',
      'notificationSend',
      'rolloutCreate',
    ]);
    // A notification has its target in its input: test/domain/fleet/device/number-target.graphql.test.ts.
    const tried = [...Object.keys(TRIED), 'notificationSend'].sort();
    expect(withFilter.map(({ name }) => name).sort()).toEqual(tried);
  });
});

/** Ordered by name, so that changes of logical numbers come last: they take them out of the group. */
const given = withFilter
  .flatMap(({ name, type }) => {
    const tried = TRIED[name];
    return tried === undefined ? [] : [{ name, type, tried }];
  })
  .sort((one, other) => one.name.localeCompare(other.name));

describe.each(given)('RU-50: the filter of $name', ({ name, type, tried }) => {
  const { named, had, records } = tried;
  const [groupColumn, groupId] = tried.ofGroup;
  beforeAll(async () => {
    const { client } = server.acme;
    const more = { group_id: group, app_version_ids: [version] };
    for (const number of [`${name} 1`, `${name} 2`, `${name} 3`]) {
      const id = await fleet.logicalNumber(client, number, more);
      await fleet.device(client, number, { logical_number_id: id });
    }
  });
  let before = 0;
  beforeEach(async () => {
    before = await had();
    expect(before).toBeGreaterThan(2);
  });

  const selected = (filter: string, more = ''): string =>
    `${name}(${tried.args()}, target: { filter: ${filter} }${more}) {
      count examples { ${named} } userErrors { message path code } }`;
  const mutation = (variables: string, filter: string, more = ''): string =>
    `mutation ${variables} { ${selected(filter, more)} }`;
  const run = (query: string, variables: Fields = {}): Promise<Payload> =>
    changed<Payload>(server.acme, query, variables);
  const outcomeOf = ({ count, userErrors }: Payload) => ({
    count,
    userErrors: userErrors.map((error) => [error.path, error.code]),
  });
  const refusalAt = (path: readonly string[]) => ({
    count: null,
    userErrors: [[['target', 'filter', ...path], 'INVALID']],
  });
  const expectRefused = async (payload: Payload, ...path: string[]): Promise<void> => {
    expect(outcomeOf(payload)).toEqual(refusalAt(path));
    expect(await had()).toBe(before);
  };

  it('refuses a comparison without a value, and null', async () => {
    const full = '{ createdAt: { gte: "2000-01-01T00:00:00Z" } }';
    for (const [column, comparisons] of Map.groupBy(comparisonsOf(type), ([of]) => of)) {
      const plain = comparisons.map(([, operator], n) => ({
        filter: `{ ${column}: { ${operator}: $v${n} } }`,
        path: [column, operator],
      }));
      // One comparison of each column is nested.
      const nested = plain.slice(0, 1).flatMap(({ filter, path }) => [
        { filter: `{ and: [${full}, ${filter}] }`, path: ['and', '1', ...path] },
        { filter: `{ or: [${filter}, ${full}] }`, path: ['or', '0', ...path] },
        { filter: `{ not: ${filter} }`, path: ['not', ...path] },
      ]);
      const all = [...plain, ...nested];
      const fields = all.map(({ filter }, n) => `a${n}: ${selected(filter)}`);
      const variables = comparisons.map(([, , value], n) => `$v${n}: ${value}`);
      const query = `mutation (${variables.join()}) { ${fields.join(' ')} }`;
      const nulls = Object.fromEntries(comparisons.map((_comparison, n) => [`v${n}`, null]));
      for (const values of [{}, nulls]) {
        const payloads = await answered<Readonly<Record<string, Payload>>>(server.acme, query, values);
        expect(Object.values(payloads).map(outcomeOf)).toEqual(all.map(({ path }) => refusalAt(path)));
        expect(await had()).toBe(before);
      }
    }
  });

  it('refuses a filter, or a part of it, in which nothing is left', async () => {
    const query = mutation(`($filter: ${type.name}!)`, '$filter');
    const [[column, operator] = ['', '']] = comparisonsOf(type);
    for (const [filter, path] of [
      [{}, []],
      [{ and: [] }, ['and']],
      [{ or: [{}] }, ['or', '0']],
      [{ not: {} }, ['not']],
      [{ and: null }, ['and']],
      [{ [column]: null }, [column]],
      [{ [column]: {} }, [column]],
      [{ [column]: { [operator]: null } }, [column, operator]],
      [{ not: { [column]: { in: [] } } }, ['not', column, 'in']],
      [{ [named]: { ignoreCase: true } }, [named]],
      [{ [named]: { contains: '' } }, [named, 'contains']],
      [{ [named]: { startsWith: '' } }, [named, 'startsWith']],
    ] as const) {
      await expectRefused(await run(query, { filter }), ...path);
    }
    const comparator = String(type.getFields()[column]?.type);
    await expectRefused(await run(mutation(`($part: ${comparator})`, `{ ${column}: $part }`)), column);
  });

  it('takes no filter for no target', async () => {
    const { count, userErrors } = await run(mutation(`($filter: ${type.name})`, '$filter'));
    expect([count, userErrors.map(({ path, code }) => [path, code])]).toEqual([
      null,
      [[['target'], 'INVALID']],
    ]);
    expect(await had()).toBe(before);
  });

  it('refuses it over every transport, and with an Idempotency-Key', async () => {
    const query = mutation('($value: ID)', `{ ${groupColumn}: { eq: $value } }`);
    const { body } = await server.acme.graphql(query, {}, { headers: { 'idempotency-key': 'refused' } });
    await expectRefused(body.data[name] as Payload, groupColumn, 'eq');
    for (const send of Object.values(TRANSPORTS)) {
      const { data } = responseIn(await send(server, server.acme, query)) as { data: Fields };
      await expectRefused(data[name] as Payload, groupColumn, 'eq');
    }
  });

  it('changes nothing with dryRun or another count, and everything with all: true only', async () => {
    const filter = `{ ${groupColumn}: { eq: "${groupId()}" } }`;
    const numbers = Array.from({ length: before }, () => ({ [named]: expect.any(String) as string }));
    const dry = await run(mutation('', filter, ', dryRun: true'));
    expect(dry).toEqual({ count: before, examples: numbers, userErrors: [] });
    expect(await had()).toBe(before);
    const { count, userErrors } = await run(mutation('', filter, `, expectCount: ${before + 1}`));
    expect([count, userErrors]).toMatchObject([null, [{ path: ['expectCount'], code: 'INVALID' }]]);
    expect(userErrors[0]?.message).toContain(`affects ${before} ${records}`);
    expect(await had()).toBe(before);
    const all = mutation('', '{}', `, expectCount: ${before}`).replace('{ filter: {} }', '{ all: true }');
    expect(await run(all)).toEqual({ count: before, examples: null, userErrors: [] });
    await server.app.steps.idle();
    expect(await had()).toBe(0);
  });
});
