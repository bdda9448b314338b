import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';

import { readDocument } from '../../documents/markdown.js';
import { selfSigned } from '../scratch.js';
import { startMosquitto, writePasswords } from './mosquitto.js';

/** The n-th fenced block of the access rules in src/docs/mqtt.md. */
function block(index: number): string {
  const [, rules = ''] = readDocument('src/docs/mqtt.md').split('## Access rules of the broker');
  return Array.from(rules.matchAll(/^```\n([^]*?)^```/gm), ([, text = '']) => text)[index] ?? '';
}

export type Installation = Awaited<ReturnType<typeof installMosquitto>>;

/** Starts mosquitto as src/docs/mqtt.md says, with the folder and ports of a test, and passwords by user name of a terminal. */
export async function installMosquitto(
  folder: string,
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
