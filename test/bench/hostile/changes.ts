import { MOST, WIDE, type LargeData } from './large.js';
import type { Request } from './request.js';
import { globalId, texts, unique, type Operation, type Requests } from './requests.js';

/** Bulk and wide changes, and what moves many bytes. The last ones can be carried out once only. */
export const changes = (requests: Requests, data: LargeData): Operation[] => [
  ...bulkWrites(requests),
  ...uploadsAndExports(requests),
  ...signIns(),
  ...wideChanges(requests, data),
];

function bulkWrites({ operation, rest }: Requests): Operation[] {
  const bulk = (name: string, query: string, variables: (n: number) => object): Operation => ({
    name: `GraphQL: ${name}`,
    connections: 2,
    request: (n) => operation(query, variables(n)),
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
      name: 'REST: a logical number with 6 versions',
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
    4,
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

function uploadsAndExports({ upload, operation, rest }: Requests): Operation[] {
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
        operation('{ files(last: 1, orderBy: { field: ID, direction: ASC }) { nodes { size content } } }'),
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

/** Time for the deliveries that are queued in the background, in ms. */
const STEPS_MS = 6_000;
/** Most numbers that a notification or a grant can name. */
const NAMED = 10_000;

const named = ({ wide }: LargeData['sizes']): readonly string[] =>
  texts(Math.min(NAMED, wide), (n) => String(100_000 + n));

/** Each concerns 100,000 records or more; deletions of so many are refused. */
function wideChanges({ operation, rest }: Requests, { sizes }: LargeData): Operation[] {
  const { versions } = WIDE;
  const group = globalId('Group', WIDE.group);
  const once = (name: string, request: () => Request): Operation => ({
    name: `Wide: ${name}`,
    connections: 1,
    times: 1,
    settleMs: STEPS_MS,
    request,
  });
  const notified = { content: 'SHOW_MESSAGE|x' };
  return [
    once('POST of a notification to 100,000 numbers', () =>
      rest('POST', 'notifications', { ...notified, range: 'group', group_id: WIDE.group }),
    ),
    once('notificationSend to 100,000 numbers', () =>
      operation(
        'mutation ($groupId: ID) { notificationSend(input: { content: "SHOW_MESSAGE|y", kind: SHOW, target: { groupId: $groupId } }) { userErrors { code } } }',
        { groupId: group },
      ),
    ),
    once('POST of a notification to 10,000 named numbers', () => {
      const numbers = named(sizes).join(',');
      return rest('POST', 'notifications', {
        ...{ ...notified, range: 'specific_logical_numbers', logical_numbers: numbers },
      });
    }),
    once('PUT of a version without its group', () =>
      rest('PUT', `apps/1/versions/${versions.changed}`, { group_ids: [] }),
    ),
    once('groupAttachAppVersions', () =>
      operation(
        'mutation ($id: ID!, $ids: [ID!]!) { groupAttachAppVersions(id: $id, appVersionIds: $ids) { userErrors { code } } }',
        { id: group, ids: [globalId('AppVersion', versions.changed)] },
      ),
    ),
    once('appVersionGrant to 10,000 named numbers', () =>
      operation(
        'mutation ($numbers: [String!]!, $ids: [ID!]!) { appVersionGrant(appVersionIds: $ids, target: { logicalNumbers: $numbers }) { userErrors { code } } }',
        { numbers: named(sizes), ids: [globalId('AppVersion', versions.changed)] },
      ),
    ),
    once('groupDetachAppVersions', () =>
      operation(
        'mutation ($id: ID!, $ids: [ID!]!) { groupDetachAppVersions(id: $id, appVersionIds: $ids) { userErrors { code } } }',
        { id: group, ids: [globalId('AppVersion', versions.detached)] },
      ),
    ),
    ...wideDeletions({ operation, rest }, once),
  ];
}

function wideDeletions(
  { operation, rest }: Pick<Requests, 'operation' | 'rest'>,
  once: (name: string, request: () => Request) => Operation,
): Operation[] {
  const { versions } = WIDE;
  const remove = (name: string, path: string): Operation =>
    once(`DELETE of ${name}`, () => rest('DELETE', path));
  return [
    remove('a version of 100,000 numbers', `apps/21/versions/${versions.deleted}`),
    once('appVersionDelete', () =>
      operation('mutation ($id: ID!) { appVersionDelete(id: $id) { userErrors { code } } }', {
        id: globalId('AppVersion', versions.removed),
      }),
    ),
    remove('an app with such a version', `apps/${WIDE.app}`),
    remove('a group with 100,000 parameters and metacontents', `groups/${WIDE.groupWithSettings}`),
    remove('a number with 100,000 parameters and metacontents', `logical_numbers/${WIDE.numberWithSettings}`),
    ...([0, 1] as const).flatMap((more) => [
      remove(
        `a number with ${MOST.devices + more} devices`,
        `logical_numbers/${WIDE.numbersWithDevices[more]}`,
      ),
      remove(`a file of ${MOST.versions + more} versions`, `files/${WIDE.filesOfVersions[more]}`),
      remove(`an app with ${MOST.versions + more} versions`, `apps/${WIDE.appsWithVersions[more]}`),
    ]),
  ];
}
