import type { IPublishPacket } from 'mqtt';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';

import { sendCommand } from '../../src/domain/messages/command/command.service.js';
import { MINUTE, SECOND } from '../../src/platform/clock.js';
import { answered } from '../support/dashboard.js';
import { deliveriesOf, notify, reachable } from '../support/deliveries.js';
import { crcOf, fleet, rowsIn } from '../support/fleet.js';
import { type AedesBroker, startAedes } from '../support/mqtt/brokers.js';
import { connectTerminals, type SimulatedTerminals } from '../support/mqtt/terminals.js';
import { ownServer, type Member, startServer, type TestServer } from '../support/server.js';
import { softwareOfDevice } from '../support/software.js';
import { stockedTerminal } from '../support/stocked-terminal.js';
import { waitFor } from '../support/wait-for.js';

let broker: AedesBroker;
let server: TestServer;
let acme: Member;
beforeEach(async () => {
  broker = await startAedes();
  server = await startServer({ mqtt: broker.settings });
  ({ acme } = server);
  await waitFor(async () => expect(await metrics()).toMatch(/^mqtt_connected 1$/m));
});
afterEach(async () => {
  await server.stop();
  await broker.stop();
});

async function terminals(behaviour = {}): Promise<SimulatedTerminals> {
  const simulated = await connectTerminals(broker.port, behaviour);
  onTestFinished(() => simulated.stop());
  return simulated;
}

const topicOf = (number: string, { caller }: Member = acme): string =>
  `terminals/${caller.companyId}/${number}/notifications`;
const confirmTopic = (number: string): string => topicOf(number).replace(/notifications$/, 'confirm');
const hello = (simulated: SimulatedTerminals, number: string): Promise<unknown> =>
  simulated.client.publishAsync(confirmTopic(number), '{"type":"hello"}', { qos: 1 });
const states = async (member = acme): Promise<string[]> =>
  (await deliveriesOf(server, member)).map(({ state }) => state);
const metrics = async (): Promise<string> => await (await fetch(new URL('/metrics', server.url))).text();

describe('commands over MQTT', () => {
  it('go to the number of their device, to be kept by no broker, if it has it alone', async () => {
    const simulated = await terminals();
    const packets: IPublishPacket[] = [];
    simulated.client.on('message', (_topic, _payload, packet) => packets.push(packet));
    await reachable(acme, '100');
    const [device] = await server.app.database.reads.selectFrom('devices').selectAll().execute();
    const id = device?.id ?? 0;
    const send = () =>
      server.app.units.write(acme.caller, (work) => sendCommand(work, { action: 'REBOOT' }, [id]));
    await send();
    await waitFor(async () => expect(await states()).toEqual(['delivered']));
    const [packet] = packets;
    expect([packet?.topic, packet?.qos]).toEqual([topicOf('100'), 0]);
    expect(JSON.parse(String(packet?.payload))).toEqual({
      message: '1|REBOOT|',
      command: '1',
      expires_at: expect.stringMatching(/^20.+Z$/) as string,
    });
    const number = device?.logical_number_id;
    await acme.client.post('devices', { serial_number: 'second', logical_number_id: number });
    await send();
    await hello(simulated, '100');
    await waitFor(async () =>
      expect(await metrics()).toMatch(/^mqtt_confirmations_total{outcome="hello"} 1$/m),
    );
    expect(await states()).toEqual(['delivered', 'queued']);
    expect(packets).toHaveLength(1);
  });
});

describe('notifications over MQTT', () => {
  it('are delivered when their terminal has confirmed them, in order', async () => {
    const simulated = await terminals();
    for (const number of ['100', 'Loja 7/A']) await reachable(acme, number);
    await reachable(server.beta, '100');
    await notify(server, acme, 'one', '100', 'Loja 7/A');
    await notify(server, acme, 'two', '100');
    await notify(server, server.beta, 'other', '100');
    await waitFor(async () => expect(await states()).toEqual(['delivered', 'delivered', 'delivered']));
    await waitFor(async () => expect(await states(server.beta)).toEqual(['delivered']));
    const first = simulated.first();
    expect(first.get(topicOf('100'))).toEqual(['1', '3']);
    expect(first.get(topicOf('Loja%207%2FA'))).toEqual(['2']);
    expect(first.get(topicOf('100', server.beta))).toHaveLength(1);
    const values = ['connected 1', 'connections_total 1', 'published_total 4', 'acknowledged_total 4'];
    const confirmed = 'confirmations_total{outcome="confirmed"} 4';
    const shown = (await metrics()).split('\n');
    for (const value of [...values, 'returned_total 0', 'in_flight 0', confirmed])
      expect(shown).toContain(`mqtt_${value}`);
  });

  it('are sent again, with the same id, until they are confirmed', async () => {
    const simulated = await terminals({ confirms: false });
    await reachable(acme, '100');
    await notify(server, acme, 'one', '100');
    await notify(server, acme, 'two', '100');
    await waitFor(async () => expect(await states()).toEqual(['sent', 'queued']));
    server.clock.advance(31 * SECOND);
    await waitFor(() => expect(simulated.received.map(({ id }) => id)).toEqual(['1', '1']));
    await simulated.confirm(topicOf('100'), '1');
    await waitFor(() => expect(simulated.received.map(({ id }) => id)).toEqual(['1', '1', '2']));
    expect(await states()).toEqual(['delivered', expect.stringMatching(/queued|sent/)]);
  });

  it('that were sent are there for a terminal that asks over HTTP too', async () => {
    await reachable(acme, '100');
    await notify(server, acme, 'one', '100');
    await waitFor(async () => expect(await states()).toEqual(['sent']));
    expect(await rowsIn(server, 'notification_deliveries', 'lease_ends_at is null')).toBe(1);
  });
});

