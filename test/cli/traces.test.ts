import { expect, it } from 'vitest';

import { loadedModules } from '../support/loaded-modules.js';

/** prom-client loads `@opentelemetry/api` too. */
const TRACES = /@opentelemetry.(?!api.)|platform.tracing.spans/;

it('a server without traces loads no module for them', async () => {
  expect(await loadedModules(TRACES, { TRACES_SHARE: '1' })).toBe(0);
  // Counter-check: with traces, their modules are found.
  expect(await loadedModules(TRACES, { TRACES_URL: 'http://127.0.0.1:9/v1/traces' })).toBeGreaterThan(5);
});
