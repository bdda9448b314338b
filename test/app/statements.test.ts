import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { startServer, type TestServer } from '../support/server.js';

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(async () => {
  await server.stop();
});

/** All statements of the server, and those that a test counts. */
async function counted(
  use: () => Promise<unknown>,
): Promise<{ all: readonly string[]; counted: readonly string[] }> {
  await server.app.steps.idle();
  const all: string[] = [];
  const unwatch = server.app.database.watchStatements((sql) => void all.push(sql));
  const { statements } = await server.statements(use);
  unwatch();
  return { all, counted: statements };
}

describe('statements that tests count', () => {
  it('are none that look up the token of a user', async () => {
    // A new token ends what the server remembers of tokens.
    const { client } = await server.member('acme', 'admin');
    await client.get('groups');
    const again = await server.statements(() => client.get('groups'));
    const { client: other } = await server.member('acme', 'admin');
    const first = await counted(() => other.get('groups'));
    expect(first.counted).toEqual(again.statements);
    expect(first.all.length).toBeGreaterThan(first.counted.length);
  });

  it('are none that look for steps left behind', async () => {
    const { all, counted: own } = await counted(async () => {
      server.app.steps.start();
      await server.app.steps.idle();
    });
    expect([all.length > 0, own]).toEqual([true, []]);
  });
});
