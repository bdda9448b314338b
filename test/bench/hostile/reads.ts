import type { BenchSizes } from '../data.js';
import type { LargeData } from './large.js';
import { aliased, globalId, texts, unique, type Operation, type Requests } from './requests.js';

/** Most comparisons of a filter, and most aliases of a document. */
const COMPARISONS = 100;
const ALIASES = 30;

/** A filter that no index answers, with texts that occur nowhere; `n` makes each one new. */
const nowhere = (field: string, n: number, comparisons: number): string =>
  `{ or: [${texts(comparisons, (k) => `{ ${field}: { contains: "z${n}.${k}" } }`).join()}] }`;

type Query = (n: number, size: number) => string;

/** Makes operations of GraphQL by their queries. */
const readsOf =
  ({ operation }: Requests) =>
  (name: string, query: Query, { connections = 4, most = ALIASES } = {}): Operation => ({
    ...{ name: `GraphQL: ${name}`, connections, most },
    request: (n, size) => operation(query(n, size)),
  });

/** Filters, summaries, nested lists and deep pages. */
export const reads = (requests: Requests, data: LargeData): Operation[] => [
  ...filters(requests),
  ...filtersOfChildren(requests),
  ...summaries(requests),
  ...lists(requests, data.sizes),
  ...restLists(requests, data),
];

/** In these, the size is the number of comparisons, or of fields in one request. */
function filters(requests: Requests): Operation[] {
  const read = readsOf(requests);
  return [
    read(
      'filter of transactions that matches nothing',
      (n, size) => `{ transactions(first: 100, filter: ${nowhere('appName', n, size)}) { nodes { id } } }`,
      { connections: 8, most: COMPARISONS - 1 },
    ),
    read(
      'count of transactions by a filter',
      (n, size) => `{ transactions(first: 0, filter: ${nowhere('serialNumber', n, size)}) { totalCount } }`,
      { connections: 8, most: COMPARISONS - 1 },
    ),
    read('counts of transactions in one request', (n, size) =>
      aliased(
        size,
        (k) => `transactions(first: 0, filter: ${nowhere('logicalNumber', n * size + k, 1)}) { totalCount }`,
      ),
    ),
    read(
      'page and count of transactions by time and text',
      (n, size) =>
        `{ transactions(first: 100, orderBy: { field: STARTED_AT, direction: DESC }, filter: { startedAt: { gte: "2000-01-01T00:00:00Z" }, ${nowhere('serialNumber', n, size).slice(2)}) { totalCount nodes { id sent received } } }`,
      { most: COMPARISONS - 2 },
    ),
    read(
      'filter of devices that matches nothing',
      (n, size) => `{ devices(first: 100, filter: ${nowhere('serialNumber', n, size)}) { nodes { id } } }`,
      { most: COMPARISONS - 1 },
    ),
    read('page and count of devices, repeated in one request', (n, size) =>
      aliased(
        size,
        (k) =>
          `devices(first: 10, filter: ${nowhere('frameworkVersion', n * size + k, 1)}) { totalCount nodes { id } }`,
      ),
    ),
    read(
      'ledger by a text',
      (n, size) =>
        `{ ledger(first: 100, filter: ${nowhere('action', n, size)}) { totalCount nodes { id before after } } }`,
      { most: COMPARISONS - 1 },
    ),
  ];
}

/** The size is the number of comparisons. */
function filtersOfChildren(requests: Requests): Operation[] {
  const { operation } = requests;
  const read = readsOf(requests);
  const children = (name: string, query: (filter: (field: string) => string) => string): Operation =>
    read(name, (n, size) => query((field) => nowhere(field, n, size)), { most: COMPARISONS - 1 });
  return [
    children(
      'filter of numbers below 50 groups',
      (filter) =>
        `{ groups(first: 50) { nodes { logicalNumbers(first: 50, filter: ${filter('number')}) { totalCount nodes { id } } } } }`,
    ),
    children(
      'filter of transactions below 100 devices',
      (filter) =>
        `{ devices(first: 100) { nodes { transactions(first: 90, filter: ${filter('appName')}) { totalCount nodes { id } } } } }`,
    ),
    children(
      'filter of numbers below 100 versions',
      (filter) =>
        `{ appVersions(first: 100) { nodes { logicalNumbers(first: 50, filter: ${filter('number')}) { totalCount nodes { id } } } } }`,
    ),
    {
      name: 'GraphQL: search in the result of a mutation with an Idempotency-Key',
      connections: 4,
      most: COMPARISONS - 1,
      request: (n, size) => {
        const request = operation(
          `mutation ($id: ID!) { groupUpdate(id: $id, input: {}) { userErrors { code } group {
            logicalNumbers(first: 50, filter: ${nowhere('number', n, size)}) { nodes { id } } } } }`,
          { id: globalId('Group', 2) },
        );
        const key = { 'idempotency-key': `${unique}${size}.${n}` };
        return { ...request, headers: { ...request.headers, ...key } };
      },
    },
  ];
}

