import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { onTestFinished } from 'vitest';

const HOLD = `
  const database = new (require('better-sqlite3'))(process.argv[1]);
  database.exec('begin immediate');
  process.stdout.write('held');
  setTimeout(() => database.exec('rollback'), Number(process.argv[2]));
`;

/** Starts a process that holds the write lock of the database for some milliseconds; resolves once it holds it. */
export async function holdWriteLock(file: string, milliseconds: number): Promise<ChildProcess> {
  return await inOtherProcess(HOLD, file, String(milliseconds));
}

/** Runs a script in a process of its own; resolves at its first output. Killed at the end of the test. */
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
