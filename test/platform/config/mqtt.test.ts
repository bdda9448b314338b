import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';

import { describeConfig, readConfig } from '../../../src/platform/config/config.js';
import { removeFolder, scratchFolder, selfSigned } from '../../support/scratch.js';

const folder = scratchFolder();
afterAll(() => removeFolder(folder));
const fileWith = (content: string): string => {
  const file = join(folder, crypto.randomUUID());
  writeFileSync(file, content);
  return file;
};

describe('settings of MQTT', () => {
  it('default to no broker', () => {
    expect(readConfig({}).mqtt).toBeNull();
  });

  it.each([
    ['mqtt://broker.example', { host: 'broker.example', port: 1883, tls: null }],
    ['mqtt://127.0.0.1:1884/', { host: '127.0.0.1', port: 1884, tls: null }],
    ['mqtts://broker.example', { host: 'broker.example', port: 8883, tls: { ca: null } }],
    ['mqtts://[::1]:8884', { host: '::1', port: 8884, tls: { ca: null } }],
  ])('MQTT_URL=%s names a broker', (url, expected) => {
    expect(readConfig({ MQTT_URL: url }).mqtt).toEqual({ ...expected, username: null, password: null });
  });

  it('have the user, the password without the line end, and the certificates', () => {
    const { cert } = selfSigned(folder);
    const environment = {
      MQTT_URL: 'mqtts://broker.example',
      MQTT_USERNAME: 'gateway',
      MQTT_PASSWORD_FILE: fileWith('secret\n'),
      MQTT_CA_FILE: fileWith(cert),
    };
    expect(readConfig(environment).mqtt).toMatchObject({
      username: 'gateway',
      password: 'secret',
      tls: { ca: cert },
    });
    expect(JSON.stringify(describeConfig(environment))).not.toContain('"secret');
  });

  const url = 'mqtts://broker.example';
  it.each<[Record<string, string>, RegExp]>([
    [{ MQTT_URL: 'broker.example' }, /^MQTT_URL: must be mqtt:\/\/HOST:PORT or mqtts:/],
    [{ MQTT_URL: 'https://broker.example' }, /MQTT_URL: must be mqtt:/],
    [{ MQTT_URL: 'mqtt://' }, /MQTT_URL: must be mqtt:/],
    [{ MQTT_URL: 'mqtt://broker.example:99999' }, /MQTT_URL: must be mqtt:/],
    [{ MQTT_URL: 'mqtt://broker.example:0' }, /MQTT_URL: must be mqtt:/],
    [{ MQTT_URL: 'mqtt://broker.example/path' }, /MQTT_URL: must be mqtt:/],
    [{ MQTT_URL: 'mqtt://broker.example?keepalive=1' }, /MQTT_URL: must be mqtt:/],
    [{ MQTT_URL: 'mqtt://gateway:hidden@broker.example' }, /MQTT_URL: must have no user: set MQTT_USERNAME/],
    [{ MQTT_USERNAME: 'gateway' }, /MQTT_URL: must be set where MQTT_USERNAME is/],
    [{ MQTT_CA_FILE: '/nowhere' }, /MQTT_URL: must be set where MQTT_CA_FILE is/],
    [{ MQTT_URL: url, MQTT_PASSWORD_FILE: '/nowhere' }, /MQTT_PASSWORD_FILE needs MQTT_USERNAME/],
    [
      { MQTT_URL: url, MQTT_USERNAME: 'gateway', MQTT_PASSWORD_FILE: '/nowhere' },
      /\/nowhere cannot be read \(it does not exist\)/,
    ],
    [{ MQTT_URL: url, MQTT_CA_FILE: '/nowhere' }, /\/nowhere cannot be read \(it does not exist\)/],
    [{ MQTT_URL: 'mqtt://broker.example', MQTT_CA_FILE: '/nowhere' }, /must begin with mqtts:\/\//],
    [{ MQTT_URL: url, MQTT_USERNAME: 'x'.repeat(65_536) }, /MQTT_USERNAME: must have at most 65535 bytes/],
  ])('%j is refused', (environment, message) => {
    expect(() => readConfig(environment)).toThrow(message);
    expect(() => readConfig(environment)).not.toThrow(/hidden/);
    expect(JSON.stringify(describeConfig(environment))).not.toContain('hidden');
  });

  it.each([
    ['MQTT_PASSWORD_FILE', '\n', /MQTT_PASSWORD_FILE: .* is empty/],
    ['MQTT_CA_FILE', 'nothing', /MQTT_CA_FILE: .* does not hold a certificate/],
  ])('%s with the content %j is refused', (name, content, message) => {
    const environment = { MQTT_URL: url, MQTT_USERNAME: 'gateway', [name]: fileWith(content) };
    expect(() => readConfig(environment)).toThrow(message);
  });
});
