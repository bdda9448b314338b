import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { onTestFinished } from 'vitest';

const HOLD = `
  const database = new (require('better-sqlite3'))(process.argv[1]);
  database.exec('begin immediate');
  process.stdout.write('held');
  setTimeout(() => database.exec('rollback'), Number(process.argv[2]));
`;

/** Another process that holds the database's write lock for a while; resolves once it does. */
export async function holdWriteLock(file: string, milliseconds: number): Promise<ChildProcess> {
  return await inOtherProcess(HOLD, file, String(milliseconds));
}

/** Runs a plain script in a process of its own, until the end of the test at most; resolves at its first output. */
export async function inOtherProcess(script: string, ...values: string[]): Promise<ChildProcess> {
  const child = spawn(process.execPath, ['-e', script, ...values], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  });
  await once(child.stdout, 'data');
  return child;
}
