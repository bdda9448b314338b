import { describe, expect, it, onTestFinished } from 'vitest';

import { MqttConnection, type BrokerOptions } from '../../src/simulator/mqtt-connection.js';
import { freePort } from '../support/free-port.js';
import { startAedes, startFakeBroker } from '../support/mqtt/brokers.js';
import { removeFolder, scratchFolder } from '../support/scratch.js';
import { selfSigned } from '../support/self-signed.js';

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

/** Resolves to `connected`, or to the reason why not. */
async function outcomeOf(url: string, options: Partial<BrokerOptions> = {}): Promise<string> {
  try {
    const connection = await MqttConnection.open({
      broker: { url: new URL(url), username: undefined, password: undefined, ca: undefined, ...options },
      clientId: 'simulated-SN-1',
      topic: 'terminals/1/100/notifications',
      onMessage: () => undefined,
    });
    await connection.publish('terminals/1/100/confirm', '{}');
    connection.end();
    await connection.closed;
    return 'connected';
  } catch (error) {
    return (error as Error).message;
  }
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
