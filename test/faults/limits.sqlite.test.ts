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
/** Maximum growth of the process, mostly buffers. Uploads must be in files: 180 MB, or 400 MB as sent. */
const MAX_GROWTH = 200 * MEGABYTE;

/** As `npm start` sets them, besides the limit of the heap. */
const FLAGS = ['--max-semi-space-size=16', '--v8-pool-size=1', '--max-old-space-size=128'];

describe('UP-21 a heap of 128 MiB', () => {
  itUnless(noProc)('is enough for 6 bytecodes of 30 MB at once, in JSON, forms and multipart', async () => {
    const { token, program } = await startPrepared(place, { nodeOptions: FLAGS });
    const path = await softwareOf(program.client(token)).app();
    const bytes = Buffer.alloc(SIZE, 'bytecode');
    writeFileSync(join(folder, 'app.posxml'), bytes);
    // No character of the bytes is one that forms escape.
    const bytecode = bytes.toString('base64');
    const send = async (number: number): Promise<string> => {
      const body = join(folder, `body ${number}`);
      if (number % 3 === 0) writeFileSync(body, JSON.stringify({ number: String(number), bytecode }));
      if (number % 3 === 1) writeFileSync(body, `number=${number}&bytecode=${bytecode}`);
      const multipart = ['-F', 'bytecode=@app.posxml', '-F', `number=${number}`];
      const args = number % 3 === 2 ? multipart : ['--data-binary', `@${body}`];
      const url = `${program.url}/v1/${path}?access_token=${token}`;
      const options = ['-sS', '-o', '/dev/null', '-w', '%{http_code}', ...args, url];
      return (await promisify(execFile)('curl', options, { cwd: folder })).stdout;
    };
    const before = memoryOf(program, 'VmHWM');
    const statuses = await Promise.all(Array.from({ length: UPLOADS }, (_, number) => send(number)));
    const growth = memoryOf(program, 'VmHWM') - before;
    expect(statuses).toEqual(statuses.map(() => '201'));
    expect(growth).toBeLessThan(MAX_GROWTH);
    const versions = (await program.client(token).get(path)).list('appversions');
    expect(versions.map(({ size }) => size)).toEqual(Array(UPLOADS).fill(SIZE));
    expect(versions.map(({ crc }) => crc)).toEqual(Array(UPLOADS).fill(crcOf(bytes)));
    expect(await program.end('SIGTERM')).toEqual({ code: 0, signal: null });
  });
});
