import { expect, it } from 'vitest';

import { loadedModules } from '../support/loaded-modules.js';

it('a server without a broker loads no module for MQTT, and one with a broker that is away starts and stops', async () => {
  const modules = /node_modules.mqtt|dist.mqtt/;
  expect(await loadedModules(modules, {})).toBe(0);
  expect(await loadedModules(modules, { MQTT_URL: 'mqtt://127.0.0.1:9' })).toBeGreaterThan(5);
});
