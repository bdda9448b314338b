import { SIZES } from './large.js';
import { aliased, texts, type Operation, type Requests } from './requests.js';

/** Filters that no index answers, with texts that occur nowhere. `n` makes each one new. */
const nowhere = (n: number): string =>
  `{ or: [{ appName: { contains: "zz${n}" } }, { serialNumber: { contains: "zz${n}" } }, { not: { logicalNumber: { contains: "1" } } }] }`;
const nowhereOfDevices = (n: number): string =>
  `{ or: [{ serialNumber: { contains: "zz${n}" } }, { not: { frameworkVersion: { contains: "8" } } }] }`;

/** Filters, summaries, nested lists and deep pages. */
export const reads = (requests: Requests): Operation[] => [
  ...filters(requests),
  ...summaries(requests),
  ...lists(requests),
  ...restLists(requests),
];

function filters({ graphql }: Requests): Operation[] {
  return [
    {
      name: 'GraphQL: filter of transactions that matches nothing',
      connections: 8,
      request: (n) => graphql(`{ transactions(first: 100, filter: ${nowhere(n)}) { nodes { id } } }`),
    },
    {
      name: 'GraphQL: count of transactions by a filter',
      connections: 8,
      request: (n) => graphql(`{ transactions(first: 0, filter: ${nowhere(n)}) { totalCount } }`),
    },
    {
      name: 'GraphQL: 9 counts of transactions in one request',
      connections: 4,
      request: (n) =>
        graphql(aliased(9, (k) => `transactions(first: 0, filter: ${nowhere(n * 9 + k)}) { totalCount }`)),
    },
    {
      name: 'GraphQL: 30 counts and pages of devices in one request',
      connections: 4,
      request: (n) =>
        graphql(
          aliased(
            30,
            (k) => `devices(first: 10, filter: ${nowhereOfDevices(n * 30 + k)}) { totalCount nodes { id } }`,
          ),
        ),
    },
    {
      name: 'GraphQL: filter of 100 comparisons',
      connections: 4,
      request: (n) => {
        const parts = texts(99, (k) => `{ appName: { contains: "z${n}.${k}" } }`);
        return graphql(
          `{ transactions(first: 100, filter: { or: [${parts.join()}] }) { totalCount nodes { id } } }`,
        );
      },
    },
    {
      name: 'GraphQL: filter by time and text, another order',
      connections: 8,
      request: (n) =>
        graphql(
          `{ transactions(first: 100, orderBy: { field: STARTED_AT, direction: DESC }, filter: { startedAt: { gte: "2000-01-01T00:00:00Z" }, status: { eq: FAIL }, serialNumber: { contains: "zz${n}" } }) { totalCount nodes { id sent received } } }`,
        ),
    },
  ];
}

function summaries({ graphql }: Requests): Operation[] {
  const summary = (bucket: string, by: string, filter: string): string =>
    `{ transactionSummary(bucket: ${bucket}, by: [${by}]${filter}) { bucketStart count amountTotal netAmount } }`;
  return [
    {
      name: 'GraphQL: summary by day, status, type and application',
      connections: 4,
      request: () => graphql(summary('DAY', 'STATUS, TRANSACTION_TYPE, APP_NAME', '')),
    },
    {
      name: 'GraphQL: summary of a million transactions by logical number',
      connections: 4,
      request: () =>
        graphql(summary('NONE', 'LOGICAL_NUMBER', ', filter: { logicalNumber: { startsWith: "1000" } }')),
    },
    {
      name: 'GraphQL: summary of a million transactions by group and day',
      connections: 4,
      request: () => graphql(summary('DAY', 'GROUP', '')),
    },
    {
      name: 'GraphQL: summary of the transactions of a filter',
      connections: 4,
      request: (n) =>
        graphql(summary('NONE', 'STATUS', `, filter: { serialNumber: { contains: "zz${n}" } }`)),
    },
    {
      name: 'GraphQL: device summary',
      connections: 8,
      request: () =>
        graphql(
          '{ deviceSummary { total neverSeen byModel { value count } byFrameworkVersion { value count } } }',
        ),
    },
  ];
}

function lists({ graphql }: Requests): Operation[] {
  const middle = Buffer.from(JSON.stringify(['ID', SIZES.transactions / 2, SIZES.transactions / 2]));
  return [
    {
      name: 'GraphQL: nested lists of cost 10,000',
      connections: 4,
      request: () =>
        graphql(`
          {
            groups(first: 10) {
              nodes {
                name
                logicalNumbers(first: 90) {
                  totalCount
                  nodes {
                    number
                    appVersions(first: 5) {
                      nodes {
                        number
                        app {
                          name
                        }
                      }
                    }
                  }
                }
              }
            }
          }
        `),
    },
    {
      name: 'GraphQL: filtered lists below 50 groups',
      connections: 4,
      request: (n) =>
        graphql(
          `{ groups(first: 50) { nodes { logicalNumbers(first: 50, filter: { number: { contains: "z${n}" } }) {
          totalCount nodes { id } } } } }`,
        ),
    },
    {
      name: 'GraphQL: filtered transactions below 100 devices',
      connections: 4,
      request: (n) =>
        graphql(
          `{ devices(first: 100) { nodes { transactions(first: 90, filter: { appName: { contains: "z${n}" } }) {
          totalCount nodes { id } } } } }`,
        ),
    },
    {
      name: 'GraphQL: page after a cursor in the middle',
      connections: 8,
      request: () =>
        graphql(
          'query ($after: String) { transactions(first: 100, after: $after, orderBy: { field: ID, direction: ASC }) { totalCount nodes { id parsed { amount } sent received } } }',
          {
            after: middle.toString('base64url'),
          },
        ),
    },
    {
      name: 'GraphQL: ledger by a text',
      connections: 4,
      request: (n) =>
        graphql(
          `{ ledger(first: 100, filter: { action: { contains: "z${n}" } }) { totalCount nodes { id before after } } }`,
        ),
    },
  ];
}

function restLists({ rest }: Requests): Operation[] {
  const get = (name: string, path: string, connections = 8): Operation => ({
    name: `REST: ${name}`,
    connections,
    request: () => rest('GET', path),
  });
  return [
    get('last page of devices', `devices?per_page=100&page=${SIZES.devices / 100}`),
    get('last page of logical numbers', `logical_numbers?per_page=100&page=${SIZES.devices / 100}`),
    get('deep page of transactions', `transactions?per_page=100&page=${SIZES.transactions / 200}`),
    get(
      'transactions of a status, from a day on, deep page',
      'transactions?status=fail&since=2020-01-01&per_page=100&page=400',
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
    get('transactions of an application, last page', 'transactions?app_name=app1.rb&per_page=100&page=800'),
    get('list of groups', 'groups?per_page=100'),
  ];
}
