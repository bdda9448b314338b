import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { LIVE_LIMITS } from '../../../src/graphql/live/limits.js';
import { openKnown, openRaw, type RawSocket } from '../../support/raw-socket.js';
import { startServer, type Member, type TestServer } from '../../support/server.js';

let server: TestServer;
let streams: AbortController[] = [];
beforeEach(async () => {
  server = await startServer({ trustProxy: ['127.0.0.1'] });
});
afterEach(async () => {
  for (const stream of streams) stream.abort();
  streams = [];
  await server.stop();
});

const FOLLOW = 'subscription { ledgerAppended { sequence } }';
const NETWORKS = 8;
const responses: Response[] = [];

/** One of the addresses, so that none has as many connections as an address may have. */
const from = (n: number): { readonly headers: Record<string, string> } => ({
  headers: { 'x-forwarded-for': `198.51.100.${n % NETWORKS}` },
});

/** An event stream that stays open; its status and what a refusal says. */
async function openStream({ token }: Pick<Member, 'token'>, n: number): Promise<readonly unknown[]> {
  const stop = new AbortController();
  const url = `${server.url}/graphql/stream?query=${encodeURIComponent(FOLLOW)}`;
  const headers = { ...from(n).headers, authorization: `Bearer ${token}`, accept: 'text/event-stream' };
  const response = await fetch(url, { headers, signal: stop.signal });
  if (response.ok) {
    streams.push(stop);
    // A response that nothing holds is collected, and its stream ends.
    responses.push(response);
    return [response.status];
  }
  return [response.status, response.headers.get('retry-after'), await response.text()];
}

const REASON = 'Too many connections of this company.';

/** How a socket with the token is refused; null for one that is open. */
async function refusalOf({ token }: Pick<Member, 'token'>, n: number): Promise<unknown> {
  const raw = await openRaw(server, from(n));
  raw.say({ type: 'connection_init', payload: { accessToken: token } });
  const refused = await Promise.race([raw.ended, raw.hear({ type: 'connection_ack' }).then(() => null)]);
  raw.socket.close();
  return refused;
}

describe('sockets and streams of one company', () => {
  it('are 400, from all addresses and with all tokens together; one that ends makes room', async () => {
    const { perCompany, perToken } = LIVE_LIMITS;
    const members: Member[] = [];
    for (let n = 0; n <= perCompany / perToken; n += 1) members.push(await server.member('beta', 'admin'));
    const sockets: RawSocket[] = [];
    for (let n = 0; n < perCompany; n += 1) {
      const member = members[Math.floor(n / perToken)];
      if (member === undefined) throw new Error('No member');
      // Each tenth is a stream.
      if (n % 10 === 0) expect(await openStream(member, n)).toEqual([200]);
      else sockets.push(await openKnown(server, member.token, from(n)));
    }
    const last = members.at(-1);
    if (last === undefined) throw new Error('No member');
    const refused = { code: 1013, reason: REASON };
    expect(await refusalOf(last, 9)).toEqual(refused);
    expect(await refusalOf(last, 10)).toEqual(refused);
    expect(await openStream(last, 11)).toEqual([503, '5', expect.stringContaining(REASON)]);
    // Another company has its own.
    expect(await refusalOf(server.acme, 9)).toBeNull();
    expect(await openStream(server.acme, 9)).toEqual([200]);

    sockets[0]?.socket.close();
    await expect.poll(() => refusalOf(last, 12)).toBeNull();
    await expect.poll(() => openStream(last, 13)).toEqual([200]);
    expect(await refusalOf(last, 14)).toEqual(refused);
    streams[0]?.abort();
    await expect.poll(() => openStream(last, 15)).toEqual([200]);
    expect((await openStream(last, 16)).slice(0, 2)).toEqual([503, '5']);
  });
});
