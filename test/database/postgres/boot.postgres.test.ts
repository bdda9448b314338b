import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';

const BOOT = new URL('../../support/postgres/boot.ts', import.meta.url).href;

// The package that starts the server would end the process with the code 0.
it.each([
  ['await server.stop(); process.exitCode = 3;', 3],
  ["throw new Error('failed');", 1],
])('a process that runs a server keeps its exit code: %s', (end, code) => {
  const program = `const { startPostgres } = await import('${BOOT}'); const server = await startPostgres(); ${end}`;
  const { status } = spawnSync(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', program]);
  expect(status).toBe(code);
});
