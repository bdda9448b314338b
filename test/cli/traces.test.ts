import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

import { commandLine, startProgram } from '../support/program.js';

/** Writes the address of each module for traces when it is loaded. prom-client loads  too. */
const HOOK = `import { registerHooks } from 'node:module';
registerHooks({
  resolve(name, context, next) {
    const found = next(name, context);
    if (/@opentelemetry.(?!api.)|platform.tracing.spans/.test(found.url)) process.stderr.write('loaded ' + found.url + '\\n');
    return found;
  },
});`;

/** How many modules for traces a server has loaded when it has answered a request and stopped. */
async function loadedWith(environment: Readonly<Record<string, string>>): Promise<number> {
  const { folder, place } = await commandLine();
  const hook = join(folder, 'hook.mjs');
  writeFileSync(hook, HOOK);
  const server = await startProgram(place.url, { environment, nodeOptions: ['--import', hook] });
  expect((await server.client(null).get('/readyz')).status).toBe(200);
  expect((await server.end('SIGTERM')).code).toBe(0);
  return server
    .stderr()
    .split('\n')
    .filter((line) => line.startsWith('loaded ')).length;
}

it('a server without traces loads no module for them', async () => {
  expect(await loadedWith({ TRACES_SHARE: '1' })).toBe(0);
  // The same look finds them where they are loaded.
  expect(await loadedWith({ TRACES_URL: 'http://127.0.0.1:9/v1/traces' })).toBeGreaterThan(5);
});
