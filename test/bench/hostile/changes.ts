import { WIDE_GROUP, WIDE_VERSIONS, type LargeData } from './large.js';
import { aliased, globalId, texts, unique, type Operation, type Requests } from './requests.js';
import type { Request } from './request.js';

/** Bulk and wide changes, and what moves many bytes. The last ones can be carried out once only. */
export const changes = (requests: Requests, data: LargeData): Operation[] => [
  ...bulkWrites(requests),
  ...uploadsAndExports(requests),
  ...signIns(),
  ...wideChanges(requests, data),
];

function bulkWrites({ graphql, rest }: Requests): Operation[] {
  const bulk = (name: string, query: string, variables: (n: number) => object): Operation => ({
    name: `GraphQL: ${name}`,
    connections: 2,
    request: (n) => graphql(query, variables(n)),
  });
  return [
    bulk(
      '1,000 devices created',
      'mutation ($s: [String!]!) { deviceBulkCreate(serialNumbers: $s) { count results { userErrors { code } } userErrors { code } } }',
      (n) => ({ s: texts(1_000, (k) => `${unique}${n}-${k}`) }),
    ),
    bulk(
      '1,000 parameters set',
      'mutation ($rows: [ParameterBulkSetRow!]!) { parameterBulkSet(rows: $rows) { results { userErrors { code } } userErrors { code } } }',
      (n) => ({
        rows: texts(1_000, (k) => `${n}.${k}`).map((key) => ({
          owner: { groupId: globalId('Group', 2) },
          key,
          value: 'x'.repeat(500),
        })),
      }),
    ),
    bulk(
      '1,000 payments recorded',
      'mutation ($inputs: [TransactionInput!]!) { transactionBulkRecord(inputs: $inputs) { results { userErrors { code } } userErrors { code } } }',
      (n) => ({ inputs: texts(1_000, (k) => `${unique}${n}.${k}`).map(payment) }),
    ),
    {
      name: 'REST: a logical number with 300 versions',
      connections: 2,
      request: (n) =>
        rest('POST', 'logical_numbers', {
          number: `${unique}${n}`,
          group_id: 2,
          app_version_ids: Array.from({ length: 6 }, (_, k) => 2 + k * 50),
        }),
    },
  ];
}

function payment(reference: string): object {
  const now = new Date().toISOString();
  const field = '0200 7020048020C0020016 nsu=123456789012 terminal 7700001 merchant 000000012345678 '.repeat(
    5,
  );
  return {
    reference,
    transactionType: 'SWITCH',
    serialNumber: 'IM500000001',
    logicalNumber: '100001',
    appName: 'app1.rb',
    status: 'SUCCESS',
    startedAt: now,
    finishedAt: now,
    sent: field,
    received: field,
  };
}

const FILE_BYTES = 31 * 1024 * 1024;

function uploadsAndExports({ upload, graphql, rest }: Requests): Operation[] {
  const bytes = Buffer.alloc(FILE_BYTES, 'firmware ');
  return [
    {
      name: 'REST: uploads of 31 MiB',
      connections: 4,
      times: 2,
      request: (n) => upload(bytes, `${unique}${n}.bin`),
    },
    {
      name: 'REST: bytecode of 23 MiB as base64',
      connections: 2,
      times: 2,
      request: (n) =>
        rest('POST', 'apps/1/versions', {
          number: `${unique}${n}`,
          bytecode: bytes.subarray(0, 23 * 1024 * 1024).toString('base64'),
        }),
    },
    {
      name: 'GraphQL: contents of files',
      connections: 4,
      request: () =>
        graphql('{ files(last: 1, orderBy: { field: ID, direction: ASC }) { nodes { size content } } }'),
    },
    {
      name: 'GraphQL: pages of 100 transactions with everything, 30 times',
      connections: 4,
      request: () =>
        graphql(
          aliased(
            30,
            (k) =>
              `transactions(${k % 2 === 0 ? 'first' : 'last'}: ${85 + (k >> 1)}) { nodes { id sent received detail parsed { amount nsu metadata card { brand } } device { serialNumber } } }`,
          ),
        ),
    },
  ];
}

function signIns(): Operation[] {
  return [
    {
      name: 'REST: wrong passwords',
      connections: 8,
      request: (n) => ({
        method: 'POST',
        path: '/v1/users/token',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ email: `nobody${n}@bench.example`, password: 'a wrong password' }),
      }),
    },
  ];
}

/** Each changes 100,000 rows or more. */
function wideChanges({ graphql, rest }: Requests, { settingsGroups }: LargeData): Operation[] {
  const [put, first, second] = WIDE_VERSIONS;
  const group = globalId('Group', WIDE_GROUP);
  const once = (name: string, request: () => Request): Operation => ({
    name,
    connections: 1,
    times: 1,
    request,
  });
  return [
    {
      name: 'REST: a notification to 100,000 numbers',
      connections: 1,
      times: 3,
      request: () =>
        rest('POST', 'notifications', { content: 'SHOW_MESSAGE|x', range: 'group', group_id: WIDE_GROUP }),
    },
    once('GraphQL: a notification to 100,000 numbers', () =>
      graphql(
        'mutation ($groupId: ID) { notificationSend(input: { content: "SHOW_MESSAGE|y", kind: SHOW, target: { groupId: $groupId } }) { userErrors { code } } }',
        { groupId: group },
      ),
    ),
    once('REST: a version taken from 100,000 numbers', () =>
      rest('PUT', `apps/1/versions/${put}`, { group_ids: [] }),
    ),
    once('GraphQL: versions attached to a group of 100,000', () =>
      graphql(
        'mutation ($id: ID!, $ids: [ID!]!) { groupAttachAppVersions(id: $id, appVersionIds: $ids) { userErrors { code } } }',
        { id: group, ids: [globalId('AppVersion', put)] },
      ),
    ),
    once('REST: deletion of a version of 100,000 numbers', () => rest('DELETE', `apps/21/versions/${first}`)),
    once('GraphQL: deletion of a version of 100,000 numbers', () =>
      graphql('mutation ($id: ID!) { appVersionDelete(id: $id) { userErrors { code } } }', {
        id: globalId('AppVersion', second),
      }),
    ),
    once('REST: deletion of a group with 100,000 parameters', () =>
      rest('DELETE', `groups/${encodeURIComponent(settingsGroups[0] ?? '')}`),
    ),
    once('GraphQL: deletion of a group with 100,000 parameters', () =>
      graphql('mutation ($id: ID!) { groupDelete(id: $id) { userErrors { code } } }', {
        id: globalId('Group', 52),
      }),
    ),
  ];
}
