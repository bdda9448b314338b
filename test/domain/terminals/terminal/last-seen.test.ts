import { describe, expect, it } from 'vitest';

import { SeenDevices } from '../../../../src/domain/terminals/terminal/access.service.js';
import { HOUR, MINUTE } from '../../../../src/platform/clock.js';
import { answered, nodeId } from '../../../support/dashboard.js';
import { ledgerOf } from '../../../support/fleet.js';
import { startServer, useServer, type Member } from '../../../support/server.js';
import { fails, newTerminal, outcomeOf, report } from '../../../support/terminals.js';

const server = useServer();

type Terminal = Awaited<ReturnType<typeof newTerminal>>;

interface Seen {
  readonly presence: string;
  readonly lastSeenAt: string | null;
}

const QUERY = 'query ($id: ID!) { device(id: $id) { presence lastSeenAt } }';

async function seen(id: number, member: Member = server.acme): Promise<Seen | null> {
  return (await answered<{ device: Seen | null }>(member, QUERY, { id: nodeId('Device', id) })).device;
}

/** Lets so much time pass that what is seen next is stored soon: a company is written every five seconds at most. */
const untilNextWrite = (): void => server.clock.advance(5_000);
const isSeen = async (id: number): Promise<unknown> =>
  await expect.poll(() => seen(id)).not.toMatchObject({ lastSeenAt: null });

/** Recorder of one node; its `finish` stores the recorded times. */
const newNode = (): SeenDevices => new SeenDevices(server.app.units, server.clock, fails);

const writes = (statements: readonly string[]): string[] =>
  statements.filter((text) => text.includes('update device_presence set last_seen_at'));

