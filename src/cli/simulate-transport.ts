import { readFileSync } from 'node:fs';

import { certificatesIn } from '../platform/config/mqtt.js';
import { namingPath } from '../platform/storage/file-errors.js';
import type { Api } from '../simulator/api.js';
import { findCompany } from '../simulator/fleet.js';
import type { Transport } from '../simulator/shared.js';
import { CommandError } from './command-error.js';

export interface TransportOptions {
  readonly over: 'http' | 'mqtt';
  readonly mqttUrl?: string;
  readonly mqttUsername?: string;
  readonly mqttPasswordFile?: string;
  readonly mqttCaFile?: string;
  readonly companyId?: string;
}

/** How the terminals wait for notifications. Without `companyId`, `api` is asked for the company. Errors: `CommandError`. */
export async function transportOf(options: TransportOptions, api: Api | null): Promise<Transport> {
  if (options.over === 'http') {
    refuseMqttOptions(options);
    return { over: 'http' };
  }
  const url = brokerUrl(options.mqttUrl);
  if (options.mqttCaFile !== undefined && url.protocol !== 'mqtts:') {
    throw new CommandError('--mqtt-ca-file needs a --mqtt-url that begins with mqtts://.');
  }
  if (options.mqttUsername !== undefined && options.mqttPasswordFile === undefined) {
    throw new CommandError('--mqtt-username needs --mqtt-password-file.');
  }
  const password = options.mqttPasswordFile === undefined ? undefined : firstLine(options.mqttPasswordFile);
  const ca =
    options.mqttCaFile === undefined ? undefined : certificatesIn(options.mqttCaFile, '--mqtt-ca-file');
  const companyId = options.companyId ?? (api === null ? undefined : await findCompany(api));
  if (companyId === undefined) throw new CommandError('--over mqtt needs --company-id or --token-file.');
  return { over: 'mqtt', companyId, broker: { url, username: options.mqttUsername, password, ca } };
}

function refuseMqttOptions(options: TransportOptions): void {
  const given = {
    '--mqtt-url': options.mqttUrl,
    '--mqtt-username': options.mqttUsername,
    '--mqtt-password-file': options.mqttPasswordFile,
    '--mqtt-ca-file': options.mqttCaFile,
  };
  for (const [name, value] of Object.entries(given)) {
    if (value !== undefined) throw new CommandError(`${name} is for --over mqtt.`);
  }
}

function brokerUrl(text = ''): URL {
  const url = URL.parse(text);
  if (url === null || !/^mqtts?:$/.test(url.protocol) || url.hostname === '') {
    throw new CommandError('--over mqtt needs --mqtt-url, for example mqtt://127.0.0.1:1883.');
  }
  if (url.username !== '' || url.password !== '') {
    throw new CommandError('--mqtt-url has a user: use --mqtt-username and --mqtt-password-file.');
  }
  return url;
}

/** The first line of a file that is not empty. Errors: `CommandError` if there is none. */
export function firstLine(path: string): string {
  const lines = namingPath(path, () => readFileSync(path, 'utf8')).split('\n');
  const line = lines.map((each) => each.trim()).find((each) => each !== '');
  if (line === undefined) throw new CommandError(`${path} is empty.`);
  return line;
}
