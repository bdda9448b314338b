import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';

import { softwareOf } from '../support/fleet.js';
import { removeFolder, scratchFolder } from '../support/scratch.js';
import { useServer } from '../support/server.js';

/** Maximum processor time of one turn of the event loop, in ms. */
const MAX_TURN_MS = 50;
const ATTEMPTS = 4;

const server = useServer();
let folder: string;
let path: string;
beforeAll(async () => {
  folder = scratchFolder();
  path = await softwareOf(server.acme.client).app();
  const bytes = randomBytes(30_000_000);
  const bytecode = bytes.toString('base64');
  const number = 'taken';
  await softwareOf(server.acme.client).version(path, { number });
  writeFileSync(join(folder, 'app.posxml'), bytes);
  writeFileSync(join(folder, 'app.json'), JSON.stringify({ number, bytecode }));
  writeFileSync(join(folder, 'escaped.json'), JSON.stringify({ number, bytecode }).replaceAll('/', '\\/'));
  writeFileSync(join(folder, 'app.form'), new URLSearchParams({ number, bytecode }).toString());
});
afterAll(() => removeFolder(folder));

/** Milliseconds of processor time of the longest turn while `use` runs: other processes do not count. */
async function longestTurn(use: () => Promise<void>): Promise<number> {
  let [isRunning, longest] = [true, 0];
  let before = process.threadCpuUsage();
  const turn = (): void => {
    const { user, system } = process.threadCpuUsage(before);
    longest = Math.max(longest, (user + system) / 1_000);
    before = process.threadCpuUsage();
    if (isRunning) setImmediate(turn);
  };
  setImmediate(turn);
  await use();
  isRunning = false;
  return longest;
}

/** Sends a body with curl, in another process: it is received whole, and then refused since its number is taken. */
async function curl(...args: string[]): Promise<void> {
  const url = `${server.url}/v1/${path}?access_token=${server.acme.token}`;
  const options = ['-sS', '-o', '/dev/null', '-w', '%{http_code}', ...args, url];
  const { stdout } = await promisify(execFile)('curl', options, { cwd: folder });
  expect(stdout).toBe('409');
}

it.each([
  ['JSON', ['--data-binary', '@app.json']],
  ['JSON with escaped slashes', ['--data-binary', '@escaped.json']],
  ['a form', ['--data-binary', '@app.form']],
  ['multipart/form-data', ['-F', 'bytecode=@app.posxml', '-F', 'number=taken']],
])('UP-21 30 MB in %s are received in turns of less than 50 ms', async (_form, args) => {
  const turns: number[] = [];
  while (turns.length < ATTEMPTS && Math.min(...turns) >= MAX_TURN_MS) {
    turns.push(await longestTurn(() => curl(...args)));
  }
  expect(Math.min(...turns)).toBeLessThan(MAX_TURN_MS);
});
