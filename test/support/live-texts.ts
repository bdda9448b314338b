import { expect } from 'vitest';

import { openKnown } from './raw-socket.js';
import type { Fields, Member, TestServer } from './server.js';

export type LiveTexts = Awaited<ReturnType<typeof liveTexts>>;

/** A socket with subscriptions, and the text of each message of an event. */
export async function liveTexts(server: TestServer, member: Pick<Member, 'token'>) {
  const raw = await openKnown(server, member.token);
  const texts: string[] = [];
  raw.socket.on('message', (data: Buffer) => texts.push(data.toString()));
  /** Payloads of the events of an operation, as they were sent. */
  const payloads = (id: string): readonly string[] => {
    const start = `{"id":"${id}","type":"next","payload":`;
    return texts.filter((text) => text.startsWith(start)).map((text) => text.slice(start.length, -1));
  };
  return {
    raw,
    payloads,
    /** Subscribes; `id` is that of the operation. */
    subscribe: (id: string, query: string, variables?: Fields) =>
      raw.say({ type: 'subscribe', id, payload: { query, ...(variables && { variables }) } }),
    /** Resolves once an operation has so many events. */
    until: async (id: string, count: number) => {
      await expect.poll(() => payloads(id).length, { interval: 10 }).toBeGreaterThanOrEqual(count);
      return payloads(id);
    },
  };
}

/** The sequences in payloads. */
export const sequencesIn = (payloads: readonly string[]): number[] =>
  payloads.map((payload) => Number(/"sequence":(\d+)/.exec(payload)?.[1]));
