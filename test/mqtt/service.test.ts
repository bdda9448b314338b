import type { Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';

import type { LinkTimes } from '../../src/mqtt/connection.js';
import { createMqttService, MAX_HELD, type MqttService } from '../../src/mqtt/service.js';
import { systemClock } from '../../src/platform/clock.js';
import { DispatchRate } from '../../src/platform/concurrency/dispatch-rate.js';
import type { MqttSettings } from '../../src/platform/config/mqtt.js';
import { createLogger } from '../../src/platform/logger.js';
import { freePort } from '../support/free-port.js';
import { brokerAt, startAedes, startFakeBroker } from '../support/mqtt/brokers.js';
import { MemoryQueue } from '../support/mqtt/memory-queue.js';
import { connectTerminals, type SimulatedTerminals } from '../support/mqtt/terminals.js';
import { removeFolder, scratchFolder, selfSigned } from '../support/scratch.js';
import { waitFor } from '../support/wait-for.js';

const QUICK: Partial<LinkTimes> = {
  connectMs: 300,
  acknowledgeMs: 300,
  firstPauseMs: 10,
  longestPauseMs: 40,
};

interface Started {
  readonly queue: MemoryQueue;
  readonly service: MqttService;
  readonly logs: string[];
  readonly errors: unknown[];
}

interface Options {
  readonly perSecond?: number;
  readonly pace?: Pick<DispatchRate, 'take'>;
  readonly times?: Partial<LinkTimes>;
}

function start(broker: MqttSettings, options: Options = {}): Started {
  const { perSecond = 10_000, times = QUICK } = options;
  const { pace = new DispatchRate(perSecond, systemClock) } = options;
  const queue = new MemoryQueue();
  const logs: string[] = [];
  const errors: unknown[] = [];
  const logger = createLogger('info', { write: (line) => void logs.push(line) });
  const service = createMqttService({
    broker,
    queue,
    pace,
    perSecond,
    logger,
    times,
    onError: (error) => void errors.push(error),
  });
  service.start();
  onTestFinished(() => service.stop());
  return { queue, service, logs, errors };
}

async function terminalsAt(port: number): Promise<SimulatedTerminals> {
  const terminals = await connectTerminals(port);
  onTestFinished(() => terminals.stop());
  return terminals;
}

async function aedes(options: Parameters<typeof startAedes>[0] = {}) {
  const broker = await startAedes(options);
  onTestFinished(() => broker.stop());
  return broker;
}

/** A program at the place of a broker. */
async function fake(use: Parameters<typeof startFakeBroker>[0]) {
  const broker = await startFakeBroker(use);
  onTestFinished(() => broker.stop());
  return broker;
}

const CONNACK = Buffer.from([0x20, 2, 0, 0]);
const GRANTED = 1;
const REFUSED = 0x80;

/** Accepts the connection, and answers to the subscription with what `answer` returns; to nothing else. */
function answering(socket: Socket, answer: (id: Buffer) => readonly number[]): void {
  socket.once('data', () => {
    socket.write(CONNACK);
    socket.once('data', (subscribe: Buffer) => {
      socket.write(Buffer.from(answer(subscribe.subarray(2, 4))));
    });
  });
}
const subscribed =
  (result: number) =>
  (id: Buffer): readonly number[] => [0x90, 3, ...id, result];

describe('messages over MQTT', () => {
  it('go to the topic of their terminal, at least once, in order, never retained', async () => {
    const broker = await aedes();
    const terminals = await terminalsAt(broker.port);
    const { queue, service } = start(broker.settings);
    for (const text of ['one', 'two', 'three|x']) {
      queue.add(7, '0042', text);
      queue.add(8, 'Loja 7/A', text);
    }
    service.wake();
    await waitFor(() => expect(queue.confirmed.length).toBe(6));
    const texts = terminals.received.filter(({ topic }) => topic.includes('0042')).map(({ text }) => text);
    expect(texts).toEqual(['one', 'two', 'three|x'].map((text) => `SHOW_MESSAGE|${text}`));
    expect([...terminals.first().keys()].sort()).toEqual([
      'terminals/7/0042/notifications',
      'terminals/8/Loja%207%2FA/notifications',
    ]);
    expect(terminals.received.some(({ retained }) => retained)).toBe(false);
    expect(queue.confirmed).toContainEqual({ companyId: 8, logicalNumber: 'Loja 7/A', event: '2' });
    expect(service.stats).toMatchObject({ published: 6, acknowledged: 6, returned: 0, inFlight: 0 });
    expect(service.stats.isConnected).toBe(true);
  });

  it('are published at the pace, those of the companies by turns', async () => {
    const broker = await aedes();
    const terminals = await terminalsAt(broker.port);
    const granted: number[] = [];
    const pace = {
      take: (_owner: unknown, wanted: number) => {
        granted.push(Math.min(wanted, 10));
        return Promise.resolve(Math.min(wanted, 10));
      },
    };
    const { queue, service } = start(broker.settings, { pace });
    for (let number = 0; number < 150; number += 1) queue.add(7, String(number), 'text');
    queue.add(8, '0042', 'text');
    service.wake();
    await waitFor(() => expect(queue.sentIds.length).toBe(151));
    expect(queue.claims.filter((count) => count > 0)).toEqual([100, 1, 50]);
    expect(granted.filter((count) => count !== 1)).toEqual(Array(15).fill(10));
    await waitFor(() => expect(terminals.first().size).toBe(151));
  });

  it('that the pace does not let out before the stop are given back', async () => {
    const broker = await aedes();
    const pace = {
      take: (_owner: unknown, _wanted: number, signal?: AbortSignal) =>
        new Promise<number>((resolve) => signal?.addEventListener('abort', () => resolve(0))),
    };
    const { queue, service } = start(broker.settings, { pace });
    queue.add(7, '0042', 'text');
    await waitFor(() => expect(queue.claims).toContain(1));
    await service.stop();
    expect([queue.returned, service.stats.published]).toEqual([1, 0]);
  });

  it('are not taken while there is no broker, and go out when it comes', async () => {
    const first = await startAedes();
    await first.stop();
    const { queue, service, logs } = start(brokerAt(first.port));
    queue.add(7, '0042', 'one');
    await waitFor(() => expect(logs.join('')).toContain('MQTT broker not connected'));
    expect(queue.claims).toEqual([]);
    await aedes({ port: first.port });
    await waitFor(() => expect(queue.sentIds).toEqual(['1']));
    expect(service.stats.connections).toBe(1);
    expect(logs.map((line) => (JSON.parse(line) as { msg: string }).msg)).toEqual([
      'MQTT broker not connected, trying again',
      'MQTT broker connected',
    ]);
    expect(logs[0]).toContain('ECONNREFUSED');
  });

  it('are given back when the connection ends before they are acknowledged', async () => {
    let isClosing = true;
    const broker = await aedes({
      authorizePublish: (client, packet, done) => {
        if (isClosing && packet.topic.endsWith('/notifications')) client?.close();
        else done();
      },
    });
    const { queue, service } = start(broker.settings);
    for (let number = 0; number < 10; number += 1) queue.add(7, String(number), 'text');
    service.wake();
    await waitFor(() => expect(queue.returned).toBeGreaterThan(0));
    expect(queue.sentIds).toEqual([]);
    isClosing = false;
    await waitFor(() => expect(queue.sentIds.length).toBe(10));
    expect(service.stats.connections).toBeGreaterThan(1);
    expect(service.stats.inFlight).toBe(0);
  });

  it('go over TLS to a broker whose certificate is trusted, and to no other', async () => {
    const folder = scratchFolder();
    onTestFinished(() => removeFolder(folder));
    const tls = selfSigned(folder);
    const broker = await aedes({ tls });
    const at = { ...broker.settings, host: 'localhost' };
    const trusting = start({ ...at, tls: { ca: tls.cert } });
    const others = start({ ...at, tls: { ca: null } });
    trusting.queue.add(7, '0042', 'one');
    await waitFor(() => expect(trusting.queue.sentIds).toEqual(['1']));
    await waitFor(() => expect(others.logs.join('')).toContain('DEPTH_ZERO_SELF_SIGNED_CERT'));
    expect(others.service.stats.connections).toBe(0);
  });

  it('need the user and the password that the broker knows', async () => {
    const broker = await aedes({
      authenticate: (_client, username, password, done) =>
        done(null, username === 'gateway' && password?.toString() === 'secret'),
    });
    const { queue } = start({ ...broker.settings, username: 'gateway', password: 'secret' });
    const wrong = start({ ...broker.settings, username: 'gateway', password: 'wrong' });
    queue.add(7, '0042', 'one');
    await waitFor(() => expect(queue.sentIds).toEqual(['1']));
    await waitFor(() => expect(wrong.logs.join('')).toContain('Connection refused'));
    expect(wrong.logs.join('')).not.toContain('secret');
  });
});

describe('CF-24 a broker that does not do its part', () => {
  const attempts = { value: 0 };
  const IN_TIME = 'did not answer in time';
  it.each<[string, Parameters<typeof startFakeBroker>[0], string]>([
    ['accepts connections and never answers', () => undefined, IN_TIME],
    ['closes each connection', (socket) => socket.destroy(), '"reason":'],
    ['answers with what is no MQTT', (socket) => socket.write('HTTP/1.1 400 Bad\r\n\r\n'), '"reason":'],
    ['refuses the subscription', (socket) => answering(socket, subscribed(REFUSED)), 'refuses to send'],
    ['answers to the connection only', (socket) => answering(socket, () => []), IN_TIME],
    [
      'sends a byte in a while',
      (socket) => {
        const bytes = [...CONNACK];
        const timer = setInterval(() => socket.write(Buffer.from([bytes.shift() ?? 0xd0])), 60);
        socket.on('close', () => clearInterval(timer));
      },
      IN_TIME,
    ],
  ])('is tried again and again with pauses, and no message is taken: it %s', async (_what, use, reason) => {
    attempts.value = 0;
    const broker = await fake((socket) => {
      attempts.value += 1;
      socket.on('data', () => undefined);
      use(socket);
    });
    const { queue, service, errors, logs } = start(broker.settings);
    queue.add(7, '0042', 'one');
    await waitFor(() => expect(attempts.value).toBeGreaterThan(3));
    expect(service.stats).toMatchObject({ isConnected: false, connections: 0 });
    expect([queue.claims, errors]).toEqual([[], []]);
    expect(logs.join('')).toContain(reason);
  });

  it('is tried again soon only while nothing listens at its address', async () => {
    const times = { ...QUICK, firstPauseMs: 60_000, longestPauseMs: 60_000, notReachedPauseMs: 20 };
    const port = await freePort();
    const { service, logs } = start(brokerAt(port), { times });
    await waitFor(() => expect(logs.join('')).toContain('ECONNREFUSED'));
    await aedes({ port });
    await waitFor(() => expect(service.stats.isConnected).toBe(true));

    let accepted = 0;
    const closing = await fake((socket) => {
      accepted += 1;
      socket.destroy();
    });
    const refused = start(closing.settings, { times });
    await waitFor(() => expect(refused.logs.join('')).toContain('not connected'));
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(accepted).toBe(1);
  });

  it('gets a few messages at a time, which are given back when it never acknowledges them', async () => {
    const broker = await fake((socket) => answering(socket, subscribed(GRANTED)));
    const { queue, service } = start(broker.settings);
    for (let number = 0; number < 2_000; number += 1) queue.add(7, String(number), 'text');
    await waitFor(() => expect(queue.returned).toBeGreaterThanOrEqual(2 * MAX_HELD));
    expect(queue.claims.slice(0, 5)).toEqual([100, 100, 100, 100, 100]);
    expect(service.stats.inFlight).toBeLessThanOrEqual(MAX_HELD);
    expect(queue.sentIds).toEqual([]);
  });

  it('is left when it does not answer to pings', async () => {
    let closed = 0;
    const broker = await fake((socket) => {
      answering(socket, subscribed(GRANTED));
      socket.on('close', () => (closed += 1));
    });
    const { service } = start(broker.settings, { times: { ...QUICK, keepaliveMs: 1_000 } });
    await waitFor(() => expect(closed).toBeGreaterThan(0));
    expect(service.stats.connections).toBeGreaterThan(0);
  });

  it('does not keep the server from stopping', async () => {
    const broker = await fake(() => undefined);
    const { service } = start(broker.settings, { times: { connectMs: 60_000 } });
    await service.stop();
    expect(service.stats.isConnected).toBe(false);
  });
});

describe('confirmations over MQTT', () => {
  it('that are huge are counted and acknowledged, and the connection lasts', async () => {
    const broker = await aedes();
    const terminals = await terminalsAt(broker.port);
    const { queue, service } = start(broker.settings);
    await waitFor(() => expect(service.stats.isConnected).toBe(true));
    for (let time = 0; time < 30; time += 1) {
      await terminals.client.publishAsync('terminals/7/0042/confirm', Buffer.alloc(300_000, 'x'), { qos: 1 });
    }
    await terminals.confirm('terminals/7/0042/notifications', '17');
    await waitFor(() => expect(queue.confirmed.length).toBe(1));
    expect(service.stats.confirmations.get('ignored')).toBe(30);
    expect(service.stats.connections).toBe(1);
  });

  it('on other topics do not arrive', async () => {
    const broker = await aedes();
    const terminals = await terminalsAt(broker.port);
    const { queue, service } = start(broker.settings);
    await waitFor(() => expect(service.stats.isConnected).toBe(true));
    const event = JSON.stringify({ type: 'pnconf', event: '17' });
    for (const topic of ['terminals/confirm', 'terminals/7/0042/deep/confirm', 'other/7/0042/confirm']) {
      await terminals.client.publishAsync(topic, event, { qos: 1 });
    }
    await terminals.confirm('terminals/7/0042/notifications', '18');
    await waitFor(() => expect(queue.confirmed.length).toBe(1));
    expect([...service.stats.confirmations]).toEqual([['confirmed', 1]]);
  });
});
