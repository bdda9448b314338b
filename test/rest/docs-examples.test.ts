import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';

import { DOCUMENT } from '../support/openapi-check.js';
import { useServer } from '../support/server.js';
import { newTerminal } from '../support/terminals.js';

const run = promisify(execFile);

const server = useServer();
let examples: ReadonlyMap<string, string>;
let deviceToken: string;
beforeAll(async () => {
  deviceToken = (await newTerminal(server.acme, 'SN-1')).token;
  examples = examplesIn(await (await fetch(`${server.url}/docs`)).text());
});

/** The commands on the page by operation, as a reader copies them. */
function examplesIn(page: string): ReadonlyMap<string, string> {
  const found = page.matchAll(/<section id="(\w+)">.*?<pre class="command">(.*?)<\/pre>/gs);
  return new Map(
    [...found].map(([, id = '', text = '']) => [
      id,
      text.replaceAll(/&#(\d+);/g, (_entity, code: string) => String.fromCharCode(Number(code))),
    ]),
  );
}

/** The variables of the page. */
const environment = (token: string): NodeJS.ProcessEnv => ({
  ...process.env,
  BASE_URL: server.url,
  TOKEN: token,
  DEVICE_TOKEN: deviceToken,
});

interface Pasted {
  readonly status: string;
  readonly text: string;
}

/** Pastes commands one after the other into a shell that has the variables of the page. */
async function paste(ids: readonly string[], token: string): Promise<readonly Pasted[]> {
  const commands = ids.map((id) => `${examples.get(id) ?? 'false'} -s -w '\\n<%{http_code}>\\n'`);
  const { stdout } = await run('sh', ['-c', commands.join('\n')], { env: environment(token) });
  const responses = stdout.matchAll(/(.*?)\n<(\d{3})>\n/gs);
  return Array.from(responses, ([, text = '', status = '']) => ({ status, text }));
}

const STREAM = 'streamTerminalNotifications';
const OPERATIONS = Object.values(DOCUMENT.paths)
  .flatMap((methods) => Object.values(methods))
  .filter(({ operationId }) => operationId !== STREAM);

describe('the examples of the documentation page', () => {
  const pasted = new Map<string, Pasted>();
  beforeAll(async () => {
    const ids = OPERATIONS.map(({ operationId }) => operationId);
    const results = await paste(ids, server.acme.token);
    for (const [index, id] of ids.entries()) pasted.set(id, results[index] ?? { status: '', text: '' });
  });

  it.each(OPERATIONS.map((operation) => [operation.operationId, operation] as const))(
    'can be pasted as they are: %s',
    (id, { responses }) => {
      const { status = '', text = '' } = pasted.get(id) ?? {};
      expect(Object.keys(responses)).toContain(status);
      // The record of an example may not exist; the request is well-formed in any case.
      expect(['200', '201', '401', '404', '409', '422']).toContain(status);
      if (status === '404') expect(text).not.toContain('No such path.');
      if (status === '401') expect(id).toBe('createUserToken');
    },
  );

  it(`can be pasted as they are: ${STREAM}, which shows events as they come`, async () => {
    const shell = spawn('sh', ['-c', `exec ${examples.get(STREAM) ?? 'false'} -s -i`], {
      env: environment(server.acme.token),
    });
    const [first] = (await once(shell.stdout, 'data')) as [Buffer];
    expect(first.toString()).toMatch(/^HTTP\/1.1 200 /);
    shell.kill();
    await once(shell, 'close');
  });

  it('create records as they say, with a file too', async () => {
    const created = await paste(['createGroup', 'createFile', 'createDevice'], server.beta.token);
    for (const [index, name] of ['AREA 51', 'hello.txt', '5A-00012345'].entries()) {
      expect(created[index]).toEqual({ status: '201', text: expect.stringContaining(`"${name}"`) as string });
    }
  });
});
