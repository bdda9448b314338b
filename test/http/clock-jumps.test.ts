import { describe, expect, it } from 'vitest';

import { DAY, HOUR } from '../../src/platform/clock.js';
import { useServerPerTest } from '../support/server.js';

const server = useServerPerTest();

const jumps: readonly [string, (now: Date) => Date][] = [
  ['a year ahead', (now) => new Date(now.getTime() + 365 * DAY)],
  ['two hours back', (now) => new Date(now.getTime() - 2 * HOUR)],
  ['the beginning of time', () => new Date(0)],
  ['the last second of 32 bits', () => new Date('2038-01-19T03:14:07Z')],
  ['a leap day', () => new Date('2028-02-29T23:59:59Z')],
];

describe('CF-27 a clock that jumps', () => {
  it.each(jumps)('to %s: requests succeed, and the order of records is unchanged', async (_where, to) => {
    const { client } = server.acme;
    await client.post('groups', { name: 'before' });
    server.clock.set(to(server.clock.now()));
    const now = server.clock.now().getTime();

    const created = await client.post('groups', { name: 'after' });
    expect(created.status).toBe(201);
    const after = server.clock.now().getTime();
    const createdAt = Date.parse(String(created.record('group').created_at));
    expect(createdAt).toBeGreaterThan(now - 1_000);
    expect(createdAt).toBeLessThanOrEqual(after);
    const reset = Number(created.headers.get('x-rate-limit-reset')) * 1000;
    expect(reset).toBeGreaterThan(now);
    expect(reset).toBeLessThanOrEqual(after + HOUR + 1_000);

    const changed = (await client.put('groups/before', { name: 'changed' })).record('group');
    expect(Date.parse(String(changed.updated_at))).toBeGreaterThanOrEqual(
      Date.parse(String(changed.created_at)),
    );
    const ids = (await client.get('groups')).list('groups').map((group) => group.id);
    expect(ids).toEqual(ids.toSorted((a, b) => Number(a) - Number(b)));
    await server.app.housekeeping.run();

    const rows = await server.place.sql<{ action: string }>('select action from ledger order by position');
    expect(rows.slice(-3).map(({ action }) => action)).toEqual(['create', 'create', 'update']);
    const times = server.logs.map((line) => (JSON.parse(line) as { duration_ms?: number }).duration_ms ?? 0);
    expect(Math.min(...times)).toBeGreaterThanOrEqual(0);
  });

  it('stored responses stay valid when it goes back', async () => {
    const { client } = server.acme;
    const headers = { 'idempotency-key': 'jump' };
    const first = await client.post('groups', { name: 'once' }, { headers });
    server.clock.set(new Date(server.clock.now().getTime() - 2 * HOUR));
    await server.app.housekeeping.run();
    const again = await client.post('groups', { name: 'once' }, { headers });
    expect([again.text, again.headers.get('idempotent-replayed')]).toEqual([first.text, 'true']);
  });
});
