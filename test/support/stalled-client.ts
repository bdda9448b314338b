import { connect } from 'node:net';
import { expect } from 'vitest';

import { record, report } from '../resources/transaction/records.js';
import { openKnown } from './raw-socket.js';
import type { Member, TestServer } from './server.js';
import { openStreams } from './subscribe.js';

/** A subscriber that reads nothing until `resume`, then everything. */
export interface StalledClient {
  resume(): void;
  /** Sequence numbers of the received events. */
  sequences(): readonly number[];
  text(): string;
  readonly closed: Promise<void>;
  end(): void;
}

const follow = (after: number): string =>
  `subscription { transactionRecorded(after: ${after}) { sequence transaction { sent } } }`;
const numbers = (text: string): number[] =>
  [...text.matchAll(/"sequence":(\d+)/g)].map(([, digits]) => Number(digits));

async function overSocket(server: TestServer, token: string, after: number): Promise<StalledClient> {
  const raw = await openKnown(server, token);
  raw.socket.pause();
  raw.say({ type: 'subscribe', id: '1', payload: { query: follow(after) } });
  const text = (): string => JSON.stringify(raw.heard);
  return {
    resume: () => raw.socket.resume(),
    text,
    sequences: () => numbers(text()),
    closed: raw.ended.then(() => undefined),
    end: () => raw.socket.terminate(),
  };
}

async function overStream(server: TestServer, token: string, after: number): Promise<StalledClient> {
  const { hostname, port } = new URL(server.url);
  const socket = connect(Number(port), hostname).pause();
  const parts: Buffer[] = [];
  socket
    .on('error', () => undefined)
    .on('data', (part: Buffer) => parts.push(part))
    .pause();
  const path = `/graphql/stream?access_token=${token}&query=${encodeURIComponent(follow(after))}`;
  socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\nAccept: text/event-stream\r\n\r\n`);
  // The header of a chunk may be in the middle of a number.
  const text = (): string =>
    Buffer.concat(parts)
      .toString()
      .replace(/\r\n[0-9a-f]+\r\n/g, '');
  return await Promise.resolve({
    resume: () => void socket.resume(),
    text,
    sequences: () => numbers(text()),
    closed: new Promise<void>((resolve) => socket.once('close', () => resolve())),
    end: () => void socket.destroy(),
  });
}

export const STALLED = { 'a socket': overSocket, 'a stream': overStream } as const;

/** Number of records of 20 kB each: 30 MB, more than the socket buffers of the system hold. */
export const RECORDS = 1_500;
const PAGE = 100;

export async function recordMany(server: TestServer, member: Member): Promise<void> {
  const rows = Array.from({ length: PAGE }, () => report({ sent: 'x'.repeat(20_000) }));
  for (let n = 0; n < RECORDS / PAGE; n += 1) await record(server, member, rows);
}

/** Subscribes to the company's transactions without reading; resolves once the server reads no more pages for it. */
export async function stall(
  server: TestServer,
  open: (typeof STALLED)[keyof typeof STALLED],
  token: string,
  after = 0,
): Promise<{ readonly client: StalledClient; readonly pages: number }> {
  let pages = 0;
  const unwatch = server.app.database.watchStatements((text) => {
    if (text.includes('from "transactions" as "t"')) pages += 1;
  });
  const streams = await openStreams(server);
  const client = await open(server, token, after);
  await expect.poll(() => openStreams(server)).toBe(streams + 1);
  for (let before = -1; before !== pages;) {
    before = pages;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  unwatch();
  return { client, pages };
}
