import { getNamedType, type GraphQLField, isInputObjectType, isObjectType } from 'graphql';
import { beforeAll, describe, expect, it } from 'vitest';

import { addUnknownTerminals } from '../../../src/domain/terminals/terminal/terminal.repository.js';
import { createRule } from '../../domain/base/alert/alerts.js';
import { answered, changed, listed, nodeId, refused } from '../../support/dashboard.js';
import { fleet, recordAll } from '../../support/fleet.js';
import { mutated } from '../../support/mutations.js';
import { newRollout, rolloutFleet } from '../../support/rollouts.js';
import { useServer } from '../../support/server.js';
import { subscribe } from '../../support/subscribe.js';
import { schema } from '../ways.js';

const COMPOSED = 'Caf\u00e9';
const DECOMPOSED = 'Cafe\u0301';

/** Columns whose texts are ASCII. */
const ASCII =
  /^(TransactionFilter\.lastDigits|CommandFilter\.action|WebhookFilter\.url|LedgerEntryFilter\.(entityType|action)|(User|Member)Filter\.email)$/;

const PAYMENT_TEXTS = [
  ...(['type', 'acquirer', 'paymentMethod', 'captureMethod', 'statusReason'] as const),
  ...(['nsu', 'authorizationCode'] as const),
];

interface TextColumn {
  readonly list: string;
  readonly filter: string;
  readonly column: string;
}

/** Each text column by which a root list is filtered. */
const columns: readonly TextColumn[] = Object.values(schema.getQueryType()?.getFields() ?? {}).flatMap(
  (field: GraphQLField<unknown, unknown>) => {
    const filter = field.args.find(({ name }) => name === 'filter')?.type;
    const type = filter === undefined ? undefined : getNamedType(filter);
    const shown = getNamedType(field.type);
    if (!isInputObjectType(type) || !isObjectType(shown) || !('totalCount' in shown.getFields())) return [];
    return Object.values(type.getFields())
      .filter((own) => getNamedType(own.type).name === 'TextComparator')
      .map(({ name: column }) => ({ list: field.name, filter: type.name, column }))
      .filter((own) => !ASCII.test(`${own.filter}.${own.column}`));
  },
);

const server = useServer();
beforeAll(async () => {
  const { acme } = server;
  const { client } = acme;
  const group = await fleet.group(client, COMPOSED);
  const number = await fleet.logicalNumber(client, COMPOSED, { group_id: group });
  const device = await fleet.device(client, COMPOSED, { logical_number_id: number });
  const tags = [COMPOSED];
  await mutated(acme, 'deviceUpdate', { id: nodeId('Device', device), input: { tags } });
  const input = { tags, merchantName: COMPOSED };
  await mutated(acme, 'logicalNumberUpdate', { id: nodeId('LogicalNumber', number), input });
  for (const path of ['parameters', 'metacontents']) {
    await client.post(path, { number: COMPOSED, key: COMPOSED, value: 'v' });
  }
  const app = await fleet.app(client, COMPOSED, { language: 'ruby' });
  await client.post(`apps/${app}/versions`, { number: COMPOSED });
  await fleet.file(client, COMPOSED);
  await changed(
    acme,
    'mutation ($name: String!) { memberAdd(input: { email: "composed@acme.example", name: $name, role: VIEWER }) { user { id } } }',
    { name: COMPOSED },
  );
  const { userErrors } = await changed(
    await server.member('acme', 'admin'),
    'mutation ($name: String!) { deviceReport(serialNumber: $name, input: { frameworkVersion: $name, meta: { model: $name, sim_card_id: $name } }) { userErrors { message } } }',
    { name: COMPOSED },
  );
  expect(userErrors).toEqual([]);
  await server.app.units.write(acme.caller, async (work) => {
    await addUnknownTerminals(work, [
      { firstSeenAt: work.now, lastSeenAt: work.now, count: 1, serialNumber: COMPOSED },
    ]);
    await recordAll(work, [
      {
        transactionType: 'switch',
        serialNumber: COMPOSED,
        logicalNumber: COMPOSED,
        appName: COMPOSED,
        status: 'success',
        startedAt: work.now,
        finishedAt: work.now,
        reference: COMPOSED,
        parsed: {
          ...Object.fromEntries(PAYMENT_TEXTS.map((name) => [name, COMPOSED])),
          status: 'approved',
          amount: 1,
          card: { brand: COMPOSED },
        },
      },
    ]);
  });
  await createRule(acme, {
    name: COMPOSED,
    on: { silent: { percent: 1, silentFor: '1d' } },
    repeatAfter: '1d',
  });
  await newRollout(acme, (await rolloutFleet(server, acme, 1)).input({ name: COMPOSED, waves: [{}] }));
  const target = { logicalNumbers: [COMPOSED] };
  await mutated(acme, 'notificationSend', { input: { content: COMPOSED, target } });
  // Its content begins with an action.
  await server.place.sql('update notifications set content = $1', [COMPOSED]);
  await server.place.sql('update transactions set number_at_start = $1', [COMPOSED]);
});

