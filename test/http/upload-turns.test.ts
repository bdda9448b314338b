import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';

import { softwareOf } from '../support/fleet.js';
import { removeFolder, scratchFolder } from '../support/scratch.js';
import { useServer } from '../support/server.js';

/** Maximum share of one turn of the event loop in the processor time of a request. */
const MAX_SHARE = 1 / 4;
/** The garbage of other tests may be collected during one turn; what a turn itself does is done each time. */
const RECEPTIONS = 3;

const server = useServer();
let folder: string;
let path: string;
beforeAll(async () => {
  folder = scratchFolder();
  path = await softwareOf(server.acme.client).app();
  const bytes = randomBytes(30_000_000);
  const bytecode = bytes.subarray(0, 8_000_000).toString('base64');
  const number = 'taken';
  await softwareOf(server.acme.client).version(path, { number });
  writeFileSync(join(folder, 'app.posxml'), bytes);
  writeFileSync(join(folder, 'app.json'), JSON.stringify({ number, bytecode }));
  writeFileSync(join(folder, 'escaped.json'), JSON.stringify({ number, bytecode }).replaceAll('/', '\\/'));
  writeFileSync(join(folder, 'app.form'), new URLSearchParams({ number, bytecode }).toString());
});
afterAll(() => removeFolder(folder));

/** The processor time of the longest turn as a share of all turns while `use` runs. Other processes do not count. */
async function longestShare(use: () => Promise<void>): Promise<number> {
  const turns: number[] = [];
  let isRunning = true;
  let before = process.threadCpuUsage();
  const turn = (): void => {
    const { user, system } = process.threadCpuUsage(before);
    turns.push(user + system);
    before = process.threadCpuUsage();
    if (isRunning) setImmediate(turn);
  };
  setImmediate(turn);
  await use();
  isRunning = false;
  return Math.max(...turns) / turns.reduce((sum, time) => sum + time, 0);
}

/** Sends a body with curl, in another process: it is received whole, and then refused since its number is taken. */
async function curl(...args: string[]): Promise<void> {
  const url = `${server.url}/v1/${path}?access_token=${server.acme.token}`;
  const options = ['-sS', '-o', '/dev/null', '-w', '%{http_code}', ...args, url];
  const { stdout } = await promisify(execFile)('curl', options, { cwd: folder });
  expect(stdout).toBe('409');
}

it.each([
  ['8 MB in JSON', ['--data-binary', '@app.json']],
  ['8 MB in JSON with escaped slashes', ['--data-binary', '@escaped.json']],
  ['8 MB in a form', ['--data-binary', '@app.form']],
  ['30 MB in multipart/form-data', ['-F', 'bytecode=@app.posxml', '-F', 'number=taken']],
])('UP-21 no turn of the event loop takes most of the time in which %s are received', async (_form, args) => {
  const shares: number[] = [];
  while (shares.length < RECEPTIONS) shares.push(await longestShare(() => curl(...args)));
  expect(Math.min(...shares)).toBeLessThan(MAX_SHARE);
});
