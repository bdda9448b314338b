import { beforeAll, describe, expect, it } from 'vitest';

import { fleet, ledgerOf, rowsIn, totalIn } from '../support/fleet.js';
import { useServer, type Fields, type Reply } from '../support/server.js';

const server = useServer();
beforeAll(async () => {
  await fleet.logicalNumber(server.acme.client, 'owner');
});

const times = <T>(count: number, make: (n: number) => T): T[] =>
  Array.from({ length: count }, (_, n) => make(n));

/** Sends a request again as long as the server is too busy for it: such a request has changed nothing. */
async function unlessBusy(send: () => Promise<Reply>): Promise<Reply> {
  for (;;) {
    const reply = await send();
    if (reply.status !== 503) return reply;
  }
}

describe('concurrent requests', () => {
  it.each<[string, Fields, Fields]>([
    ['devices', { serial_number: 'CC-01' }, {}],
    ['logical_numbers', { number: 'CC-01' }, {}],
    ['groups', { name: 'CC-01' }, {}],
    ['parameters', { number: 'owner', key: 'CC-01', value: 'v' }, { number: 'owner' }],
    ['metacontents', { number: 'owner', key: 'CC-01', value: {} }, { number: 'owner' }],
  ])('CC-01 one of 50 equal creates of /v1/%s succeeds, the others are 409', async (path, body, selector) => {
    const { client } = server.acme;
    const before = await totalIn(client, path, selector);
    const replies = await Promise.all(times(50, () => client.post(path, body)));
    const statuses = replies.map((reply) => reply.status).sort();
    expect(statuses).toEqual([201, ...times(49, () => 409)]);
    expect(await totalIn(client, path, selector)).toBe(before + 1);
  });

  it('CC-03 100 updates without If-Match are applied one after the other, each as a whole', async () => {
    const { client } = server.acme;
    const id = await fleet.device(client, 'CC-03');
    const numbers = await Promise.all(times(100, (n) => fleet.logicalNumber(client, `CC-03 ${n}`)));
    // No two are equal: one that follows its equal would change nothing, and is no entry of the history.
    const sets: Fields[] = numbers.map((id, n) => ({ enabled: n % 2 === 0, logical_number_id: id }));
    const replies = await Promise.all(sets.map((fields) => client.put('devices/CC-03', fields)));
    for (const [n, reply] of replies.entries()) expect(reply.record('device')).toMatchObject(sets[n] ?? {});

    const entries = (await ledgerOf(server, server.acme, 'device', id)).slice(1);
    expect(entries).toHaveLength(100);
    for (const [n, { before, after }] of entries.entries()) {
      expect(after?.revision).toBe(n + 2);
      if (n > 0) expect(before).toEqual(entries[n - 1]?.after);
      expect(String(after?.updatedAt) >= String(before?.updatedAt)).toBe(true);
    }
    const { enabled, logicalNumberId } = entries.at(-1)?.after ?? {};
    const last = (await client.get(`devices/${id}`)).record('device');
    expect(last).toMatchObject({ enabled, logical_number_id: logicalNumberId });
  });

  it('CC-14 an update concurrent with a deletion does not bring the record back', async () => {
    const { client } = server.acme;
    const race = async (n: number): Promise<void> => {
      const id = await fleet.device(client, `CC-14 ${n}`);
      const path = `devices/CC-14%20${n}`;
      const put = () => unlessBusy(() => client.put(path, { enabled: false }));
      const remove = () => unlessBusy(() => client.delete(path));
      const [first, second] = n % 2 === 0 ? [put, remove] : [remove, put];
      const replies = await Promise.all([first(), second()]);
      const [changed, deleted] = n % 2 === 0 ? replies : [replies[1], replies[0]];
      expect([200, 404]).toContain(changed.status);
      expect([deleted.status, deleted.body]).toEqual([200, {}]);
      expect((await client.get(`devices/${id}`)).status).toBe(404);
    };
    for (let start = 0; start < 100; start += 50) await Promise.all(times(50, (n) => race(start + n)));
    expect(await rowsIn(server, 'devices', "serial_number like 'CC-14%'")).toBe(0);
  });
});