describe('a report of an installation over MQTT', () => {
  it('counts like one over HTTP, for the only device of the logical number', async () => {
    const simulated = await terminals();
    const terminal = await stockedTerminal(acme, 'sale');
    const crc = crcOf(Buffer.from('bytecode of sale'));
    const publish = (fields: object, number = 'number%20of%20sale') =>
      simulated.client.publishAsync(
        confirmTopic(number),
        JSON.stringify({ type: 'install', name: 'acmepagamentos_sale.posxml', crc, ...fields }),
        { qos: 1 },
      );
    const status = async () => (await softwareOfDevice(acme, terminal.serialNumber))[0];
    await publish({ result: 'failed', code: 'SPACE' });
    await waitFor(async () => expect(await status()).toMatchObject({ state: 'FAILED', reason: 'SPACE' }));
    await publish({ result: 'installed' });
    await waitFor(async () => expect(await status()).toMatchObject({ state: 'INSTALLED' }));
    for (const [fields, number] of [
      [{ result: 'done' }],
      [{ result: 'failed', crc: 'x' }],
      [{ result: 'failed', name: 'acmepagamentos_none.posxml' }],
      [{ result: 'failed' }, 'none'],
    ] as const) {
      await publish(fields, number);
    }
    await waitFor(async () => {
      const shown = (await metrics()).split('\n');
      for (const outcome of ['"installed"} 2', '"ignored"} 2', '"unknown"} 2']) {
        expect(shown).toContain(`mqtt_confirmations_total{outcome=${outcome}`);
      }
    });
    expect(await status()).toMatchObject({ state: 'INSTALLED' });
  });
});

describe('a hello over MQTT', () => {
  it('brings what was sent before the terminal came, and then the next ones, in order', async () => {
    for (const number of ['100', '200']) await reachable(acme, number);
    await notify(server, acme, 'one', '100', '200');
    await notify(server, acme, 'two', '100');
    await waitFor(async () => expect(await states()).toEqual(['sent', 'sent', 'queued']));
    server.clock.advance(2 * SECOND);
    const simulated = await terminals();
    for (let time = 0; time < 20; time += 1) await hello(simulated, '100');
    await waitFor(async () => expect(await states()).toEqual(['delivered', 'sent', 'delivered']));
    expect(simulated.received.map(({ id }) => id)).toEqual(['1', '3']);
    const shown = await metrics();
    expect(shown).toMatch(/outcome="hello"\} 1$/m);
    expect(shown).toMatch(/outcome="ignored"\} 19$/m);
    expect((await deliveriesOf(server, acme)).map(({ attempts }) => attempts)).toEqual([1, 1, 1]);
  });

  it('does not bring again what came a moment before and may be confirmed, and 2 seconds later it does', async () => {
    server.clock.stop();
    const simulated = await terminals({ confirms: false });
    for (const number of ['100', '200']) {
      await reachable(acme, number);
      await notify(server, acme, 'one', number);
    }
    await waitFor(() => expect(simulated.received).toHaveLength(2));
    await waitFor(async () => expect(await states()).toEqual(['sent', 'sent']));
    for (const number of ['100', '200']) await hello(simulated, number);
    await waitFor(async () => expect(await metrics()).toMatch(/outcome="hello"\} 2$/m));
    await simulated.confirm(topicOf('100'), '1');
    await waitFor(async () => expect(await states()).toEqual(['delivered', 'sent']));
    server.clock.advance(2 * SECOND - 1);
    await notify(server, acme, 'two', '100');
    await waitFor(() => expect(simulated.received.map(({ id }) => id)).toEqual(['1', '2', '3']));
    server.clock.advance(1);
    await waitFor(() => expect(simulated.received.map(({ id }) => id)).toEqual(['1', '2', '3', '2']));
  });
});

