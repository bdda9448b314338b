import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect } from 'vitest';

import type { TestPlace } from '../support/databases/place.js';
import { crcOf, softwareOf } from '../support/fleet.js';
import { itUnless, MEGABYTE, memoryOf, noProc, startPrepared, useDatabase } from './machine.js';

let folder: string;
let place: TestPlace;
useDatabase((given) => ({ folder, place } = given));

const SIZE = 30_000_000;
const UPLOADS = 6;
/** The largest bytecode as text, in 11 MiB. */
const TEXT_SIZE = 8 * 1024 * 1024;
const CONNECTIONS = 60;
/** Maximum growth of the process, mostly buffers. */
const MAX_GROWTH = 200 * MEGABYTE;
/** Maximum growth with two bodies as text in memory, and garbage of earlier ones. */
const MAX_TEXT_GROWTH = 320 * MEGABYTE;

/** As `npm start` sets them, besides the limit of the heap. */
const FLAGS = ['--max-semi-space-size=16', '--v8-pool-size=1', '--max-old-space-size=128'];

describe('UP-21 a heap of 128 MiB', () => {
  itUnless(noProc)('is enough for 6 bytecodes of 30 MB at once in multipart', async () => {
    const { program, path, growth } = await start();
    const bytes = Buffer.alloc(SIZE, 'bytecode');
    writeFileSync(join(folder, 'app.posxml'), bytes);
    const send = (_: unknown, number: number) =>
      path.send('-F', 'bytecode=@app.posxml', '-F', `number=${number}`);
    const statuses = await Promise.all(Array.from({ length: UPLOADS }, send));
    expect(statuses).toEqual(statuses.map(() => '201'));
    expect(growth()).toBeLessThan(MAX_GROWTH);
    const versions = await path.versions();
    expect(versions.map(({ size }) => size)).toEqual(Array(UPLOADS).fill(SIZE));
    expect(versions.map(({ crc }) => crc)).toEqual(Array(UPLOADS).fill(crcOf(bytes)));
    expect(await program.end('SIGTERM')).toEqual({ code: 0, signal: null });
  });

  itUnless(noProc)('is enough for 60 connections that send 11 MiB in JSON and forms', async () => {
    const { program, path, growth } = await start();
    const bytes = Buffer.alloc(TEXT_SIZE, 'bytecode');
    // No character of the bytes is one that forms escape.
    const bytecode = bytes.toString('base64');
    writeFileSync(join(folder, 'body.form'), `number=one&bytecode=${bytecode}`);
    writeFileSync(join(folder, 'body.json'), JSON.stringify({ number: 'one', bytecode }));
    const send = (_: unknown, number: number) =>
      path.send('--data-binary', number % 2 === 1 ? '@body.form' : '@body.json');
    const statuses = await Promise.all(Array.from({ length: CONNECTIONS }, send));
    // One is stored, those after it have its number, and those beyond the places that can be waited for are busy.
    expect(new Set(statuses)).toEqual(new Set(['201', '409', '503']));
    expect(growth()).toBeLessThan(MAX_TEXT_GROWTH);
    const versions = await path.versions();
    expect(versions).toMatchObject([{ number: 'one', size: TEXT_SIZE, crc: crcOf(bytes) }]);
    expect(await program.end('SIGTERM')).toEqual({ code: 0, signal: null });
  });

  /** A program with an application, and what was read of its memory since. */
  async function start() {
    const { token, program } = await startPrepared(place, { nodeOptions: FLAGS });
    const client = program.client(token);
    const app = await softwareOf(client).app();
    const before = memoryOf(program, 'VmHWM');
    const send = async (...args: string[]): Promise<string> => {
      const url = `${program.url}/v1/${app}?access_token=${token}`;
      const options = ['-sS', '-o', '/dev/null', '-w', '%{http_code}', ...args, url];
      return (await promisify(execFile)('curl', options, { cwd: folder })).stdout;
    };
    const versions = async () => (await client.get(app)).list('appversions');
    return { program, path: { send, versions }, growth: () => memoryOf(program, 'VmHWM') - before };
  }
});
