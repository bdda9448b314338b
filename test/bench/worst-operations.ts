import { serialOf, WIDE, type BenchData } from './data.js';
import { graphql, rest, upload, type Request } from './requests.js';

/** Something expensive, about as large as the limits allow. */
export interface Operation {
  readonly name: string;
  /** The n-th request of all connections together, from 0. */
  readonly request: (n: number) => Request;
  /** Connections that repeat it at the same time. */
  readonly connections: number;
  /** Requests of each connection in a turn, for what stores or deletes much; others repeat until the turn is over. */
  readonly times: number;
}

/** Comparisons of a filter, of which a query may add two, and fields of one request. */
const [COMPARISONS, FIELDS, SUMMARIES] = [98, 30, 10];
/** Most numbers that a grant can name. */
const NAMED = 10_000;
const FILE = Buffer.alloc(31 * 1024 * 1024, 'firmware ');
/** New in each run: names must not be taken yet. */
const unique = `${Date.now().toString(36)}-`;

const list = <T>(count: number, of: (n: number) => T): T[] => Array.from({ length: count }, (_, n) => of(n));

/** Filter that no index answers, with texts that occur nowhere; `n` makes each one new. */
const nowhere = (field: string, n: number, comparisons = COMPARISONS): string =>
  `{ or: [${list(comparisons, (k) => `{ ${field}: { contains: "z${n}.${k}" } }`).join()}] }`;

const SEARCHES: Readonly<Record<string, (n: number) => string>> = {
  'filter of transactions that matches nothing': (n) =>
    `{ transactions(first: 100, filter: ${nowhere('appName', n)}) { nodes { id } } }`,
  'page and count of transactions by time and text': (n) =>
    `{ transactions(first: 100, orderBy: { field: STARTED_AT, direction: DESC },
      filter: { startedAt: { gte: "2000-01-01T00:00:00Z" }, ${nowhere('serialNumber', n).slice(2)}) {
      totalCount nodes { id sent received } } }`,
  'ledger by a text': (n) =>
    `{ ledger(first: 100, filter: ${nowhere('action', n)}) { totalCount nodes { id before after } } }`,
  'filter of transactions below 100 devices': (n) =>
    `{ devices(first: 100) { nodes {
      transactions(first: 90, filter: ${nowhere('appName', n)}) { totalCount nodes { id } } } } }`,
};

/** Fields that are repeated in one request. */
const REPEATED: Readonly<Record<string, (n: number) => string>> = {
  'page and count of devices': (n) =>
    `devices(first: 10, filter: ${nowhere('frameworkVersion', n, 1)}) { totalCount nodes { id } }`,
  'pages of transactions with everything': (n) =>
    `transactions(${n % 2 === 0 ? 'first' : 'last'}: ${85 + (n % 15)}) { nodes { id sent received detail
      parsed { amount nsu metadata card { brand } } device { serialNumber } } }`,
  'summary by day, status, type and application': () =>
    summary('DAY', 'STATUS, TRANSACTION_TYPE, APP_NAME', ''),
  'summary by brand and day of a zone': () => summary('DAY', 'BRAND', ', timeZone: "Asia/Kathmandu"'),
  'summary of a filter': (n) =>
    summary('NONE', 'STATUS', `, filter: { serialNumber: { contains: "zz${n}" } }`),
  'device summary': () => 'deviceSummary { total neverSeen byModel { value count } }',
};

const summary = (bucket: string, by: string, more: string): string =>
  `transactionSummary(bucket: ${bucket}, by: [${by}]${more}) { bucketStart count amountTotal netAmount }`;

const DEVICES = `mutation ($s: [String!]!) {
  deviceBulkCreate(serialNumbers: $s) { count results { userErrors { code } } userErrors { code } } }`;
const PAYMENTS = `mutation ($inputs: [TransactionInput!]!) {
  transactionBulkRecord(inputs: $inputs) { results { userErrors { code } } userErrors { code } } }`;
const GRANT = `mutation ($numbers: [String!]!, $ids: [ID!]!) {
  appVersionGrant(appVersionIds: $ids, target: { logicalNumbers: $numbers }) { userErrors { code } } }`;
const CONTENT = `{ files(last: 1, orderBy: { field: ID, direction: ASC }) { nodes { size content } } }`;

