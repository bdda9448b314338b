import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

import { addPerson, PASSWORD } from '../support/people.js';
import { useServer } from '../support/server.js';

const script = new URL('legacy-client.sh', import.meta.url).pathname;

const server = useServer();

it('a legacy back office with curl can use every endpoint', async () => {
  const { email } = await addPerson(server, { acme: 'admin' });
  const { stdout } = await promisify(execFile)('bash', [script, server.url, email, PASSWORD]);
  expect(stdout).toMatch(/^\d\d requests passed\.$/m);
});
