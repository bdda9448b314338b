import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { connect, createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const PATHS = ['/usr/sbin/mosquitto', '/usr/local/sbin/mosquitto', '/opt/homebrew/sbin/mosquitto'];
const PROGRAM = PATHS.find((path) => existsSync(path));

/** Whether tests with it can run; says so if not. */
export const HAS_MOSQUITTO = PROGRAM !== undefined;
if (!HAS_MOSQUITTO)
  console.warn('Tests with mosquitto are skipped: it is not installed (apt-get install mosquitto).');

export interface Mosquitto {
  readonly port: number;
  /** Ends it as `kill -9` does. */
  kill(): Promise<void>;
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** Lines of a configuration for a broker that everybody may use. */
export const openTo = (port: number): string => `listener ${port} 127.0.0.1\nallow_anonymous true\n`;

/** Starts it with a configuration that listens on the port. */
export async function startMosquitto(
  folder: string,
  port: number,
  configuration: string,
): Promise<Mosquitto> {
  const file = join(folder, `mosquitto-${port}.conf`);
  writeFileSync(file, `user root\n${configuration}`);
  const running = spawn(PROGRAM ?? 'mosquitto', ['-c', file], { stdio: 'ignore' });
  await listening(running, port);
  return {
    port,
    kill: async () => {
      if (running.exitCode !== null || running.signalCode !== null) return;
      running.kill('SIGKILL');
      await once(running, 'exit');
    },
  };
}

/** Writes a file of passwords for mosquitto. */
export function writePasswords(file: string, users: Readonly<Record<string, string>>): void {
  const lines = Object.entries(users).map(([name, password]) => `${name}:${password}\n`);
  writeFileSync(file, lines.join(''), { mode: 0o600 });
  const { status, stderr } = spawnSync('mosquitto_passwd', ['-U', file], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`mosquitto_passwd: ${stderr}`);
}

async function listening(running: ChildProcess, port: number): Promise<void> {
  while (running.exitCode === null) {
    if (await accepts(port)) return;
    await sleep(20);
  }
  throw new Error(`mosquitto ended with ${running.exitCode}`);
}

async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  return await new Promise((resolve) => {
    socket.on('connect', () => resolve(true));
    socket.on('error', () => resolve(false));
  }).then((result) => {
    socket.destroy();
    return result === true;
  });
}
