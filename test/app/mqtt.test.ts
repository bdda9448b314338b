import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';

import { MINUTE, SECOND } from '../../src/platform/clock.js';
import { deliveriesOf, notify, reachable } from '../support/deliveries.js';
import { startAedes, startFakeBroker, type AedesBroker } from '../support/mqtt/brokers.js';
import { connectTerminals, type SimulatedTerminals } from '../support/mqtt/terminals.js';
import { startServer, type Member, type TestServer } from '../support/server.js';
import { waitFor } from '../support/wait-for.js';

let broker: AedesBroker;
let server: TestServer;
let acme: Member;
beforeEach(async () => {
  broker = await startAedes();
  server = await startServer({ mqtt: broker.settings });
  ({ acme } = server);
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
const states = async (member = acme): Promise<string[]> =>
  (await deliveriesOf(server, member)).map(({ state }) => state);
const metrics = async (): Promise<string> => await (await fetch(new URL('/metrics', server.url))).text();

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
    const shown = await metrics();
    expect(shown).toMatch(/^mqtt_connected 1$/m);
    expect(shown).toMatch(/^mqtt_connections_total 1$/m);
    expect(shown).toMatch(/^mqtt_published_total 4$/m);
    expect(shown).toMatch(/^mqtt_acknowledged_total 4$/m);
    expect(shown).toMatch(/^mqtt_returned_total 0$/m);
    expect(shown).toMatch(/^mqtt_in_flight 0$/m);
    expect(shown).toMatch(/^mqtt_confirmations_total\{outcome="confirmed"\} 4$/m);
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
    const [delivery] = await server.app.database.reads
      .selectFrom('notification_deliveries')
      .select('lease_ends_at')
      .execute();
    expect(delivery?.lease_ends_at).toBeNull();
  });
});

describe('a hello over MQTT', () => {
  const hello = async (simulated: SimulatedTerminals, number: string): Promise<void> => {
    const topic = topicOf(number).replace(/notifications$/, 'confirm');
    await simulated.client.publishAsync(topic, '{"type":"hello"}', { qos: 1 });
  };

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
    const rows = await server.app.database.reads
      .selectFrom('notification_deliveries')
      .select('attempts')
      .orderBy('id')
      .execute();
    expect(rows.map(({ attempts }) => attempts)).toEqual([1, 1, 1]);
  });
});

describe('a hello after a notification that came a moment before', () => {
  it('does not bring it again while the terminal may confirm it, and 2 seconds later it does', async () => {
    server.clock.stop();
    const simulated = await terminals({ confirms: false });
    for (const number of ['100', '200']) {
      await reachable(acme, number);
      await notify(server, acme, 'one', number);
    }
    await waitFor(() => expect(simulated.received).toHaveLength(2));
    await waitFor(async () => expect(await states()).toEqual(['sent', 'sent']));
    for (const number of ['100', '200']) {
      const topic = topicOf(number).replace(/notifications$/, 'confirm');
      await simulated.client.publishAsync(topic, '{"type":"hello"}', { qos: 1 });
    }
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
    await simulated.client.publishAsync(topicOf('100').replace(/notifications$/, 'confirm'), '{', { qos: 1 });
    const outcomes = async (): Promise<(string | undefined)[]> => {
      const shown = await metrics();
      return ['confirmed', 'repeated', 'unknown', 'ignored'].map(
        (outcome) =>
          new RegExp(`^mqtt_confirmations_total\\{outcome="${outcome}"\\} (.*)$`, 'm').exec(shown)?.[1],
      );
    };
    await waitFor(async () => expect(await outcomes()).toEqual([undefined, undefined, '5', '1']));
    expect(await states()).toEqual(['sent']);
    for (let time = 0; time < 3; time += 1) await simulated.confirm(topicOf('100'), '1');
    await waitFor(async () => expect(await outcomes()).toEqual(['1', '2', '5', '1']));
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
  const now = server.clock.now().getTime();
  const rows = await server.app.database.reads
    .selectFrom('notification_deliveries')
    .select('due_at')
    .where('due_at', 'is not', null)
    .execute();
  return rows.filter(({ due_at: due }) => Number(due) <= now).length;
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
    await waitFor(async () => expect(new Set(await states())).toEqual(new Set(['delivered'])), {
      interval: 200,
    });
    for (const [index, number] of numbers.entries()) {
      const expected = [0, 1, 2, 3, 4].map((part) => String(1 + part * 40 + index));
      expect(simulated.first().get(topicOf(number))).toEqual(expected);
    }
  });
});

describe('CF-24 a broker that accepts connections and never answers', () => {
  it('is noticed by no client of the server', async () => {
    const silent = await startFakeBroker(() => undefined);
    const other = await startServer({ mqtt: silent.settings });
    onTestFinished(async () => {
      await other.stop();
      await silent.stop();
    });
    await reachable(other.acme, '100');
    await notify(other, other.acme, 'one', '100');
    expect((await deliveriesOf(other, other.acme)).map(({ state }) => state)).toEqual(['queued']);
    expect((await fetch(new URL('/readyz', other.url))).status).toBe(200);
  });
});

describe('without MQTT_URL', () => {
  it('there are neither metrics nor a check of a broker', async () => {
    const plain = await startServer();
    onTestFinished(() => plain.stop());
    const shown = await (await fetch(new URL('/metrics', plain.url))).text();
    expect(shown).not.toContain('mqtt');
    expect(await (await fetch(new URL('/readyz', plain.url))).text()).not.toContain('mqtt');
  });
});
