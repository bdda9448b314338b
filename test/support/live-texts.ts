import { expect } from 'vitest';

import { openKnown, type RawSocket } from './raw-socket.js';
import type { Fields, Member, TestServer } from './server.js';

/** A socket with subscriptions, and the text of each message of an event. */
export interface LiveTexts {
  readonly raw: RawSocket;
  /** Subscribes; `id` is that of the operation. */
  readonly subscribe: (id: string, query: string, variables?: Fields) => void;
  /** Payloads of the events of an operation, as they were sent. */
  readonly payloads: (id: string) => readonly string[];
  /** Resolves once an operation has so many events. */
  readonly until: (id: string, count: number) => Promise<readonly string[]>;
}

export async function liveTexts(server: TestServer, member: Pick<Member, 'token'>): Promise<LiveTexts> {
  const raw = await openKnown(server, member.token);
  const texts: string[] = [];
  raw.socket.on('message', (data: Buffer) => texts.push(data.toString()));
  const payloads = (id: string): readonly string[] => {
    const start = `{"id":"${id}","type":"next","payload":`;
    return texts.filter((text) => text.startsWith(start)).map((text) => text.slice(start.length, -1));
  };
  return {
    raw,
    payloads,
    subscribe: (id, query, variables) =>
      raw.say({ type: 'subscribe', id, payload: { query, ...(variables && { variables }) } }),
    until: async (id, count) => {
      await expect.poll(() => payloads(id).length, { interval: 10 }).toBeGreaterThanOrEqual(count);
      return payloads(id);
    },
  };
}

/** The sequences in payloads. */
export const sequencesIn = (payloads: readonly string[]): number[] =>
  payloads.map((payload) => Number(/"sequence":(\d+)/.exec(payload)?.[1]));
