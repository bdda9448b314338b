import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const PATHS = ['/usr/sbin/mosquitto', '/usr/local/sbin/mosquitto', '/opt/homebrew/sbin/mosquitto'];
const PASSWORDS = 'mosquitto_passwd';
const PROGRAM = PATHS.find((path) => existsSync(path));

/** Null if it is installed, otherwise the reason to skip a test. */
export const WITHOUT_MOSQUITTO = PROGRAM === undefined ? 'mosquitto is not installed' : null;

/** Lines of a configuration for a broker that everybody may use. */
export const openTo = (port: number): string => `listener ${port} 127.0.0.1\nallow_anonymous true\n`;

export type Mosquitto = Awaited<ReturnType<typeof startMosquitto>>;

/** Starts it with a configuration that listens on the port. */
export async function startMosquitto(folder: string, port: number, configuration: string) {
  const file = join(folder, `mosquitto-${port}.conf`);
  writeFileSync(file, `user root\n${configuration}`);
  const running = spawn(PROGRAM ?? 'mosquitto', ['-c', file], { stdio: 'ignore' });
  await listening(running, port);
  return {
    port,
    /** Lets it read its configuration, passwords and access rules again. */
    reload: () => void running.kill('SIGHUP'),
    /** Ends it as `kill -9` does. */
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
  passwd('-U', file);
}

export function removePassword(file: string, user: string): void {
  passwd('-D', file, user);
}

function passwd(...args: readonly string[]): void {
  const { status, stderr } = spawnSync(PASSWORDS, args, { encoding: 'utf8' });
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
