import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';

import { describeConfig, readConfig } from '../../../src/platform/config/config.js';
import { operationHash } from '../../../src/platform/config/parsing.js';
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

const QUERY = '{ viewer { role } }';
const SHA1 = createHash('sha1').update(QUERY).digest('hex');
const MANIFEST = { format: 'apollo-persisted-query-manifest', version: 1 };

describe('GraphQL settings', () => {
  it('default to no development mode and no allow-list', () => {
    const { graphqlDevelopment, graphqlAllowList } = readConfig({});
    expect([graphqlDevelopment, graphqlAllowList]).toEqual([false, null]);
    expect(readConfig({ GRAPHQL_DEVELOPMENT: '1' }).graphqlDevelopment).toBe(true);
  });

  it.each([
    ['a list of documents', JSON.stringify([QUERY])],
    ['an object by hash', JSON.stringify({ [operationHash(QUERY)]: QUERY })],
    ['hashes in upper case', JSON.stringify({ [operationHash(QUERY).toUpperCase()]: QUERY })],
  ])('accept %s as the allow-list', (_what, content) => {
    const { graphqlAllowList } = readConfig({ GRAPHQL_ALLOW_LIST: fileWith(content) });
    expect([...(graphqlAllowList ?? [])]).toEqual([[operationHash(QUERY), QUERY]]);
  });

  it.each([
    ['an object by SHA-1, as Relay writes it', SHA1, { [SHA1]: QUERY }],
    [
      'a manifest of Apollo',
      'q1',
      { ...MANIFEST, operations: [{ id: 'q1', name: 'Q', type: 'query', body: QUERY }] },
    ],
  ])('accept %s as the allow-list, and find documents by their ids there', (_what, id, content) => {
    const { graphqlAllowList } = readConfig({ GRAPHQL_ALLOW_LIST: fileWith(JSON.stringify(content)) });
    const known = [operationHash(QUERY), id].map((each) => [each, QUERY]);
    expect(new Map(graphqlAllowList)).toEqual(new Map(known as [string, string][]));
  });

  it.each<[string, string, RegExp]>([
    ['GRAPHQL_DEVELOPMENT', 'yes', /GRAPHQL_DEVELOPMENT: must be 0 or 1/],
    ['GRAPHQL_ALLOW_LIST', '/nowhere/list.json', /cannot be read \(the folder \/nowhere does not exist\)/],
  ])('%s=%s is refused', (name, value, message) => {
    expect(() => readConfig({ [name]: value })).toThrow(message);
  });

  it.each<[string, RegExp]>([
    ['{', /JSON/],
    ['7', /must hold a JSON list of documents/],
    ['null', /must hold a JSON list of documents/],
    ['[7]', /must hold a JSON list of documents/],
    [JSON.stringify({ abc: QUERY }), /"abc" is not the SHA-256 of its document/],
    [JSON.stringify({ ...MANIFEST, operations: [{ id: 'q1' }] }), /must hold a JSON list of documents/],
    [JSON.stringify({ ...MANIFEST, operations: ['q1'] }), /must hold a JSON list of documents/],
  ])('an allow-list file with the content %j is refused', (content, message) => {
    expect(() => readConfig({ GRAPHQL_ALLOW_LIST: fileWith(content) })).toThrow(message);
  });
});
