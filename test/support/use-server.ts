import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';

import { startServer, type TestServer } from './server.js';

/**
 * A server for all tests of the file or the `describe` that calls this: starts before them and stops after them. Its
 * properties are there once the first hook or test runs.
 */
export function useServer(...options: Parameters<typeof startServer>): TestServer {
  const server = {} as TestServer;
  beforeAll(async () => {
    Object.assign(server, await startServer(...options));
  });
  afterAll(async () => {
    await server.stop();
  });
  return server;
}

/** A new server for each test; its properties are there once the next `beforeEach` or the test runs. */
export function useServerPerTest(...options: Parameters<typeof startServer>): TestServer {
  const server = {} as TestServer;
  beforeEach(async () => {
    Object.assign(server, await startServer(...options));
  });
  afterEach(async () => {
    await server.stop();
  });
  return server;
}
