import { describe, expect, it, onTestFinished } from 'vitest';

import { createServer, type Server } from '../../src/app/server.js';
import { SECOND } from '../../src/platform/clock.js';
import type { MqttSettings } from '../../src/platform/config/mqtt.js';
import { createLogger } from '../../src/platform/logger.js';
import { testClock, type TestClock } from '../support/clock.js';
import { testConfig } from '../support/config.js';
import { deliveriesOf, notify, reachable } from '../support/deliveries.js';
import { startAedes, startPathTo, type AedesBroker } from '../support/mqtt/brokers.js';
import { connectTerminals } from '../support/mqtt/terminals.js';
import { ownServer, type TestServer } from '../support/server.js';
import { waitFor } from '../support/wait-for.js';

const LONG = { interval: 250 };

/** One more node on the database of a server. */
async function joinNode(server: TestServer, mqtt: MqttSettings): Promise<{ app: Server; clock: TestClock }> {
  const clock = testClock();
  const logger = createLogger('silent', { write: () => undefined });
  const app = await createServer(testConfig(server.place.url, { mqtt }), logger, { clock });
  await app.start();
  onTestFinished(() => app.stop());
  return { app, clock };
}

async function startBroker(options: Parameters<typeof startAedes>[0] = {}): Promise<AedesBroker> {
  const broker = await startAedes(options);
  onTestFinished(() => broker.stop());
  return broker;
}

async function startNode(mqtt: MqttSettings): Promise<TestServer> {
  const server = await ownServer({ mqtt });
  return server;
}

const statesOf = async (server: TestServer): Promise<string[]> =>
  (await deliveriesOf(server, server.acme)).map(({ state }) => state);

describe('CC-09 two nodes that publish', () => {
  it('deliver everything, in order, though one stalls past its leases and goes on then', async () => {
    const broker = await startBroker({ concurrency: 1_000 });
    const path = await startPathTo(broker.port);
    onTestFinished(() => path.stop());
    // This node connects through the path that stalls.
    const server = await startNode(path.settings);
    const numbers = Array.from({ length: 120 }, (_, index) => String(100 + index));
    for (const number of numbers) await reachable(server.acme, number);
    await waitFor(async () => expect(await server.metric('mqtt_connected')).toBe(1), LONG);
    path.stall();
    for (let part = 0; part < 8; part += 1) await notify(server, server.acme, `part ${part}`, ...numbers);
    await waitFor(async () => expect(await server.metric('mqtt_in_flight')).toBe(120), LONG);

    const terminals = await connectTerminals(broker.port);
    onTestFinished(() => terminals.stop());
    const other = await joinNode(server, broker.settings);
    other.clock.advance(31 * SECOND);
    await waitFor(() => expect(terminals.received.length).toBeGreaterThan(120), LONG);
    path.resume();
    await waitFor(async () => expect(new Set(await statesOf(server))).toEqual(new Set(['delivered'])), LONG);
    const first = terminals.first();
    for (const [index, number] of numbers.entries()) {
      const ids = Array.from({ length: 8 }, (_, part) => String(1 + part * 120 + index));
      expect(first.get(`terminals/${server.acme.caller.companyId}/${number}/notifications`)).toEqual(ids);
    }
    // Both nodes published the messages that the stalled node held.
    await waitFor(() => expect(terminals.received.length).toBeGreaterThanOrEqual(9 * 120), LONG);
  });

  it('bring what was sent before to a terminal that says hello, in order', async () => {
    const broker = await startBroker();
    const server = await startNode(broker.settings);
    await joinNode(server, broker.settings);
    await reachable(server.acme, '100');
    for (let part = 0; part < 3; part += 1) await notify(server, server.acme, `part ${part}`, '100');
    await waitFor(async () => expect(await statesOf(server)).toEqual(['sent', 'queued', 'queued']), LONG);
    const terminals = await connectTerminals(broker.port);
    onTestFinished(() => terminals.stop());
    const topic = `terminals/${server.acme.caller.companyId}/100`;
    await terminals.client.publishAsync(`${topic}/confirm`, '{"type":"hello"}', { qos: 1 });
    await waitFor(async () => expect(await statesOf(server)).toEqual(Array(3).fill('delivered')), LONG);
    expect(terminals.first().get(`${topic}/notifications`)).toEqual(['1', '2', '3']);
  });

  it('receive all confirmations each, and count each delivery once', async () => {
    const broker = await startBroker();
    const server = await startNode(broker.settings);
    await joinNode(server, broker.settings);
    const terminals = await connectTerminals(broker.port);
    onTestFinished(() => terminals.stop());
    const numbers = ['100', '200', '300'];
    for (const number of numbers) await reachable(server.acme, number);
    for (let part = 0; part < 3; part += 1) await notify(server, server.acme, `part ${part}`, ...numbers);
    await waitFor(async () => expect(await statesOf(server)).toEqual(Array(9).fill('delivered')), LONG);
    const stored = await server.app.database.reads.selectFrom('notification_totals').selectAll().execute();
    expect(stored.map(({ delivered, sent, queued }) => [delivered, sent, queued])).toEqual(
      Array(3).fill([3, 0, 0]),
    );
  });
});
