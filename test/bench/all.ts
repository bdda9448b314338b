/**
 * Runs the benchmarks one after the other, or prints a profile of one workload. Not a test.
 *
 *   npm run bench
 *   npm run bench -- --profile W4 [--transactions N] [--seconds N]
 */
import { spawnSync } from 'node:child_process';

const scripts = process.argv.includes('--profile')
  ? [['./profile.ts', ...process.argv.slice(2)]]
  : [['./bench.ts'], ['./showcase.ts'], ['./postgres.ts']];

for (const [script = '', ...args] of scripts) {
  const path = new URL(script, import.meta.url).pathname;
  const { status } = spawnSync(process.execPath, ['--import', 'tsx', path, ...args], { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
