import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';

import { commandLine, startProgram } from './program.js';

/** Writes the address of each module that is loaded and fits the pattern. */
const hookFor = (pattern: RegExp): string => `import { registerHooks } from 'node:module';
registerHooks({
  resolve(name, context, next) {
    const found = next(name, context);
    if (${String(pattern)}.test(found.url)) process.stderr.write('loaded ' + found.url + '\\n');
    return found;
  },
});`;

/** How many modules with such addresses a server has loaded when it has answered a request and stopped. */
export async function loadedModules(
  pattern: RegExp,
  environment: Readonly<Record<string, string>>,
): Promise<number> {
  const { folder, place } = await commandLine();
  const hook = join(folder, 'hook.mjs');
  writeFileSync(hook, hookFor(pattern));
  const server = await startProgram(place.url, { environment, nodeOptions: ['--import', hook] });
  expect((await server.client(null).get('/readyz')).status).toBe(200);
  expect((await server.end('SIGTERM')).code).toBe(0);
  return server
    .stderr()
    .split('\n')
    .filter((line) => line.startsWith('loaded ')).length;
}
