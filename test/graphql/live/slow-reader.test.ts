import { beforeAll, describe, expect, it } from 'vitest';

import { PIECE_BYTES } from '../../../src/http/send.js';
import { record, report } from '../../domain/payments/transaction/records.js';
import { IDS_BEFORE_BETA, useServer } from '../../support/server.js';
import { RECORD_BYTES, RECORDS, recordMany, stallBoth } from '../../support/stalled-client.js';
import { openStreams } from '../../support/subscribe.js';

const server = useServer({}, { live: { recheckMs: 100 } });
beforeAll(async () => {
  for (const member of [server.acme, server.beta]) await recordMany(server, member);
});

/** Page size of the server. */
const PAGE = 25;

const ids = async (): Promise<number[]> => {
  const query = 'select id from transactions where company_id = $1 order by id';
  const rows = await server.place.sql<{ id: number }>(query, [server.acme.caller.companyId]);
  return rows.map(({ id }) => id);
};

describe('clients that do not read, one over a socket and one over a stream', () => {
  it('make the server read no further than their pages, and get everything later', async () => {
    const { clients, pages } = await stallBoth(server, server.acme.token);
    expect(pages).toBeGreaterThan(0);
    expect(pages).toBeLessThan(RECORDS / PAGE);
    expect((await server.acme.graphql('{ viewer { role } }')).status).toBe(200);
    for (let n = 0; n < 20; n += 1) await record(server, server.acme, [report()]);
    const expected = await ids();
    for (const client of clients) {
      expect(client.sequences().length).toBeLessThan(expected.length);
      client.resume();
      await expect.poll(() => client.sequences().length).toBe(expected.length);
      expect(client.sequences()).toEqual(expected);
      client.end();
    }
    await expect.poll(() => openStreams(server)).toBe(0);
  });

  it('GQ-16 lose their connections when their token is revoked', async () => {
    const { caller, token } = await server.member('beta', 'viewer');
    const { clients } = await stallBoth(server, token, IDS_BEFORE_BETA);
    await server.revoke({ caller });
    await expect.poll(() => openStreams(server)).toBe(0);
    for (const client of clients) {
      client.resume();
      await client.closed;
      expect(client.sequences().length).toBeLessThan(RECORDS);
    }
  });

  it('GQ-16 get no events that were already read for them when their right is gone', async () => {
    const sent = async (): Promise<number> => {
      const { text } = await server.anonymous.get('/metrics');
      const values = [...text.matchAll(/^graphql_stream_events_total\{.*\} (\d+)$/gm)];
      return values.reduce((sum, [, value]) => sum + Number(value), 0);
    };
    const { caller, token } = await server.member('beta', 'operator');
    const { clients } = await stallBoth(server, token, IDS_BEFORE_BETA);
    const before = await sent();
    await server.place.sql(`update access_tokens set scopes = '["ingest"]' where id = $1`, [caller.tokenId]);
    server.clock.advance(5_000);
    for (const client of clients) {
      client.resume();
      await expect.poll(() => client.text().includes('FORBIDDEN')).toBe(true);
      client.end();
    }
    // The message of each that was already sent, with as many events as fit into one.
    const inMessage = Math.floor(PIECE_BYTES / RECORD_BYTES);
    expect((await sent()) - before).toBeLessThanOrEqual(clients.length * inMessage);
  });

  it('get EVENTS_GONE instead of a gap if they read too late', async () => {
    const all = await ids();
    const { clients } = await stallBoth(server, server.acme.token, (all[0] ?? 0) - 1);
    const kept = all.at(-10) ?? 0;
    const { companyId } = server.acme.caller;
    await server.place.sql('delete from transactions where company_id = $1 and id < $2', [companyId, kept]);
    for (const client of clients) {
      client.resume();
      await expect.poll(() => client.text().includes('EVENTS_GONE')).toBe(true);
      const seen = client.sequences();
      expect(seen).toEqual(all.slice(0, seen.length));
      expect(seen.length).toBeLessThan(all.length - 10);
      expect(client.text().includes(`"resumeAfter":${kept - 1}`)).toBe(true);
      client.end();
    }
  });
});
