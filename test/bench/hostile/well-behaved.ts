import { Agent } from 'node:http';
import { WebSocket } from 'ws';

import type { Other } from './large.js';
import { send, type Request } from './request.js';
import {
  getInTurn,
  percentilesOf,
  startSteady,
  type Latencies,
  type SendNext,
  type SteadyClient,
} from './steady.js';

/** A kind of client that stays far within all limits. */
export interface Kind {
  readonly name: string;
  readonly client: Pick<SteadyClient, 'take' | 'stop'>;
}

const DASHBOARD = `{ deviceSummary { total enabled neverSeen } groups(first: 5) { nodes { name logicalNumbers(first: 5) {
  totalCount nodes { number devices(first: 2) { nodes { serialNumber } } } } } }
  transactions(last: 10) { nodes { serialNumber status startedAt parsed { amount } } } }`;
const RECORD =
  'mutation ($input: TransactionInput!) { transactionRecord(input: $input) { userErrors { code } } }';
const UPLOAD_BYTES = 300_000;
const run = Date.now().toString(36);

/** Starts the clients of one company. */
export async function startClients(url: string, name: string, { token, devices }: Other): Promise<Kind[]> {
  const headers = { authorization: `Bearer ${token}` };
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  const sender =
    (request: (n: number) => Request): SendNext =>
    async (n) =>
      statusOf((await send(url, request(n), agent)).result);
  const operation = (query: string, variables: object): Request => ({
    ...{ method: 'POST', path: '/graphql', headers: { ...headers, 'content-type': 'application/json' } },
    body: JSON.stringify({ query, variables }),
  });
  const post = (path: string, body: object): Request => ({
    ...{ method: 'POST', path, headers: { ...headers, 'content-type': 'application/json' } },
    body: JSON.stringify(body),
  });
  const read = await getInTurn(
    { url, connections: 4 },
    devices.map((id) => `/v1/devices/${id}`),
    headers,
  );
  const list = await getInTurn(
    { url, connections: 2 },
    ['/v1/devices', '/v1/transactions', '/v1/groups'],
    headers,
  );
  const health = await getInTurn({ url, connections: null }, ['/healthz']);
  const subscriber = startSubscriber(url, token);
  return [
    { name: `${name} device`, client: startSteady(100, read) },
    { name: `${name} lists`, client: startSteady(500, list) },
    {
      name: `${name} dashboard`,
      client: startSteady(
        500,
        sender(() => operation(DASHBOARD, {})),
      ),
    },
    {
      name: `${name} recording`,
      client: startSteady(
        400,
        sender((n) => operation(RECORD, { input: payment(name, n) })),
      ),
    },
    {
      name: `${name} create`,
      client: startSteady(
        1_000,
        sender((n) => post('/v1/groups', { name: `${name} ${run} ${n}` })),
      ),
    },
    {
      name: `${name} upload`,
      client: startSteady(
        3_000,
        sender((n) => upload(headers, `${name} ${run} ${n}`)),
      ),
    },
    { name: `${name} event`, client: subscriber },
    { name: `${name} health`, client: startSteady(1_000, health) },
  ];
}

/** 0 for a broken connection. A GraphQL error counts as 400. */
function statusOf(result: string): number {
  const [status = '', code] = result.split(' ');
  return status === '200' && code !== undefined ? (code === 'UNAVAILABLE' ? 503 : 400) : Number(status) || 0;
}

function payment(name: string, n: number): object {
  const startedAt = new Date().toISOString();
  return {
    ...{ transactionType: 'SWITCH', serialNumber: 'OTHER-1', logicalNumber: '1', appName: 'app1.rb' },
    ...{
      status: 'SUCCESS',
      startedAt,
      finishedAt: startedAt,
      reference: `${name} ${run} ${n}`,
      sent: `0200 nsu=${n}`,
    },
  };
}

function upload(headers: Request['headers'], name: string): Request {
  const head = `--part\r\nContent-Disposition: form-data; name="asset"; filename="${name}.bin"\r\n\r\n`;
  const body = Buffer.concat([
    Buffer.from(head),
    Buffer.alloc(UPLOAD_BYTES, 'x'),
    Buffer.from('\r\n--part--\r\n'),
  ]);
  const type = { 'content-type': 'multipart/form-data; boundary=part' };
  return { method: 'POST', path: '/v1/files', headers: { ...headers, ...type }, body };
}

/** Measures from the start of a transaction, which its client sends at once, to its event. Connects again if it is cut. */
function startSubscriber(url: string, token: string): Pick<SteadyClient, 'take' | 'stop'> {
  let times: number[] = [];
  let cuts = 0;
  let isStopped = false;
  let socket: WebSocket;
  const open = (): void => {
    socket = new WebSocket(`${url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
    socket.on('error', () => undefined);
    socket.on('open', () =>
      socket.send(JSON.stringify({ type: 'connection_init', payload: { accessToken: token } })),
    );
    socket.on('message', (data: Buffer) => {
      const text = data.toString();
      const query = 'subscription { transactionRecorded { transaction { startedAt } } }';
      if (text.includes('connection_ack')) {
        socket.send(JSON.stringify({ type: 'subscribe', id: '1', payload: { query } }));
      }
      const startedAt = /"startedAt":"([^"]+)"/.exec(text)?.[1];
      if (startedAt !== undefined) times.push(Date.now() - Date.parse(startedAt));
    });
    socket.on('close', () => {
      if (isStopped) return;
      cuts += 1;
      setTimeout(open, 1_000);
    });
  };
  open();
  const take = (): Latencies => {
    const statuses = { 200: times.length, ...(cuts > 0 ? { 0: cuts } : {}) };
    const taken = { ...percentilesOf(times), statuses };
    [times, cuts] = [[], 0];
    return taken;
  };
  return {
    take,
    stop: () => {
      isStopped = true;
      socket.terminate();
      return Promise.resolve(take());
    },
  };
}