describe('RU-10: a text filter compares in NFC', () => {
  it('is tried for every text column of every list', () => {
    expect(columns.length).toBeGreaterThan(12);
  });

  it.each(columns)('$list by $column', async ({ list, filter, column }) => {
    const query = `query ($filter: ${filter}) { ${list}(filter: $filter) { totalCount nodes { __typename } } }`;
    for (const comparator of [
      { eq: DECOMPOSED },
      { in: ['other', DECOMPOSED] },
      { startsWith: DECOMPOSED },
      { contains: DECOMPOSED.slice(1) },
      { eq: DECOMPOSED.toUpperCase(), ignoreCase: true },
      { startsWith: 'cA', ignoreCase: true },
      { contains: 'F\u00c9', ignoreCase: true },
    ]) {
      const data = await answered(server.acme, query, { filter: { [column]: comparator } });
      expect(data[list], JSON.stringify(comparator)).toMatchObject({ totalCount: 1 });
    }
  });

  it('in nested lists, summaries and look-ups, as a literal too', async () => {
    const eq = `{ eq: "${DECOMPOSED}" }`;
    expect(
      await answered(
        server.acme,
        `{ group(name: "${DECOMPOSED}") { logicalNumbers(filter: { not: { number: { in: ["x"] } }, number: ${eq} }) { totalCount } }
          app(name: "${DECOMPOSED}") { name } device(serialNumber: "${DECOMPOSED}") { serialNumber }
          logicalNumber(number: "${DECOMPOSED}") { number }
          transactionSummary(filter: { appName: ${eq} }, bucket: NONE, by: [STATUS]) { count } }`,
      ),
    ).toEqual({
      group: { logicalNumbers: { totalCount: 1 } },
      app: { name: COMPOSED },
      device: { serialNumber: COMPOSED },
      logicalNumber: { number: COMPOSED },
      transactionSummary: [{ count: 1 }],
    });
  });

  it('in subscriptions', async () => {
    const watched = subscribe<{ transactionRecorded: { sequence: number } }>(
      server,
      server.acme,
      `subscription { transactionRecorded(after: 0, filter: { appName: { eq: "${DECOMPOSED}" } }) { sequence } }`,
    );
    expect(await watched.until(1)).toHaveLength(1);
    watched.stop();
  });
});

describe('a filter that ignores the case of letters', () => {
  const names = [
    'S\u00e3o Jos\u00e9',
    'S\u00c3O JOS\u00c9',
    'sao jose',
    'a*b?[c]',
    'A.b^(c)\\|$',
    'a-b',
    '\u03c3\u03c2',
    'stra\u00dfe',
  ];
  beforeAll(async () => {
    for (const name of names) await fleet.group(server.beta.client, name);
  });

  it.each<[Record<string, unknown>, readonly number[]]>([
    [{ eq: 's\u00e3o jos\u00e9' }, [0, 1]],
    [{ eq: 's\u00e3o jos' }, []],
    [{ startsWith: 'sA' }, [2]],
    [{ contains: '\u00c3O j' }, [0, 1]],
    [{ eq: 'A*B?[C]' }, [3]],
    [{ startsWith: 'a?' }, []],
    [{ contains: '[' }, [3]],
    [{ contains: '.B^(C)\\|$' }, [4]],
    [{ startsWith: 'A', contains: 'B' }, [3, 4, 5]],
    [{ eq: '\u03a3\u03a3' }, [6]],
    [{ eq: 'STRA\u1e9eE' }, [7]],
    [{ eq: 'A-B\0' }, []],
    [{ startsWith: '' }, [0, 1, 2, 3, 4, 5, 6, 7]],
  ])('%j', async (comparator, found) => {
    const filter = { name: { ...comparator, ignoreCase: true } };
    const shown = await listed(server.beta, 'Group', 'name', { filter, orderBy: { field: 'ID' } });
    expect(shown).toEqual(found.map((index) => names[index]));
  });

  it('refuses lists of values and long texts, and is no condition alone', async () => {
    const query = 'query ($name: TextComparator) { groups(filter: { name: $name }) { totalCount } }';
    const error = async (given: object) =>
      (await refused(server.beta, query, { name: { ...given, ignoreCase: true } })).message;
    expect(await error({ in: ['a'] })).toBe(
      'name.in does not take ignoreCase. Join several eq with `or` instead.',
    );
    expect(await error({ eq: 'a'.repeat(256) })).toMatch(
      'name.eq with ignoreCase takes at most 255 characters, not 256.',
    );
    const total = async (name: object) => await answered(server.beta, query, { name });
    expect(await total({ ignoreCase: true })).toEqual({ groups: { totalCount: names.length } });
    expect(await total({ eq: 'SAO JOSE', ignoreCase: false })).toEqual({ groups: { totalCount: 0 } });
  });
});

interface Numbers {
  readonly logicalNumbers: {
    readonly nodes: readonly { readonly number: string }[];
    readonly pageInfo: Readonly<Record<string, string | null>>;
  };
}

describe('a filter by a prefix', () => {
  const numbers = ['p', 'p 1', 'p 2', 'p 20', 'p\u{1f600}', 'p\u00e9'];
  beforeAll(async () => {
    for (const number of [...numbers, 'o', 'q']) await fleet.logicalNumber(server.beta.client, number);
  });

  it.each([
    ['ASC', 'first', 'after', 'endCursor'],
    ['DESC', 'first', 'after', 'endCursor'],
    ['ASC', 'last', 'before', 'startCursor'],
    ['DESC', 'last', 'before', 'startCursor'],
  ] as const)('has all its records in pages: %s, %s', async (direction, size, from, cursor) => {
    const query = `query ($from: String) { logicalNumbers(${size}: 2, ${from}: $from, filter: { number: { startsWith: "p" } },
      orderBy: { field: NUMBER, direction: ${direction} }) { nodes { number } pageInfo { ${cursor} } } }`;
    const found: string[] = [];
    const read = async (at: string | null): Promise<void> => {
      const { logicalNumbers } = await answered<Numbers>(server.beta, query, { from: at });
      const { nodes, pageInfo } = logicalNumbers;
      found.splice(size === 'first' ? found.length : 0, 0, ...nodes.map(({ number }) => number));
      if (nodes.length > 0) await read(pageInfo[cursor] ?? null);
    };
    await read(null);
    const ascending = numbers.toSorted((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)));
    expect(found).toEqual(direction === 'ASC' ? ascending : ascending.toReversed());
  });
});