/** The size is the number of summaries in one request. */
function summaries(requests: Requests): Operation[] {
  const read = readsOf(requests);
  const summary = (
    name: string,
    bucket: string,
    by: string,
    filter = (_n: number): string => '',
  ): Operation =>
    read(`summary ${name}`, (n, size) =>
      aliased(
        size,
        (k) =>
          `transactionSummary(bucket: ${bucket}, by: [${by}]${filter(n * size + k)}) { bucketStart count amountTotal netAmount }`,
      ),
    );
  return [
    summary('by day, status, type and application', 'DAY', 'STATUS, TRANSACTION_TYPE, APP_NAME'),
    summary('by hour', 'HOUR', ''),
    summary(
      'by logical number',
      'NONE',
      'LOGICAL_NUMBER',
      () => ', filter: { logicalNumber: { startsWith: "1000" } }',
    ),
    summary('by group and day', 'DAY', 'GROUP'),
    summary('by brand and group', 'DAY', 'BRAND, GROUP'),
    summary('by brand and day of a zone', 'DAY', 'BRAND', () => ', timeZone: "Asia/Kathmandu"'),
    summary(
      'of the transactions of a filter',
      'NONE',
      'STATUS',
      (n) => `, filter: { serialNumber: { contains: "zz${n}" } }`,
    ),
    read(
      'device summary',
      (_n, size) =>
        aliased(
          size,
          () =>
            'deviceSummary { total neverSeen byModel { value count } byFrameworkVersion { value count } }',
        ),
      { connections: 8 },
    ),
  ];
}

/** The size is the size of a page. */
function lists(requests: Requests, { transactions }: BenchSizes): Operation[] {
  const { operation } = requests;
  const read = readsOf(requests);
  const middle = Buffer.from(JSON.stringify(['ID', transactions / 2, transactions / 2]));
  return [
    read(
      'nested lists',
      (_n, size) =>
        `{ groups(first: 10) { nodes { name logicalNumbers(first: ${size}) { totalCount nodes { number
            appVersions(first: 5) { nodes { number app { name } } } } } } } }`,
      { most: 100 },
    ),
    read('pages of 100 transactions with everything, repeated in one request', (_n, size) =>
      aliased(
        size,
        (k) =>
          `transactions(${k % 2 === 0 ? 'first' : 'last'}: ${85 + (k >> 1)}) { nodes { id sent received detail parsed { amount nsu metadata card { brand } } device { serialNumber } } }`,
      ),
    ),
    {
      name: 'GraphQL: page after a cursor in the middle',
      connections: 8,
      request: () =>
        operation(
          'query ($after: String) { transactions(first: 100, after: $after, orderBy: { field: ID, direction: ASC }) { totalCount nodes { id parsed { amount } sent received } } }',
          { after: middle.toString('base64url') },
        ),
    },
  ];
}

function restLists({ rest }: Requests, { sizes }: LargeData): Operation[] {
  const get = (name: string, path: string, connections = 8): Operation => ({
    name: `REST: ${name}`,
    connections,
    request: () => rest('GET', path),
  });
  return [
    get('last page of devices', `devices?per_page=100&page=${sizes.devices / 100}`),
    get('last page of logical numbers', `logical_numbers?per_page=100&page=${sizes.devices / 100}`),
    get('deep page of transactions', `transactions?per_page=100&page=${sizes.transactions / 200}`),
    get(
      'transactions of a status, from a day on, deep page',
      `transactions?status=fail&since=2020-01-01&per_page=100&page=${Math.round(sizes.transactions / 2_500)}`,
    ),
    {
      name: 'REST: transactions of a serial number and application',
      connections: 8,
      request: (n) =>
        rest(
          'GET',
          `transactions?serial_number=IM5${String(n).padStart(8, '0')}&app_name=app1.rb&status=success&per_page=100`,
        ),
    },
    get(
      'transactions of an application, last page',
      `transactions?app_name=app1.rb&per_page=100&page=${Math.round(sizes.transactions / 1_250)}`,
    ),
    get('list of groups', 'groups?per_page=100'),
  ];
}
