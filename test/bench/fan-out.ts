/**
 * Events of the ledger to many subscribers: what is delivered, in which order, how late, and what it costs the server.
 * Each company has its share of the sockets and its own writer, who creates groups. Not a test.
 *
 *   npm run bench:live -- [--sockets N] [--per-second N] [--seconds N]
 *
 * `--per-second` are the events of each company.
 */
import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';

import { readGauges } from '../support/gauges.js';
import { randomToken } from './data.js';
import { companyOf, fillDatabase } from './fill.js';
import { ms, percentilesOf, rest, send } from './requests.js';
import { numbersOf, print, processorTime, startServer, withDatabaseFile } from './servers.js';

const options = numbersOf({ sockets: 1_000, 'per-second': 5, seconds: 15 });
const { sockets: SOCKETS, 'per-second': RATE, seconds: SECONDS } = options;
const COMPANIES = 3;
const WARM_SECONDS = 2;
/** Less than the limits of the server. */
const [PER_TOKEN, PER_ADDRESS] = [45, 190];
const PATIENCE_MS = 60_000;
const QUERY = 'subscription { ledgerAppended { sequence at action entityType entityId } }';

interface Message {
  readonly type: string;
  readonly payload?: { readonly data?: { readonly ledgerAppended: { sequence: number; at: string } } };
}

/** Events that all sockets together have received. */
const received = { events: 0, outOfOrder: 0, closed: 0 };
/** From the time of each event to its receipt, in milliseconds. */
let delays: number[] = [];

/** Opens a socket from one of several addresses; resolves when it has subscribed. */
function subscribe(url: string, n: number, accessToken: string): Promise<WebSocket> {
  const localAddress = `127.0.0.${2 + Math.floor(n / PER_ADDRESS)}`;
  const address = `${url.replace('http', 'ws')}/graphql`;
  const socket = new WebSocket(address, 'graphql-transport-ws', { localAddress });
  const say = (message: object): void => socket.send(JSON.stringify(message));
  let last = 0;
  return new Promise((resolve, reject) => {
    socket.on('error', reject);
    socket.on('close', () => (received.closed += 1));
    socket.on('open', () => say({ type: 'connection_init', payload: { accessToken } }));
    socket.on('message', (data: Buffer) => {
      const { type, payload } = JSON.parse(data.toString()) as Message;
      if (type === 'ping') say({ type: 'pong' });
      if (type === 'connection_ack') {
        say({ id: '1', type: 'subscribe', payload: { query: QUERY } });
        resolve(socket);
      }
      const event = payload?.data?.ledgerAppended;
      if (event === undefined) return;
      if (last !== 0 && event.sequence !== last + 1) received.outOfOrder += 1;
      last = event.sequence;
      received.events += 1;
      delays.push(Date.now() - Date.parse(event.at));
    });
  });
}

/** Creates groups at a steady rate in each company; resolves to the times of these requests in milliseconds. */
async function write(url: string, tokens: readonly string[], name: string, seconds: number) {
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  const running: Promise<number>[] = [];
  const create = async (token: string, n: number): Promise<number> => {
    const request = rest(token, 'POST', 'groups', { name: `${name} ${n}` });
    const { milliseconds, result } = await send(url, request, agent);
    if (result !== '201') throw new Error(`A group was not created: ${result}`);
    return milliseconds;
  };
  const began = performance.now();
  for (let n = 0; n < RATE * seconds; n += 1) {
    await sleep(Math.max(0, began + (n * 1_000) / RATE - performance.now()));
    running.push(...tokens.map((token) => create(token, n)));
  }
  const times = await Promise.all(running);
  agent.destroy();
  return times;
}

/** Waits until so many events have arrived, a minute at most. */
async function waitFor(events: number): Promise<void> {
  const giveUp = performance.now() + PATIENCE_MS;
  while (received.events < events && performance.now() < giveUp) await sleep(20);
}

const described = (times: readonly number[]): string => {
  const { p50, p99, max } = percentilesOf(times);
  return `p50 ${ms(p50)} ms, p99 ${ms(p99)} ms, max ${ms(max)} ms`;
};

async function measure(url: string, pid: number, tokens: readonly (readonly string[])[]): Promise<void> {
  const sockets: WebSocket[] = [];
  for (let n = 0; n < SOCKETS; n += 1) {
    const own = tokens[n % COMPANIES]?.[Math.floor(n / COMPANIES / PER_TOKEN)] ?? '';
    sockets.push(await subscribe(url, n, own));
  }
  const writers = tokens.map(([first = '']) => first);
  const perSecond = SOCKETS * RATE;
  await write(url, writers, 'warm', WARM_SECONDS);
  await waitFor(perSecond * WARM_SECONDS);
  const warm = received.events;
  delays = [];
  await readGauges(url);
  const [usedBefore, began] = [processorTime(pid), performance.now()];
  const writes = await write(url, writers, 'event', SECONDS);
  await waitFor(warm + perSecond * SECONDS);
  const seconds = (performance.now() - began) / 1_000;
  const [used, events] = [processorTime(pid) - usedBefore, received.events - warm];
  const gauges = await readGauges(url);
  print(`${SOCKETS} sockets of ${COMPANIES} companies, ${RATE} events/s of each`);
  print(
    `delivered ${events} of ${perSecond * SECONDS} in ${seconds.toFixed(1)} s: ${Math.round(events / seconds)}/s`,
  );
  print(`out of order ${received.outOfOrder}, closed ${received.closed}`);
  print(`delay: ${described(delays)}`);
  print(
    `server: ${Math.round((100 * used) / seconds)} % of a processor, ${((1e6 * used) / events).toFixed(1)} us for an event, ${gauges.memory} MB, longest delay of its event loop ${gauges.loopDelay} ms`,
  );
  print(`a write: ${described(writes)}`);
  for (const socket of sockets) socket.terminate();
}

await withDatabaseFile(async (file) => {
  const count = Math.ceil(SOCKETS / COMPANIES / PER_TOKEN);
  const tokens = Array.from({ length: COMPANIES }, () => Array.from({ length: count }, randomToken));
  await fillDatabase(
    file,
    tokens.flatMap((own, n) => companyOf(1 + n, `company-${1 + n}`, own)),
  );
  const { url, pid } = await startServer(`file:${file}`);
  await measure(url, pid, tokens);
});
