import { expect, it } from 'vitest';

import { startServer } from '../../support/server.js';

/** More than a connection may take to answer. */
const BUSY_MS = 7_500;

it('the database is not given up because this process was too busy to read its answers', async () => {
  const server = await startServer();
  const { client } = server.acme;
  const cell = new Int32Array(new SharedArrayBuffer(4));
  let isBusy = false;
  server.app.database.watchStatements((text) => {
    if (isBusy || !text.includes('insert into')) return undefined;
    isBusy = true;
    // When the statement was sent, and its answer has not been read.
    process.nextTick(() => Atomics.wait(cell, 0, 0, BUSY_MS));
    return undefined;
  });
  expect((await client.post('groups', { name: 'sent' })).status).toBe(201);
  expect(isBusy).toBe(true);
  expect((await client.get('groups')).status).toBe(200);
  await server.stop();
});
