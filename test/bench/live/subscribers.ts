/**
 * Subscribers to the ledger, in a process of their own. Its argument is a `Plan` as JSON. Sends `ready` to its parent
 * when all of them follow, and what they have received for each message of its parent; `begin` also forgets the delays.
 */
import { SocketClient } from './socket-client.js';

export interface Plan {
  readonly url: string;
  /** By company; each is good for `perToken` sockets. */
  readonly tokens: readonly (readonly string[])[];
  readonly perToken: number;
  readonly perAddress: number;
  /** Sockets of all companies together. */
  readonly sockets: number;
  /** Subscriptions of each socket. */
  readonly operations: number;
}

export interface Report {
  readonly received: number;
  /** Events that did not follow the one before. */
  readonly outOfOrder: number;
  readonly closed: number;
  /** By company: the events that the subscriber with the fewest has received. */
  readonly fewest: readonly number[];
  /** From the time that the event has to its receipt, in milliseconds. */
  readonly p50: number;
  readonly p99: number;
  readonly most: number;
}

const plan = JSON.parse(process.argv[2] ?? '') as Plan;
const url = new URL(plan.url);
const QUERY = 'subscription { ledgerAppended { sequence at action entityType entityId } }';
/** Longer delays count as this one, in milliseconds. */
const MAX_MS = 60_000;

const delays = new Uint32Array(MAX_MS + 1);
/** The time of each event, by company and sequence. */
const times = plan.tokens.map(() => new Map<number, number>());
const subscribers = plan.tokens.map((): { count: number; last: number }[] => []);
const totals = { received: 0, outOfOrder: 0, closed: 0 };

const BEFORE_SEQUENCE = '"sequence":';
const BEFORE_TIME = '"at":"';
const COMMA = 44;

function receive(
  company: number,
  subscriber: { count: number; last: number },
  bytes: Buffer,
  start: number,
  end: number,
): void {
  const found = bytes.indexOf(BEFORE_SEQUENCE, start);
  if (found === -1 || found > end) throw new Error(bytes.toString('utf8', start, end));
  let sequence = 0;
  let at = found + BEFORE_SEQUENCE.length;
  for (let byte = bytes[at]; byte !== undefined && byte !== COMMA; byte = bytes[(at += 1)]) {
    sequence = sequence * 10 + byte - 48;
  }
  if (subscriber.last !== 0 && sequence !== subscriber.last + 1) totals.outOfOrder += 1;
  subscriber.last = sequence;
  subscriber.count += 1;
  totals.received += 1;
  let time = times[company]?.get(sequence);
  if (time === undefined) {
    const text = bytes.toString('latin1', at, end);
    const from = text.indexOf(BEFORE_TIME) + BEFORE_TIME.length;
    time = Date.parse(text.slice(from, text.indexOf('"', from)));
    times[company]?.set(sequence, time);
  }
  const delay = Math.max(0, Math.min(MAX_MS, Date.now() - time));
  delays[delay] = (delays[delay] ?? 0) + 1;
}

/** Resolves when the server has acknowledged the token; then it subscribes. */
function open(n: number): Promise<void> {
  const company = n % plan.tokens.length;
  const own = plan.tokens[company] ?? [];
  const accessToken = own[Math.floor(n / plan.tokens.length / plan.perToken)];
  const address = `127.0.0.${2 + Math.floor(n / plan.perAddress)}`;
  const followers = Array.from({ length: plan.operations }, () => ({ count: 0, last: 0 }));
  subscribers[company]?.push(...followers);
  return new Promise((resolve) => {
    let isKnown = false;
    const client: SocketClient = new SocketClient(
      url,
      address,
      () => client.say({ type: 'connection_init', payload: { accessToken } }),
      (bytes, start, end) => {
        if (isKnown) {
          const id = (bytes[start + 7] ?? 0) - 97;
          const follower = followers[id];
          if (follower === undefined) throw new Error(bytes.toString('utf8', start, end));
          receive(company, follower, bytes, start, end);
          return;
        }
        isKnown = true;
        for (let id = 0; id < plan.operations; id += 1) {
          client.say({ id: String.fromCharCode(97 + id), type: 'subscribe', payload: { query: QUERY } });
        }
        resolve();
      },
      () => (totals.closed += 1),
    );
  });
}

function quantile(share: number): number {
  let left = delays.reduce((sum, count) => sum + count, 0) * share;
  for (const [delay, count] of delays.entries()) {
    left -= count;
    if (left <= 0) return delay;
  }
  return MAX_MS;
}

const report = (): Report => ({
  ...totals,
  fewest: subscribers.map((all) => all.reduce((fewest, { count }) => Math.min(fewest, count), Infinity)),
  ...{ p50: quantile(0.5), p99: quantile(0.99), most: quantile(1) },
});

process.on('message', (question) => {
  process.send?.(report());
  if (question === 'begin') delays.fill(0);
});
process.on('disconnect', () => process.exit());
for (let n = 0; n < plan.sockets; n += 1) await open(n);
process.send?.('ready');