describe('confirmations over MQTT', () => {
  it('count once, from the topic of their terminal only', async () => {
    const simulated = await terminals({ confirms: false });
    for (const number of ['100', '200']) await reachable(acme, number);
    await reachable(server.beta, '100');
    await notify(server, acme, 'one', '100');
    await waitFor(async () => expect(await states()).toEqual(['sent']));
    await simulated.confirm(topicOf('200'), '1');
    await simulated.confirm(topicOf('100', server.beta), '1');
    await simulated.confirm(`terminals/999999/100/notifications`, '1');
    await simulated.confirm(topicOf('300'), '1');
    await simulated.confirm(topicOf('100'), '2');
    await simulated.client.publishAsync(confirmTopic('100'), '{', { qos: 1 });
    const outcomes = async (): Promise<Record<string, number>> => {
      const shown = (await metrics()).matchAll(/^mqtt_confirmations_total\{outcome="(\w+)"\} (.*)$/gm);
      return Object.fromEntries([...shown].map(([, outcome = '', total]) => [outcome, Number(total)]));
    };
    await waitFor(async () => expect(await outcomes()).toEqual({ unknown: 5, ignored: 1 }));
    expect(await states()).toEqual(['sent']);
    for (let time = 0; time < 3; time += 1) await simulated.confirm(topicOf('100'), '1');
    const all = { confirmed: 1, repeated: 2, unknown: 5, ignored: 1 };
    await waitFor(async () => expect(await outcomes()).toEqual(all));
    expect(await states()).toEqual(['delivered']);
  });

  it('AT-33 do not count, and nothing is sent, once the device is disabled or deleted', async () => {
    const simulated = await terminals({ confirms: false });
    for (const number of ['100', '200']) await reachable(acme, number);
    await notify(server, acme, 'one', '100', '200');
    await waitFor(async () => expect(await states()).toEqual(['sent', 'sent']));
    expect((await acme.client.put('devices/SN-100', { enabled: false })).status).toBe(200);
    expect((await acme.client.delete('devices/SN-200')).status).toBe(200);
    await simulated.confirm(topicOf('100'), '1');
    await simulated.confirm(topicOf('200'), '2');
    await notify(server, acme, 'two', '100', '200');
    server.clock.advance(5 * MINUTE);
    await waitFor(async () => expect(await metrics()).toMatch(/outcome="unknown"\} 2$/m));
    await waitFor(async () => expect(await dueNow()).toBe(0));
    expect(await states()).toEqual(['sent', 'sent', 'queued', 'queued']);
    expect(simulated.received.length).toBe(2);
    await acme.client.put('devices/SN-100', { enabled: true });
    await waitFor(() => expect(simulated.received.map(({ id }) => id).at(-1)).toBe('1'));
  });
});

async function dueNow(): Promise<number> {
  const query = 'select count(*) as due from notification_deliveries where due_at <= $1';
  return (await server.place.sql<{ due: number }>(query, [server.clock.now()]))[0]?.due ?? -1;
}

describe('a broker that is away', () => {
  it('is no condition of readiness, which says so', async () => {
    const checks = async (): Promise<unknown> => {
      const response = await fetch(new URL('/readyz', server.url));
      const { checks: shown } = (await response.json()) as { readonly checks: Record<string, unknown> };
      return [response.status, shown.mqtt];
    };
    await waitFor(async () => expect(await checks()).toEqual([200, { ok: true, note: 'connected' }]));
    await broker.stop();
    await waitFor(async () => expect(await checks()).toEqual([200, { ok: true, note: 'not_connected' }]));
    expect(await metrics()).toMatch(/^mqtt_connected 0$/m);
    expect(server.logs.join('')).toContain('MQTT broker not connected');
  });

  it('CF-45 loses no notification: all go out, in order, when it is back', async () => {
    const numbers = Array.from({ length: 40 }, (_, index) => String(100 + index));
    for (const number of numbers) await reachable(acme, number);
    await broker.stop();
    for (let part = 0; part < 5; part += 1) await notify(server, acme, `part ${part}`, ...numbers);
    server.clock.advance(10 * MINUTE);
    expect(await states()).toEqual(Array(200).fill('queued'));
    broker = await startAedes({ port: broker.port });
    const simulated = await terminals();
    const isDelivered = async () => expect(new Set(await states())).toEqual(new Set(['delivered']));
    await waitFor(isDelivered, { interval: 200 });
    for (const [index, number] of numbers.entries()) {
      const expected = [0, 1, 2, 3, 4].map((part) => String(1 + part * 40 + index));
      expect(simulated.first().get(topicOf(number))).toEqual(expected);
    }
  });
});

describe('without MQTT_URL', () => {
  it('there are neither metrics nor a check of a broker', async () => {
    const plain = await ownServer();
    const shown = await (await fetch(new URL('/metrics', plain.url))).text();
    expect(shown).not.toContain('mqtt');
    expect(await (await fetch(new URL('/readyz', plain.url))).text()).not.toContain('mqtt');
  });
});

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
    const simulated = await terminals({ confirms: false });
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
    const simulated = await terminals({ confirms: false });
    for (const number of ['200', '400']) await reachable(acme, number);
    const shared = await fleet.logicalNumber(acme.client, '500');
    for (const serialNumber of ['SN-500', 'SN-501', 'SN-502']) {
      await fleet.device(acme.client, serialNumber, { logical_number_id: shared });
    }
    await acme.client.put('devices/SN-200', { enabled: false });
    for (const number of ['200', '500', '999']) await simulated.confirm(topicOf(number), '1');
    // Retained before its device exists, so that it counts for none when it is sent.
    const retained = confirmTopic('300');
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
    const simulated = await terminals({ confirms: false });
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
    const simulated = await terminals({ confirms: false });
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
