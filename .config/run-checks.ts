import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants, setPriority } from 'node:os';

/**
 * Runs the checks, the longest first, and prints the output of each when it ends. With `--tests`, the tests run at the
 * same time: many of them wait, and the checks have a lower priority, so that they do not delay the others.
 */
const CHECKS = ['check:lint', 'check:format', 'check:dead', 'check:imports'];
const withTests = process.argv.includes('--tests');
const AT_A_TIME = 2;

const waiting = [...CHECKS];

async function run(script: string, output: 'inherit' | 'pipe'): Promise<void> {
  const started = performance.now();
  const child = spawn('npm', ['run', '-s', script], { stdio: ['ignore', output, output] });
  if (output === 'pipe' && withTests) setPriority(child.pid ?? 0, constants.priority.PRIORITY_BELOW_NORMAL);
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (bytes: Buffer) => (text += bytes.toString()));
  }
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) process.exitCode = 1;
  const seconds = ((performance.now() - started) / 1_000).toFixed(1);
  if (output === 'pipe') {
    process.stdout.write(`${script} ${code === 0 ? 'passed' : 'FAILED'} in ${seconds} s\n${text}`);
  }
}

async function runWaiting(): Promise<void> {
  for (let check = waiting.shift(); check !== undefined; check = waiting.shift()) await run(check, 'pipe');
}

await Promise.all([
  ...(withTests ? [run('test:only', 'inherit')] : []),
  ...Array.from({ length: AT_A_TIME }, runWaiting),
]);
