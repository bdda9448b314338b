import { statSync } from 'node:fs';
import { expect, it, onTestFinished } from 'vitest';

import { keepContent } from '../../src/domain/software/content/content.service.js';
import { ContentBuilder } from '../../src/platform/encoding/content.js';
import { fileOf } from '../support/databases/sqlite-place.js';
import { startServer } from '../support/server.js';

it('housekeeping cuts a log that a large change has left large', async () => {
  const server = await startServer();
  onTestFinished(() => server.stop());
  const size = (): number => statSync(`${fileOf(server.place)}-wal`).size;
  const builder = new ContentBuilder();
  builder.add(new Uint8Array(20 * 1024 * 1024));
  const { units } = server.app;
  await units.write(server.acme.caller, (work) => keepContent(work, builder.finish()));
  expect(size()).toBeGreaterThan(16 * 1024 * 1024);
  await server.app.housekeeping.run();
  expect(size()).toBe(0);
});
