import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

import { WholeFile } from '../../src/database/sqlite/file/whole-file.js';
import { runTool, useScratchFolder } from '../faults/machine.js';
import { databaseFile } from '../support/databases/sqlite-place.js';

const PROGRAM = fileURLToPath(
  new URL('../../src/database/sqlite/file/whole-file-process.ts', import.meta.url),
);

let file: string;
useScratchFolder((scratch) => ({ file } = scratch));

function checkOf(checked: string) {
  const lines: string[] = [];
  const damage: string[] = [];
  const whole = new WholeFile(checked, {
    isChecked: false,
    onProgress: (line) => lines.push(line),
    onDamage: (detail) => damage.push(detail),
  });
  return { whole, lines, damage };
}

/** Opening it takes without an end, as the check of a very large file does. */
function endlessFile(): string {
  runTool('mkfifo', file);
  return file;
}

describe('the check of a whole file', () => {
  it('is due until it has ended, and is made once', async () => {
    const { whole, lines, damage } = checkOf(databaseFile());
    expect([whole.state, lines]).toEqual([{ note: 'running' }, []]);
    whole.check();
    await expect.poll(() => whole.state).toBeNull();
    whole.check();
    await whole.close();
    expect([lines.length, damage]).toEqual([2, []]);
  });

  it('that cannot be made is no damage, and stays due', async () => {
    const { whole, lines, damage } = checkOf(`${file}.missing`);
    whole.check();
    await expect.poll(() => lines).toHaveLength(2);
    expect([whole.state, damage]).toEqual([{ note: 'running' }, []]);
    expect(lines[1]).toContain('could not be made');
    await whole.close();
  });

  it('is put off when the disk has little room', async () => {
    const { whole, lines } = checkOf(endlessFile());
    whole.check();
    whole.putOffCheck();
    await expect.poll(() => lines).toHaveLength(2);
    expect(lines.at(-1)).toContain('is tried again: its process was ended');
    await whole.close();
    expect(whole.state).toEqual({ note: 'running' });
  });

  it('ends at once when the server closes the database', async () => {
    const { whole, lines } = checkOf(endlessFile());
    whole.check();
    await whole.close();
    whole.check();
    expect(lines).toHaveLength(1);
  });

  it('ends with the process that has begun it', async () => {
    const child = fork(PROGRAM, ['check', endlessFile()], { env: {}, execArgv: [] });
    child.disconnect();
    expect(await once(child, 'exit')).toEqual([null, 'SIGKILL']);
  });
});
