/**
 * How long changes of many records keep others from getting responses. Not a test.
 *
 *   npm run bench:wide -- [--records N]
 */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';

import { print, start, withDatabaseFile, type BenchServer } from './measure.js';
import { buildWideDatabase, WIDE, type WideData } from './wide-data.js';

const { values } = parseArgs({ options: { records: { type: 'string', default: '100000' } } });
const RECORDS = Number(values.records);
/** Time after a change for what it leaves to be done later. */
const AFTERWARDS_MS = 6_000;

interface Change {
  readonly name: string;
  readonly send: (call: Call) => Promise<Response>;
}

type Call = (method: string, path: string, body?: object | FormData) => Promise<Response>;

const caller =
  (url: string, token: string): Call =>
  (method, path, body) => {
    const headers: Record<string, string> = { authorization: `Bearer ${token}` };
    if (body !== undefined && !(body instanceof FormData)) headers['content-type'] = 'application/json';
    const sent = body instanceof FormData || body === undefined ? (body ?? null) : JSON.stringify(body);
    return fetch(url + path, { method, headers, body: sent });
  };

const graphql = (call: Call, query: string, variables: object = {}): Promise<Response> =>
  call('POST', '/graphql', { query, variables });

const gid = (type: string, id: number): string => Buffer.from(`${type}:${id}`).toString('base64url');

const payment = (n: number): object => ({
  ...{ transactionType: 'SWITCH', serialNumber: `S${n}`, logicalNumber: `${n}`, appName: 'a' },
  ...{ detail: '', status: 'SUCCESS', reference: `r${n}`, startedAt: '2026-01-31T12:00:00Z' },
  sent: `0200 ${'30 31 32 '.repeat(15)}`,
  received: `0210 ${'F1F2F3 '.repeat(20)}`,
  parsed: {
    ...{ acquirer: 'a', type: 'sale', status: 'APPROVED', amount: 100 + n, paymentMethod: 'credit' },
    ...{ nsu: `${n}`, card: { brand: 'visa', firstDigits: '411111', lastDigits: '1111' } },
  },
});

const CHANGES: readonly Change[] = [
  {
    name: 'PUT version without its group',
    send: (call) => call('PUT', `/v1/apps/1/versions/${WIDE.versions.changed}`, { group_ids: [] }),
  },
  {
    name: 'DELETE version',
    send: (call) => call('DELETE', `/v1/apps/1/versions/${WIDE.versions.deleted}`),
  },
  {
    name: 'detach version from group (GraphQL)',
    send: (call) =>
      graphql(
        call,
        `
          mutation ($g: ID!, $v: ID!) {
            groupDetachAppVersions(id: $g, appVersionIds: [$v]) {
              group {
                id
              }
              userErrors {
                code
              }
            }
          }
        `,
        { g: gid('Group', WIDE.group), v: gid('AppVersion', WIDE.versions.detached) },
      ),
  },
  { name: 'DELETE app with a held version', send: (call) => call('DELETE', `/v1/apps/${WIDE.wideApp}`) },
  {
    name: 'notification to the group',
    send: (call) =>
      call('POST', '/v1/notifications', { range: 'group', group_id: WIDE.group, content: 'Hello' }),
  },
  {
    name: 'notification to 10,000 numbers',
    send: (call) =>
      call('POST', '/v1/notifications', {
        range: 'specific_logical_numbers',
        content: 'Hello',
        logical_numbers: Array.from({ length: Math.min(RECORDS, 10_000) }, (_, n) =>
          String(n + 1).padStart(8, '0'),
        ).join(','),
      }),
  },
  {
    name: 'DELETE group with parameters and metacontents',
    send: (call) => call('DELETE', `/v1/groups/${WIDE.groupWithParameters}`),
  },
  {
    name: 'DELETE number with parameters and metacontents',
    send: (call) => call('DELETE', `/v1/logical_numbers/${WIDE.numberWithParameters}`),
  },
  {
    name: 'DELETE number with devices',
    send: (call) => call('DELETE', `/v1/logical_numbers/${WIDE.numberWithDevices}`),
  },
  { name: 'DELETE file of 500 versions', send: (call) => call('DELETE', `/v1/files/${WIDE.usedFile}`) },
  { name: 'DELETE app with 500 versions', send: (call) => call('DELETE', '/v1/apps/3') },
  {
    name: 'create 1,000 devices (GraphQL)',
    send: (call) =>
      graphql(
        call,
        `
          mutation ($s: [String!]!) {
            deviceBulkCreate(serialNumbers: $s) {
              count
            }
          }
        `,
        { s: Array.from({ length: 1_000 }, (_, n) => `new${n}`) },
      ),
  },
  {
    name: 'set 1,000 parameters (GraphQL)',
    send: (call) =>
      graphql(
        call,
        `
          mutation ($r: [ParameterBulkSetRow!]!) {
            parameterBulkSet(rows: $r) {
              count
            }
          }
        `,
        {
          r: Array.from({ length: 1_000 }, (_, n) => ({
            owner: { groupId: gid('Group', WIDE.group) },
            ...{ key: `k${n}`, value: 'v' },
          })),
        },
      ),
  },
  {
    name: 'record 1,000 payments (GraphQL)',
    send: (call) =>
      graphql(
        call,
        `
          mutation ($t: [TransactionInput!]!) {
            transactionBulkRecord(inputs: $t) {
              count
            }
          }
        `,
        { t: Array.from({ length: 1_000 }, (_, n) => payment(n)) },
      ),
  },
  {
    name: 'POST file of 30 MB',
    send: (call) => {
      const form = new FormData();
      form.set('file', new Blob([new Uint8Array(30_000_000).fill(7)]), 'big.bin');
      return call('POST', '/v1/files', form);
    },
  },
];

