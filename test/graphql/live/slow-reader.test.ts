import { beforeAll, describe, expect, it } from 'vitest';

import { record, report } from '../../domain/payments/transaction/records.js';
import { IDS_BEFORE_BETA } from '../../support/server.js';
import { RECORDS, recordMany, stall, STALLED } from '../../support/stalled-client.js';
import { openStreams } from '../../support/subscribe.js';
import { useServer } from '../../support/use-server.js';

const server = useServer();
beforeAll(async () => {
  await recordMany(server, server.acme);
});

/** Page size of the server. */
const PAGE = 25;

const ids = async (): Promise<number[]> => {
  const rows = await server.app.database.reads
    .selectFrom('transactions')
    .select('id')
    .where('company_id', '=', server.acme.caller.companyId)
    .orderBy('id')
    .execute();
  return rows.map(({ id }) => id);
};

describe.each(Object.entries(STALLED))('a client that does not read, over %s', (_way, open) => {
  it('makes the server read no further than its page, and gets everything later', async () => {
    const { client, pages } = await stall(server, open, server.acme.token);
    expect(pages).toBeGreaterThan(0);
    expect(pages).toBeLessThan(RECORDS / PAGE / 2);
    expect((await server.acme.graphql('{ viewer { role } }')).status).toBe(200);
    for (let n = 0; n < 20; n += 1) await record(server, server.acme, [report()]);
    const expected = await ids();
    expect(client.sequences().length).toBeLessThan(expected.length);
    client.resume();
    await expect.poll(() => client.sequences().length).toBe(expected.length);
    expect(client.sequences()).toEqual(expected);
    client.end();
    await expect.poll(() => openStreams(server)).toBe(0);
  });
});

describe.each(Object.entries(STALLED))('a client that reads too late, over %s', (_way, open) => {
  it('gets EVENTS_GONE instead of a gap', async () => {
    const viewer = await server.member('acme', 'viewer');
    await recordMany(server, server.acme);
    const all = await ids();
    const { client } = await stall(server, open, viewer.token, (all[0] ?? 0) - 1);
    const kept = all.at(-10) ?? 0;
    await server.app.database.writes.deleteFrom('transactions').where('id', '<', kept).execute();
    client.resume();
    await expect.poll(() => client.text().includes('EVENTS_GONE')).toBe(true);
    const seen = client.sequences();
    expect(seen).toEqual(all.slice(0, seen.length));
    expect(seen.length).toBeLessThan(all.length - 10);
    expect(client.text().includes(`"resumeAfter":${kept - 1}`)).toBe(true);
    client.end();
    await recordMany(server, server.acme);
    await server.app.database.writes
      .deleteFrom('transactions')
      .where('id', '<', kept + 10)
      .execute();
  });
});

describe.each(Object.entries(STALLED))(
  'a client that reads after its right is gone, over %s',
  (_way, open) => {
    const sent = async (): Promise<number> => {
      const { text } = await server.anonymous.get('/metrics');
      const values = [...text.matchAll(/^graphql_stream_events_total\{.*\} (\d+)$/gm)];
      return values.reduce((sum, [, value]) => sum + Number(value), 0);
    };

    it('GQ-16 gets no events that were already read for it', async () => {
      const member = await server.member('beta', 'operator');
      await recordMany(server, server.beta);
      const { client } = await stall(server, open, member.token, IDS_BEFORE_BETA);
      const before = await sent();
      await server.app.database.writes
        .updateTable('access_tokens')
        .set({ scopes: JSON.stringify(['ingest']) })
        .where('id', '=', member.caller.tokenId ?? 0)
        .execute();
      server.clock.advance(5_000);
      client.resume();
      await expect.poll(() => client.text().includes('FORBIDDEN')).toBe(true);
      // The event that was already sent.
      expect((await sent()) - before).toBeLessThanOrEqual(1);
      client.end();
    });
  },
);
