import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** Runs the checks two at a time, the longest first. Prints the output of each. */
const CHECKS = ['check:lint', 'check:types', 'check:format', 'check:dead', 'check:imports'];
const AT_A_TIME = 2;

const waiting = [...CHECKS];
const say = (text: string): void => void process.stdout.write(text);

async function runWaiting(): Promise<void> {
  for (let check = waiting.shift(); check !== undefined; check = waiting.shift()) {
    const started = performance.now();
    const child = spawn('npm', ['run', '-s', check], { stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (bytes: Buffer) => (output += bytes.toString()));
    }
    const [code] = (await once(child, 'close')) as [number | null];
    const seconds = ((performance.now() - started) / 1_000).toFixed(1);
    if (code !== 0) process.exitCode = 1;
    say(`${check} ${code === 0 ? 'passed' : 'FAILED'} in ${seconds} s\n${output}`);
  }
}

await Promise.all(Array.from({ length: AT_A_TIME }, runWaiting));
