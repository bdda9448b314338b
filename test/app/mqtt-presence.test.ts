import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';

import { MINUTE } from '../../src/platform/clock.js';
import { answered } from '../support/dashboard.js';
import { deliveriesOf, notify, reachable } from '../support/deliveries.js';
import { fleet } from '../support/fleet.js';
import { startAedes, type AedesBroker } from '../support/mqtt/brokers.js';
import { connectTerminals, type SimulatedTerminals } from '../support/mqtt/terminals.js';
import { startServer, type Member, type TestServer } from '../support/server.js';
import { waitFor } from '../support/wait-for.js';

let server: TestServer;
let acme: Member;
let broker: AedesBroker;
beforeEach(async () => {
  broker = await startAedes();
  server = await startServer({ mqtt: broker.settings });
  acme = server.acme;
  await waitFor(async () => expect(await metrics()).toMatch(/^mqtt_connected 1$/m));
  return async () => {
    await server.stop();
    await broker.stop();
  };
});

const metrics = async (): Promise<string> => await (await fetch(new URL('/metrics', server.url))).text();

async function terminals(): Promise<SimulatedTerminals> {
  const simulated = await connectTerminals(broker.port, { confirms: false });
  onTestFinished(() => simulated.stop());
  return simulated;
}

const topicOf = (number: string, { caller }: Member = acme): string =>
  `terminals/${caller.companyId}/${number}/notifications`;

interface Seen {
  readonly serialNumber: string;
  readonly presence: string;
  readonly lastSeenAt: string | null;
}

async function devices(member: Member = acme): Promise<readonly Seen[]> {
  const query = '{ devices(first: 100) { nodes { serialNumber presence lastSeenAt } } }';
  return (await answered<{ devices: { nodes: Seen[] } }>(member, query)).devices.nodes;
}

/** Serial numbers of those that were seen. */
const seen = async (member: Member = acme): Promise<string[]> =>
  (await devices(member)).filter(({ lastSeenAt }) => lastSeenAt !== null).map((each) => each.serialNumber);

const confirmations = async (): Promise<number> => {
  const counts = [...(await metrics()).matchAll(/^mqtt_confirmations_total\{.*\} (.*)$/gm)];
  return counts.reduce((sum, [, count]) => sum + Number(count), 0);
};

const writes = (statements: readonly string[]): string[] =>
  statements.filter((text) => text.includes('update device_presence set last_seen_at'));

describe('a terminal that confirms over MQTT', () => {
  it('was seen then, whatever it confirms, and is online', async () => {
    const simulated = await terminals();
    for (const number of ['100', '200', '300']) await reachable(acme, number);
    // In the other company, the same ids are those of other numbers and devices.
    const other = await fleet.logicalNumber(server.beta.client, '900');
    await fleet.device(server.beta.client, 'SN-1');
    await fleet.device(server.beta.client, 'SN-2', { logical_number_id: other });
    await reachable(server.beta, '100');
    await notify(server, acme, 'one', '100');
    await waitFor(() => expect(simulated.received).toHaveLength(1));
    const from = server.clock.now().toISOString();
    await simulated.confirm(topicOf('100'), '1');
    await waitFor(async () => expect(await seen()).toEqual(['SN-100']));
    const [{ presence, lastSeenAt } = { presence: '', lastSeenAt: '' }] = await devices();
    expect(presence).toBe('ONLINE');
    expect(String(lastSeenAt) >= from && String(lastSeenAt) <= server.clock.now().toISOString()).toBe(true);
    server.clock.advance(MINUTE);
    await simulated.confirm(topicOf('200'), '4711');
    await waitFor(async () => expect(await seen()).toEqual(['SN-100', 'SN-200']));
    expect(await seen(server.beta)).toEqual([]);
  });

  it('is not known among several devices, or by a retained message; a disabled device is not seen', async () => {
    const simulated = await terminals();
    for (const number of ['200', '400']) await reachable(acme, number);
    const shared = await fleet.logicalNumber(acme.client, '500');
    for (const serialNumber of ['SN-500', 'SN-501', 'SN-502']) {
      await fleet.device(acme.client, serialNumber, { logical_number_id: shared });
    }
    await acme.client.put('devices/SN-200', { enabled: false });
    for (const number of ['200', '500', '999']) await simulated.confirm(topicOf(number), '1');
    // Retained before its device exists, so that it counts for none when it is sent.
    const retained = topicOf('300').replace(/notifications$/, 'confirm');
    const payload = JSON.stringify({ type: 'pnconf', event: '1' });
    await simulated.client.publishAsync(retained, payload, { qos: 1, retain: true });
    await waitFor(async () => expect(await confirmations()).toBe(4));
    await reachable(acme, '300');
    broker.cutConnections();
    await waitFor(async () => expect(await metrics()).toMatch(/^mqtt_connections_total 2$/m));
    await simulated.confirm(topicOf('400'), '1');
    await waitFor(async () => expect(await seen()).toEqual(['SN-400']));
    expect(await confirmations()).toBe(5);
    for (const serialNumber of ['SN-500', 'SN-502']) {
      await acme.client.put(`devices/${serialNumber}`, { enabled: false });
    }
    server.clock.advance(MINUTE);
    await simulated.confirm(topicOf('500'), '1');
    await waitFor(async () => expect(await seen()).toEqual(['SN-400', 'SN-501']));
  });

  it('is looked up with all that confirm together, and written with them once a minute', async () => {
    const simulated = await terminals();
    const numbers = Array.from({ length: 30 }, (_, index) => String(100 + index));
    for (const number of numbers) await reachable(acme, number);
    await notify(server, acme, 'one', ...numbers);
    await waitFor(() => expect(simulated.received).toHaveLength(30));
    const confirmAll = (): Promise<unknown> =>
      Promise.all(simulated.received.map(({ topic, id }) => simulated.confirm(topic, id)));
    const { statements } = await server.statements(async () => {
      for (let times = 1; times <= 4; times += 1) {
        await confirmAll();
        await waitFor(async () => expect(await confirmations()).toBe(30 * times));
      }
      server.clock.advance(10_000);
      await waitFor(async () => expect(await seen()).toHaveLength(30));
    });
    expect((await deliveriesOf(server, acme)).every(({ state }) => state === 'delivered')).toBe(true);
    const lookUps = statements.filter((text) => text.includes('as first'));
    expect(lookUps.length).toBeGreaterThan(0);
    expect(lookUps.length).toBeLessThan(60);
    expect(writes(statements).length).toBeGreaterThan(0);
    // One batch in each of these intervals at most; no device in two of them.
    expect(writes(statements).length).toBeLessThanOrEqual(3);
  });

  it('is stored as seen by a server that stops then', async () => {
    const other = await startServer({ mqtt: broker.settings });
    await reachable(other.acme, '100');
    const simulated = await terminals();
    const before = await confirmationsOf(other);
    await simulated.confirm(topicOf('100', other.acme), '1');
    await waitFor(async () => expect(await confirmationsOf(other)).not.toBe(before));
    await other.app.stop();
    const [row] = await other.place.sql<{ last_seen_at: number }>('select last_seen_at from device_presence');
    expect(Number(row?.last_seen_at)).toBeGreaterThan(0);
    await other.place.remove();
  });
});

async function confirmationsOf({ url }: TestServer): Promise<string> {
  const text = await (await fetch(new URL('/metrics', url))).text();
  return /^mqtt_confirmations_total.*$/m.exec(text)?.[0] ?? '';
}