/** Calls again and again until `isOver`; resolves to the durations in ms, ascending. */
async function probe(isOver: () => boolean, send: () => Promise<Response>): Promise<number[]> {
  const durations: number[] = [];
  while (!isOver()) {
    const began = performance.now();
    const response = await send();
    await response.arrayBuffer();
    if (!response.ok) print(`  a probe got ${response.status}`);
    durations.push(performance.now() - began);
    await sleep(2);
  }
  return durations.sort((a, b) => a - b);
}

const at = (sorted: readonly number[], share: number): string =>
  (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0).toFixed(0);

let created = 0;

/** The longest turn of the server's event loop since the last call, in ms of processor time. */
async function longestTurn({ child }: BenchServer, file: string): Promise<string> {
  rmSync(file, { force: true });
  child.kill('SIGUSR2');
  while (!existsSync(file) || readFileSync(file, 'utf8') === '') await sleep(20);
  return readFileSync(file, 'utf8');
}

async function measure(
  server: BenchServer,
  turns: string,
  { wide, other }: WideData,
  change: Change,
): Promise<void> {
  const { url } = server;
  let isOver = false;
  const over = (): boolean => isOver;
  const call = caller(url, other);
  const probes = Promise.all([
    probe(over, () => fetch(`${url}/healthz`)),
    probe(over, () => call('GET', '/v1/groups/other')),
    probe(over, () => call('POST', '/v1/groups', { name: `probe ${created++}` })),
  ]);
  await sleep(200);
  await longestTurn(server, turns);
  const began = performance.now();
  const response = await change.send(caller(url, wide));
  const text = await response.text();
  const took = performance.now() - began;
  await sleep(AFTERWARDS_MS);
  const turn = await longestTurn(server, turns);
  isOver = true;
  const [loop, reads, writes] = await probes;
  const outcome = response.ok && !text.includes('"errors"') ? String(response.status) : text.slice(0, 200);
  print(
    `| ${change.name} | ${took.toFixed(0)} | ${turn} | ${at(loop, 1)} | ${at(reads, 0.99)} / ${at(reads, 1)} | ${at(writes, 0.99)} / ${at(writes, 1)} | ${outcome} |`,
  );
}

await withDatabaseFile(async (file) => {
  const data = await buildWideDatabase(file, RECORDS);
  const turns = `${file}.turns`;
  const settings = { DATABASE_URL: `file:${file}`, PORT: '0', RATE_LIMIT_PER_HOUR: '0', LOG_LEVEL: 'warn' };
  const server = await start('server', './wide-server.ts', ['serve'], { ...settings, TURNS_FILE: turns });
  print(`${RECORDS} records; milliseconds; GET and POST are another company's, p99 / longest`);
  print('| Change | Response | Longest turn, processor time | GET /healthz, longest | GET | POST | Status |');
  print('| --- | --- | --- | --- | --- | --- | --- |');
  for (const change of [{ name: 'nothing', send: () => fetch(`${server.url}/healthz`) }, ...CHANGES]) {
    await measure(server, turns, data, change);
  }
});
