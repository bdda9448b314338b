import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { expect } from 'vitest';

import { insertMany } from './databases/rows.js';
import { openKnown } from './raw-socket.js';
import type { Member, TestServer } from './server.js';
import { openStreams } from './subscribe.js';

/** A subscriber that reads nothing until `resume`, then everything. */
export interface StalledClient {
  resume(): void;
  /** Sequence numbers of the received events. */
  sequences(): readonly number[];
  /** The end of what it has received. */
  text(): string;
  readonly closed: Promise<void>;
  end(): void;
}

const follow = (after: number): string =>
  `subscription { transactionRecorded(after: ${after}) { sequence transaction { sent } } }`;

/** Data received by a client; keeps only the sequence numbers and the end of the text. */
class Received {
  readonly sequences: number[] = [];
  /** End of the text that may contain an incomplete number. */
  #begun = '';
  text = '';

  add(part: string): void {
    const all = this.#begun + part;
    let end = 0;
    for (const match of all.matchAll(/"sequence":(\d+),/g)) {
      this.sequences.push(Number(match[1]));
      end = match.index + match[0].length;
    }
    this.#begun = all.slice(Math.max(end, all.length - 50));
    this.text = (this.text + part).slice(-5_000);
  }
}

type Way = (server: TestServer, token: string, after: number) => Promise<StalledClient>;

const overSocket: Way = async (server, token, after) => {
  const raw = await openKnown(server, token);
  const received = new Received();
  raw.socket.pause();
  raw.socket.on('message', (data: Buffer) => received.add(data.toString()));
  raw.say({ type: 'subscribe', id: '1', payload: { query: follow(after) } });
  return {
    resume: () => raw.socket.resume(),
    text: () => received.text,
    sequences: () => received.sequences,
    closed: raw.ended.then(() => undefined),
    end: () => raw.socket.terminate(),
  };
};

const overStream: Way = async (server, token, after) => {
  const received = new Received();
  const path = `/graphql/stream?access_token=${token}&query=${encodeURIComponent(follow(after))}`;
  const request = get(`${server.url}${path}`, { headers: { accept: 'text/event-stream' } });
  request.on('error', () => undefined);
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  response
    .on('error', () => undefined)
    .setEncoding('utf8')
    .on('data', (part: string) => received.add(part))
    .pause();
  return {
    resume: () => void response.resume(),
    text: () => received.text,
    sequences: () => received.sequences,
    closed: new Promise<void>((resolve) => response.once('close', () => resolve())),
    end: () => void request.destroy(),
  };
};

/** Bytes of what a recorded terminal sent. */
export const RECORD_BYTES = 20_000;
/** Number of records: 30 MB, more than the socket buffers of the system hold. */
export const RECORDS = 1_500;

/** Inserts them by SQL: to search them for card data would take longer than the tests. */
export async function recordMany({ place, clock }: TestServer, { caller }: Member): Promise<void> {
  const now = clock.now();
  const row = {
    transaction_type: 'switch',
    serial_number: 'S-1',
    logical_number: 'L-1',
    app_name: 'shop.rb',
    detail: '',
    status: 'success',
    sent: 'approved; '.repeat(RECORD_BYTES / 10),
    started_at: now,
    recorded_at: now,
  };
  await insertMany(place, ['transactions', caller.companyId, RECORDS], () => row);
}

/** Opens subscriptions to transactions, without reading; resolves once the server reads no more pages for them. */
async function untilStalled(server: TestServer, ways: readonly Way[], token: string, after: number) {
  let pages = 0;
  const unwatch = server.app.database.watchStatements((text) => {
    if (text.includes('from "transactions" as "t"')) pages += 1;
  });
  const streams = await openStreams(server);
  const clients: StalledClient[] = [];
  for (const open of ways) clients.push(await open(server, token, after));
  await expect.poll(() => openStreams(server)).toBe(streams + clients.length);
  for (let before = -1; before !== pages;) {
    before = pages;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  unwatch();
  /** `pages` are those that the server has read meanwhile. */
  return { clients, pages };
}

/** Subscribes to the company's transactions over a socket. */
export const stall = (server: TestServer, token: string) => untilStalled(server, [overSocket], token, 0);

/** Subscribes over a socket and over a stream at once. */
export const stallBoth = (server: TestServer, token: string, after = 0) =>
  untilStalled(server, [overSocket, overStream], token, after);