function payment(reference: string): object {
  const now = new Date().toISOString();
  const field = '0200 7020048020C0020016 nsu=123456789012 terminal 7700001 merchant 000000012345678 ';
  return {
    reference,
    transactionType: 'SWITCH',
    serialNumber: serialOf(1),
    logicalNumber: '100001',
    appName: 'app1.rb',
    status: 'SUCCESS',
    startedAt: now,
    finishedAt: now,
    sent: field.repeat(4),
    received: field.repeat(4),
  };
}

const operation = (
  name: string,
  connections: number,
  request: (n: number) => Request,
  times = Infinity,
): Operation => ({ name, request, connections, times });

function reads({ token, sizes: { devices, transactions } }: BenchData): readonly Operation[] {
  const get = (name: string, path: (n: number) => string): Operation =>
    operation(name, 8, (n) => rest(token, 'GET', path(n)));
  return [
    get('last page of devices', () => `devices?per_page=100&page=${devices / 100}`),
    get('deep page of transactions', () => `transactions?per_page=100&page=${transactions / 200}`),
    get(
      'transactions of a serial number and application',
      (n) => `transactions?serial_number=${serialOf(n)}&app_name=app1.rb&status=success&per_page=100`,
    ),
    operation('content of a file', 4, () => graphql(token, CONTENT)),
    operation('wrong passwords', 8, wrongPassword),
    operation('refusals of 300,000 networks', 8, fromNetwork),
  ];
}

function changes({ token, sizes: { wide } }: BenchData): readonly Operation[] {
  const numbers = list(Math.min(NAMED, wide), (n) => String(100_000 + n));
  const ids = [Buffer.from(`AppVersion:${WIDE.versions.changed}`).toString('base64url')];
  const notification = { content: 'SHOW_MESSAGE|x', range: 'group', group_id: WIDE.group };
  const groupIds = (n: number) => ({ group_ids: n % 2 === 0 ? [] : [WIDE.group] });
  return [
    operation('1,000 devices created', 2, (n) =>
      graphql(token, DEVICES, { s: list(1_000, (k) => `${unique}${n}-${k}`) }),
    ),
    operation('1,000 payments recorded', 2, (n) =>
      graphql(token, PAYMENTS, { inputs: list(1_000, (k) => payment(`${unique}${n}.${k}`)) }),
    ),
    operation('notification to a wide group', 1, () => rest(token, 'POST', 'notifications', notification), 1),
    operation(
      'version without its wide group, and with it',
      1,
      (n) => rest(token, 'PUT', `apps/1/versions/${WIDE.versions.changed}`, groupIds(n)),
      2,
    ),
    operation('grant to 10,000 named numbers', 1, () => graphql(token, GRANT, { numbers, ids }), 1),
    operation(
      'deletion of a group with 4,800 settings',
      1,
      () => rest(token, 'DELETE', `groups/${WIDE.groupWithSettings}`),
      1,
    ),
    operation('uploads of 31 MiB', 4, (n) => upload(token, `${unique}${n}.bin`, FILE), 1),
  ];
}

const wrongPassword = (n: number): Request => ({
  method: 'POST',
  path: '/v1/users/token',
  headers: { 'content-type': 'application/json', 'x-forwarded-for': `198.51.${(n >> 8) & 255}.${n & 255}` },
  body: JSON.stringify({ email: `nobody${n}@bench.example`, password: 'a wrong password' }),
});

const hex = (n: number): string => n.toString(16);

/** 16 networks in each /48, so that no limit of a wider network refuses them. */
function fromNetwork(n: number): Request {
  const address = `2001:${hex(0xd00 + ((n % 300_000) >> 18))}:${hex((n >> 4) & 0xffff)}:${hex(n & 15)}::1`;
  const headers = { 'x-forwarded-for': address, authorization: 'Bearer none' };
  return { method: 'GET', path: '/v1/devices', headers };
}

/** The worst operations. A new one is an entry above. */
export function operationsOf(data: BenchData): readonly Operation[] {
  const query = (name: string, text: (n: number) => string): Operation =>
    operation(name, 4, (n) => graphql(data.token, text(n)));
  return [
    ...Object.entries(SEARCHES).map(([name, text]) => query(name, text)),
    ...Object.entries(REPEATED).map(([name, field]) => {
      const count = name.startsWith('summary') ? SUMMARIES : FIELDS;
      return query(`${count} × ${name}`, (n) => {
        const fields = list(count, (k) => `a${k}: ${field(n * count + k)}`);
        return `{ ${fields.join(' ')} }`;
      });
    }),
    ...reads(data),
    ...changes(data),
  ];
}
