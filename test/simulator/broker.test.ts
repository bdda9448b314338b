import { describe, expect, it, onTestFinished } from 'vitest';

import { createRandom } from '../../src/platform/random.js';
import { Confirmations } from '../../src/simulator/inbox.js';
import { MqttWait } from '../../src/simulator/mqtt-waiting.js';
import { Pauses, type BrokerOptions, type Shared } from '../../src/simulator/shared.js';
import { Stats } from '../../src/simulator/stats.js';
import { RunIsOver, type TerminalParts } from '../../src/simulator/terminal-http.js';
import { freePort } from '../support/free-port.js';
import { startAedes, startFakeBroker } from '../support/mqtt/brokers.js';
import { removeFolder, scratchFolder, selfSigned } from '../support/scratch.js';

async function brokerWith(options: Parameters<typeof startAedes>[0]): Promise<number> {
  const broker = await startAedes(options);
  onTestFinished(() => broker.stop());
  return broker.port;
}

function certificate(): { readonly cert: string; readonly key: string } {
  const folder = scratchFolder();
  onTestFinished(() => removeFolder(folder));
  return selfSigned(folder);
}

/** Resolves to `connected`, or to the first error. */
async function outcomeOf(url: string, options: Partial<BrokerOptions> = {}): Promise<string> {
  const stats = new Stats();
  const shared = { stats, all: new Pauses(), work: new Pauses(), hasFaults: false } as unknown as Shared;
  const parts = { shared, serialNumber: 'SN-1', random: createRandom(1) } as unknown as TerminalParts;
  const broker = { url: new URL(url), username: undefined, password: undefined, ca: undefined, ...options };
  const mqtt = new MqttWait({ over: 'mqtt', broker, companyId: '1' }, '100', parts);
  const confirmations = new Confirmations(parts, mqtt, () => Promise.resolve());
  const received = mqtt.receive(confirmations).catch((error: unknown) => error);
  await expect.poll(() => mqtt.isConnected || stats.counts.errors > 0).toBe(true);
  const [outcome = 'connected'] = stats.errors;
  if (mqtt.isConnected) await mqtt.confirm('{}');
  shared.all.end();
  mqtt.end();
  expect(await received).toBeInstanceOf(RunIsOver);
  return outcome;
}

describe('the connection of a simulated terminal to its broker', () => {
  it('needs the user name and the password that the broker knows', async () => {
    const port = await brokerWith({
      authenticate: (_client, username, password, done) =>
        done(null, username === '1/100' && password?.toString() === 'secret'),
    });
    const url = `mqtt://127.0.0.1:${port}`;
    expect(await outcomeOf(url, { username: '1/100', password: 'secret' })).toBe('connected');
    const refused = await Promise.all([
      outcomeOf(url, { username: '1/100', password: 'wrong' }),
      outcomeOf(url, { username: '1/200', password: 'secret' }),
      outcomeOf(url),
    ]);
    expect(new Set(refused)).toEqual(new Set(['mqtt: Connection refused: Not authorized']));
  });

  it('trusts the certificates that are given, by the name and the address of the broker', async () => {
    const tls = certificate();
    const port = await brokerWith({ tls });
    expect(await outcomeOf(`mqtts://localhost:${port}`, { ca: tls.cert })).toBe('connected');
    expect(await outcomeOf(`mqtts://localhost:${port}`)).toBe('mqtt: DEPTH_ZERO_SELF_SIGNED_CERT');
    // The certificate is that of another name.
    expect(await outcomeOf(`mqtts://127.0.0.1:${port}`, { ca: tls.cert })).toBe(
      'mqtt: ERR_TLS_CERT_ALTNAME_INVALID',
    );
    expect(await outcomeOf(`mqtt://127.0.0.1:${port}`)).toContain('mqtt: ');
  });

  it('ends with the reason', async () => {
    expect(await outcomeOf(`mqtt://127.0.0.1:${await freePort()}`)).toBe('mqtt: ECONNREFUSED');
    const other = await startFakeBroker((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    onTestFinished(() => other.stop());
    expect(await outcomeOf(`mqtt://127.0.0.1:${other.port}`)).toMatch(
      /^mqtt: (Invalid header|the broker closed)/,
    );
  });

  it('ends with a subscription that is refused', async () => {
    const port = await brokerWith({ authorizeSubscribe: (_client, _subscription, done) => done(null, null) });
    expect(await outcomeOf(`mqtt://127.0.0.1:${port}`)).toBe('mqtt: the broker refused the subscription');
  });
});