describe('Device.lastSeenAt', () => {
  it('is the time of the last request that was admitted, by the clock of the server', async () => {
    const { id, token } = await newTerminal(server.acme, 'SN-1');
    expect(await seen(id)).toEqual({ presence: 'NEVER_SEEN', lastSeenAt: null });
    const before = await server.acme.client.get(`devices/${id}`);
    const entries = await ledgerOf(server, server.acme, 'device', id);
    const from = server.clock.now().toISOString();
    await report(server, token);
    await isSeen(id);
    const { lastSeenAt, presence } = (await seen(id)) ?? {};
    expect(presence).toBe('ONLINE');
    expect(String(lastSeenAt) >= from && String(lastSeenAt) <= server.clock.now().toISOString()).toBe(true);
    const after = await server.acme.client.get(`devices/${id}`);
    expect([after.text, after.headers.get('etag')]).toEqual([before.text, before.headers.get('etag')]);
    expect(await ledgerOf(server, server.acme, 'device', id)).toEqual(entries);
    expect(JSON.stringify(entries)).not.toContain('lastSeen');
  });

  it('is also that of a request whose body is refused, but not of a terminal that is refused', async () => {
    const { id, token } = await newTerminal(server.acme, 'SN-2');
    const disabled = await newTerminal(server.acme, 'SN-3');
    await server.acme.client.put('devices/SN-3', { enabled: false });
    untilNextWrite();
    expect(outcomeOf(await report(server, disabled.token))).toBe('403 terminal_disabled');
    expect((await report(server, token, { meta: { model: {} } })).status).toBe(422);
    await isSeen(id);
    expect(await seen(disabled.id)).toMatchObject({ presence: 'NEVER_SEEN' });
  });

  it('of many terminals is one statement, however often they ask', async () => {
    const terminals: Terminal[] = [];
    for (let n = 0; n < 5; n += 1) terminals.push(await newTerminal(server.acme, `SN-MANY-${n}`));
    const last = terminals.at(-1)?.id ?? 0;
    untilNextWrite();
    const { statements } = await server.statements(async () => {
      for (let n = 0; n < 4; n += 1) {
        await Promise.all(terminals.map(({ token }) => report(server, token)));
      }
      await isSeen(last);
    });
    expect(writes(statements).length).toBeGreaterThan(0);
    expect(writes(statements).length).toBeLessThanOrEqual(2);
  });

  it('is written once a minute, then as the time of the last request', async () => {
    const { id } = await newTerminal(server.acme, 'SN-5');
    const { companyId } = server.acme.caller;
    const node = newNode();
    const times = Array.from({ length: 8 }, (_, n) => new Date(server.clock.now().getTime() + n * 1000));
    const { statements } = await server.statements(async () => {
      for (const time of times.slice(0, 4)) node.note(companyId, id, time);
      await isSeen(id);
      for (const time of times.slice(4)) node.note(companyId, id, time);
      await new Promise((resolve) => setTimeout(resolve, 600));
      server.clock.advance(6_000);
    });
    expect(writes(statements)).toHaveLength(1);
    expect(await seen(id)).toMatchObject({ lastSeenAt: times[3]?.toISOString() });
    server.clock.advance(MINUTE);
    await expect.poll(() => seen(id)).toMatchObject({ lastSeenAt: times.at(-1)?.toISOString() });
    await node.finish();
  });

  it('is the latest of what several nodes write', async () => {
    const { id } = await newTerminal(server.acme, 'SN-6');
    const { companyId } = server.acme.caller;
    const nodes = [newNode(), newNode(), newNode()] as const;
    const now = server.clock.now().getTime();
    nodes[0].note(companyId, id, new Date(now - 2 * HOUR));
    nodes[1].note(companyId, id, new Date(now - HOUR));
    nodes[2].note(companyId, id, new Date(now - 3 * HOUR));
    for (const node of nodes) await node.finish();
    expect(await seen(id)).toEqual({ presence: 'STALE', lastSeenAt: new Date(now - HOUR).toISOString() });
  });

  it('is set right again after a clock was wrong, but not moved back by clocks that differ a little', async () => {
    const { id } = await newTerminal(server.acme, 'SN-CLOCK');
    const { companyId } = server.acme.caller;
    const now = server.clock.now().getTime();
    const shown: unknown[] = [];
    for (const ahead of [MINUTE, 0, 400 * 24 * HOUR, 0]) {
      const node = newNode();
      node.note(companyId, id, new Date(now + ahead));
      await node.finish();
      shown.push((await seen(id))?.lastSeenAt);
    }
    const node = newNode();
    for (const ahead of [400 * 24 * HOUR, 2_000]) node.note(companyId, id, new Date(now + ahead));
    await node.finish();
    shown.push((await seen(id))?.lastSeenAt);
    const at = (ahead: number): string => new Date(now + ahead).toISOString();
    expect(shown).toEqual([at(MINUTE), at(MINUTE), at(400 * 24 * HOUR), at(0), at(2_000)]);
  });

  it('is written by a node that stops, with requests that it answered last', async () => {
    const other = await startServer();
    const own = await newTerminal(other.acme, 'SN-8');
    const { place } = other;
    await report(other, own.token);
    await report(other, own.token);
    await other.app.stop();
    const [row] = await place.sql<{ last_seen_at: number }>(
      'select last_seen_at from device_presence where device_id = $1',
      [own.id],
    );
    expect(Number(row?.last_seen_at)).toBeGreaterThan(0);
    await place.remove();
  });
});

describe('a node of its own', () => {
  it('uses the times of its settings', async () => {
    const strict = await startServer({ presence: { staleMs: 2 * MINUTE, offlineMs: 3 * MINUTE } });
    const { id, token } = await newTerminal(strict.acme, 'SN-9');
    const presences: string[] = [];
    const ask = async (): Promise<void> => {
      const { device } = await answered<{ device: Seen }>(strict.acme, QUERY, { id: nodeId('Device', id) });
      presences.push(device.presence);
    };
    await ask();
    await report(strict, token);
    await expect.poll(async () => (await ask(), presences.at(-1))).toBe('ONLINE');
    strict.clock.advance(2 * MINUTE);
    await ask();
    strict.clock.advance(MINUTE);
    await ask();
    expect(presences.slice(-3)).toEqual(['ONLINE', 'STALE', 'OFFLINE']);
    await strict.stop();
  });
});
