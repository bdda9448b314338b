import { connectAsync, type IClientOptions, type MqttClient } from 'mqtt';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, onTestFinished } from 'vitest';

import { SECOND } from '../../src/platform/clock.js';
import { readDocument } from '../documents/markdown.js';
import { itUnless } from '../faults/machine.js';
import { deliveriesOf, notify, reachable } from '../support/deliveries.js';
import { freePort } from '../support/free-port.js';
import { brokerAt } from '../support/mqtt/brokers.js';
import {
  openTo,
  removePassword,
  startMosquitto,
  WITHOUT_MOSQUITTO,
  writePasswords,
} from '../support/mqtt/mosquitto.js';
import type { Mosquitto } from '../support/mqtt/mosquitto.js';
import { connectTerminals } from '../support/mqtt/terminals.js';
import { removeFolder, scratchFolder, selfSigned } from '../support/scratch.js';
import { ownServer, type TestServer } from '../support/server.js';
import { waitFor } from '../support/wait-for.js';

const itWith = itUnless(WITHOUT_MOSQUITTO);

let folder: string;
beforeEach(() => {
  folder = scratchFolder();
});
afterEach(() => removeFolder(folder));

async function serve(settings: ReturnType<typeof brokerAt>): Promise<TestServer> {
  const server = await ownServer({ mqtt: settings });
  return server;
}

/** The n-th fenced block of the access rules in src/docs/reference/mqtt.md. */
function block(index: number): string {
  const [, rules = ''] = readDocument('src/docs/reference/mqtt.md').split('## Access rules of the broker');
  return Array.from(rules.matchAll(/^```\n([^]*?)^```/gm), ([, text = '']) => text)[index] ?? '';
}

type Installation = Awaited<ReturnType<typeof installMosquitto>>;

/** Starts mosquitto as src/docs/reference/mqtt.md says, with the ports of a test, and passwords by user name of a terminal. */
async function installMosquitto(
  { serverPort, terminalPort }: { readonly serverPort: number; readonly terminalPort: number },
  terminals: Readonly<Record<string, string>>,
) {
  const { cert } = selfSigned(folder);
  const text = block(0)
    .replace('listener 1883', `listener ${serverPort}`)
    .replace('listener 8883', `listener ${terminalPort} 127.0.0.1`)
    .replace('/etc/mosquitto/certs/broker.crt', join(folder, 'cert.pem'))
    .replace('/etc/mosquitto/certs/broker.key', join(folder, 'key.pem'))
    .replaceAll('/etc/mosquitto/', `${folder}/`);
  expect(text).not.toMatch(/\/etc\/|\b[18]883\b/);
  writeFileSync(join(folder, 'server-acl'), block(1));
  writeFileSync(join(folder, 'terminal-acl'), block(2));
  writePasswords(join(folder, 'server-password'), { gateway: 'secret' });
  writePasswords(join(folder, 'terminal-passwords'), terminals);
  const log = join(folder, 'log');
  const broker = await startMosquitto(folder, serverPort, `log_dest file ${log}\nlog_type all\n${text}`);
  onTestFinished(() => broker.kill());
  return { serverPort, terminalPort, certificate: cert, broker, log: () => readFileSync(log, 'utf8') };
}

const statesOf = async (server: TestServer): Promise<string[]> =>
  (await deliveriesOf(server, server.acme)).map(({ state }) => state);

describe('a mosquitto that is killed', () => {
  itWith('CF-23 again and again during delivery loses nothing, and ids stay the same', async () => {
    const port = await freePort();
    let broker: Mosquitto = await startMosquitto(folder, port, openTo(port));
    onTestFinished(() => broker.kill());
    const server = await serve(brokerAt(port));
    const numbers = Array.from({ length: 60 }, (_, index) => String(100 + index));
    for (const number of numbers) await reachable(server.acme, number);
    const terminals = await connectTerminals(port);
    onTestFinished(() => terminals.stop());
    for (let part = 0; part < 4; part += 1) await notify(server, server.acme, `part ${part}`, ...numbers);
    for (let round = 0; round < 6; round += 1) {
      await sleep(150 + 50 * round);
      await broker.kill();
      await sleep(50);
      broker = await startMosquitto(folder, port, openTo(port));
    }
    // Messages that the broker acknowledged but lost when it was killed are published again after 30 s.
    const passTime = setInterval(() => server.clock.advance(10 * SECOND), 500);
    onTestFinished(() => clearInterval(passTime));
    await waitFor(async () => expect(new Set(await statesOf(server))).toEqual(new Set(['delivered'])), {
      interval: 250,
    });
    const first = terminals.first();
    for (const [index, number] of numbers.entries()) {
      const ids = [0, 1, 2, 3].map((part) => String(1 + part * 60 + index));
      expect(first.get(`terminals/${server.acme.caller.companyId}/${number}/notifications`)).toEqual(ids);
    }
  });
});

const PASSWORD = 'of the terminal';

async function connectTo(
  { terminalPort, certificate }: Installation,
  options: IClientOptions,
): Promise<MqttClient> {
  const client = await connectAsync(`mqtts://localhost:${terminalPort}`, {
    ca: certificate,
    reconnectPeriod: 0,
    connectTimeout: 5_000,
    ...(options.username === undefined ? {} : { password: PASSWORD }),
    ...options,
  });
  client.on('error', () => undefined);
  onTestFinished(() => client.endAsync(true));
  return client;
}

