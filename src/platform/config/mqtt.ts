import { X509Certificate } from 'node:crypto';

import { parsed, readText } from '../files.js';

/** The broker that notifications are published to. */
export interface MqttSettings {
  readonly host: string;
  readonly port: number;
  /** Null: no TLS. `ca`: trusted certificates (PEM); null: those of Node. */
  readonly tls: { readonly ca: string | null } | null;
  readonly username: string | null;
  readonly password: string | null;
}

const PORTS: Readonly<Record<string, number>> = { 'mqtt:': 1883, 'mqtts:': 8883 };
/** Lengths in MQTT have two bytes. */
const MAX_BYTES = 65_535;

const OTHERS = ['MQTT_USERNAME', 'MQTT_PASSWORD_FILE', 'MQTT_CA_FILE'] as const;

/** Null without `MQTT_URL`; `valueOf` returns another setting. Errors: an `Error`, which never shows the password. */
export function readMqtt(url: string, valueOf: (name: string) => string): MqttSettings | null {
  const [username, passwordFile, caFile] = [valueOf(OTHERS[0]), valueOf(OTHERS[1]), valueOf(OTHERS[2])];
  if (url === '') {
    const given = OTHERS.find((name) => valueOf(name) !== '');
    if (given !== undefined) throw new Error(`must be set where ${given} is: mqtts://HOST:8883`);
    return null;
  }
  const { hostname, port, protocol } = parseUrl(url);
  if (passwordFile !== '' && username === '') throw new Error('MQTT_PASSWORD_FILE needs MQTT_USERNAME');
  const defaultPort = PORTS[protocol] ?? 0;
  return {
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: port === '' ? defaultPort : Number(port),
    tls: tlsOf(protocol, caFile),
    username: username === '' ? null : bounded('MQTT_USERNAME', username),
    password: passwordFile === '' ? null : passwordIn(passwordFile),
  };
}

function parseUrl(value: string): URL {
  const form = 'mqtt://HOST:PORT or mqtts://HOST:PORT, for example mqtts://broker.example:8883';
  if (!/^mqtts?:\/\//i.test(value) || !URL.canParse(value)) throw new Error(`must be ${form}`);
  const url = new URL(value);
  if (url.username !== '' || url.password !== '') {
    throw new Error('must have no user: set MQTT_USERNAME and MQTT_PASSWORD_FILE');
  }
  const isHost = url.hostname !== '' && url.port !== '0';
  if (!isHost || !['', '/'].includes(url.pathname) || /[?#]/.test(value)) throw new Error(`must be ${form}`);
  return url;
}

function tlsOf(protocol: string, caFile: string): MqttSettings['tls'] {
  if (protocol === 'mqtts:') return { ca: caFile === '' ? null : certificatesIn(caFile) };
  if (caFile !== '') throw new Error('must begin with mqtts:// where MQTT_CA_FILE is set');
  return null;
}

/** Text of a certificate file (PEM). `name` is the setting or option that names the file. Errors: an `Error`. */
export function certificatesIn(file: string, name = 'MQTT_CA_FILE'): string {
  const text = readText(file);
  parsed(`${name}: ${file}`, 'a certificate', () => new X509Certificate(text));
  return text;
}

function passwordIn(file: string): string {
  const password = readText(file).trim();
  if (password === '') throw new Error(`MQTT_PASSWORD_FILE: ${file} is empty`);
  return bounded('MQTT_PASSWORD_FILE', password);
}

function bounded(name: string, value: string): string {
  if (Buffer.byteLength(value) > MAX_BYTES) throw new Error(`${name}: must have at most ${MAX_BYTES} bytes`);
  return value;
}