/** Topics of what the client gets. */
function topicsAt(client: MqttClient): string[] {
  const topics: string[] = [];
  client.on('message', (topic) => topics.push(topic));
  return topics;
}

async function confirm(client: MqttClient, terminal: string, event: string): Promise<void> {
  await client.publishAsync(`terminals/${terminal}/confirm`, JSON.stringify({ type: 'pnconf', event }), {
    qos: 1,
  });
}

describe('the access rules for mosquitto in src/docs/reference/mqtt.md', () => {
  itWith('AT-34 let a terminal read its notifications and confirm them, and nothing else', async () => {
    const ports = { serverPort: await freePort(), terminalPort: await freePort() };
    const server = await serve(brokerAt(ports.serverPort, { username: 'gateway', password: 'secret' }));
    const [own, other] = ['Loja%207%2FA', '100'].map((level) => `${server.acme.caller.companyId}/${level}`);
    if (own === undefined || other === undefined) throw new Error('There are two terminals.');
    const installation = await installMosquitto(ports, { [own]: PASSWORD, [other]: PASSWORD });
    const attacker = await connectTo(installation, { username: own });
    const victim = await connectTo(installation, { username: other });
    const [stolen, received] = [topicsAt(attacker), topicsAt(victim)];
    await victim.subscribeAsync(`terminals/${other}/notifications`, { qos: 1 });
    const all = ['#', '+/+/#', '+/+/+/+', 'terminals/+/+/confirm', '$SYS/#'];
    for (const filter of [...all, `terminals/${other}/notifications`])
      await attacker.subscribeAsync(filter, { qos: 1 });

    for (const number of ['Loja 7/A', '100']) await reachable(server.acme, number);
    await notify(server, server.acme, 'one', '100', 'Loja 7/A');
    await waitFor(() => expect([stolen.length > 0, received.length]).toEqual([true, 1]));
    const ids = new Map((await numbered(server)).map(({ id, number }) => [number, String(id)]));
    await confirm(attacker, other, ids.get('100') ?? '');
    const forged = JSON.stringify({ message: '99|SHOW_MESSAGE|forged' });
    for (const topic of [`terminals/${other}/notifications`, `terminals/${own}/notifications`, 'other']) {
      await attacker.publishAsync(topic, forged, { qos: 1 });
    }
    // This message comes after the others on the same connection.
    await confirm(attacker, own, ids.get('Loja 7/A') ?? '');
    await waitFor(async () => expect((await statesOf(server)).toSorted()).toEqual(['delivered', 'sent']));
    await confirm(victim, other, ids.get('100') ?? '');
    await waitFor(async () => expect(await statesOf(server)).toEqual(['delivered', 'delivered']));
    expect(new Set(stolen)).toEqual(new Set([`terminals/${own}/notifications`]));
    expect(received).toEqual([`terminals/${other}/notifications`]);
    expect(installation.log()).toContain(`Denied PUBLISH from ${own}`);
  });

  itWith('AT-34 keep the connection of a terminal from those who use its client id, or none', async () => {
    const ports = { serverPort: await freePort(), terminalPort: await freePort() };
    const installation = await installMosquitto(ports, { '7/100': PASSWORD, '7/200': PASSWORD });
    const victim = await connectTo(installation, { username: '7/100' });
    const attacker = await connectTo(installation, { username: '7/200', clientId: '7/100' });
    const refused = [{}, { username: '7/100', password: 'bad' }, { username: 'gateway', password: 'secret' }];
    for (const options of refused) {
      await expect(connectTo(installation, options)).rejects.toThrow(/refused/);
    }
    const atServers = connectAsync(`mqtt://127.0.0.1:${ports.serverPort}`, {
      username: '7/100',
      password: PASSWORD,
      reconnectPeriod: 0,
    });
    await expect(atServers).rejects.toThrow(/refused/);
    await attacker.publishAsync('terminals/7/200/confirm', '{}', { qos: 1 });
    await victim.publishAsync('terminals/7/100/confirm', '{}', { qos: 1 });
    expect([victim.connected, attacker.connected]).toEqual([true, true]);
  });

  itWith('AT-33 end the connection of a terminal whose password is removed', async () => {
    const ports = { serverPort: await freePort(), terminalPort: await freePort() };
    const installation = await installMosquitto(ports, { '7/100': PASSWORD, '7/200': PASSWORD });
    const [first, second] = [
      await connectTo(installation, { username: '7/100' }),
      await connectTo(installation, { username: '7/200' }),
    ];
    removePassword(join(folder, 'terminal-passwords'), '7/100');
    installation.broker.reload();
    await waitFor(() => expect(first.connected).toBe(false));
    await second.publishAsync('terminals/7/200/confirm', '{}', { qos: 1 });
    await expect(connectTo(installation, { username: '7/100' })).rejects.toThrow(/refused/);
  });
});

const numbered = ({ place }: TestServer): Promise<{ id: number; number: string }[]> =>
  place.sql(`select d.id, n.number from notification_deliveries as d join logical_numbers as n
    on n.company_id = d.company_id and n.id = d.logical_number_id`);
