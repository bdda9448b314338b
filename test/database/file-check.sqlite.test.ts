import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

import { FileCheck } from '../../src/database/sqlite/file/file-check.js';
import { runTool, useScratchFolder } from '../faults/machine.js';
import { databaseFile } from '../support/databases/sqlite-place.js';

const PROGRAM = fileURLToPath(new URL('../../src/database/sqlite/file/check-process.ts', import.meta.url));

/** A process is started. */

let file: string;
useScratchFolder((scratch) => ({ file } = scratch));

function checkOf(checked: string) {
  const lines: string[] = [];
  const damage: string[] = [];
  const check = new FileCheck({
    file: checked,
    onProgress: (line) => lines.push(line),
    onDamage: (detail) => damage.push(detail),
  });
  return { check, lines, damage };
}

/** Opening it takes without an end, as the check of a very large file does. */
function endlessFile(): string {
  runTool('mkfifo', file);
  return file;
}

const SCHED_IDLE = 5;

/** Number of the threads of a process that have this policy: field 41 of their `stat`, the 39th after the name. */
function idleThreadsOf(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`).map((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8'),
  );
  const policies = threads.map((stat) => Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[38]));
  return policies.filter((policy) => policy === SCHED_IDLE).length;
}

describe('the check of a whole file', () => {
  it('is due until it has ended, and is made once', async () => {
    const { check, lines, damage } = checkOf(databaseFile());
    expect([check.state, lines]).toEqual([{ note: 'running' }, []]);
    check.begin();
    await expect.poll(() => check.state).toBeNull();
    check.begin();
    await check.close();
    expect([lines.length, damage]).toEqual([2, []]);
  });

  it('that cannot be made is no damage, and stays due', async () => {
    const { check, lines, damage } = checkOf(`${file}.missing`);
    check.begin();
    await expect.poll(() => lines).toHaveLength(2);
    expect([check.state, damage]).toEqual([{ note: 'running' }, []]);
    expect(lines[1]).toContain('could not be made');
    await check.close();
  });

  it('begins anew, once, when it is hurried', async () => {
    const { check, lines } = checkOf(endlessFile());
    check.hurry();
    check.begin();
    check.hurry();
    await expect.poll(() => lines).toHaveLength(2);
    expect(lines[1]).toContain('begins anew, with a higher priority');
    check.hurry();
    await check.close();
    expect([lines.length, check.state]).toEqual([2, { note: 'running' }]);
  });

  it('is put off, without a higher priority, when the disk has little room', async () => {
    const { check, lines } = checkOf(endlessFile());
    check.begin();
    check.putOff();
    await expect.poll(() => lines).toHaveLength(2);
    expect(lines.at(-1)).toContain('is tried again: the disk has little room');
    check.hurry();
    await check.close();
    expect(check.state).toEqual({ note: 'running' });
  });

  it('uses only time of the processor that nothing else uses', async () => {
    const child = fork(PROGRAM, [endlessFile(), 'idle'], { env: {}, execArgv: [] });
    // The first thread, and the one that reads the file.
    await expect.poll(() => idleThreadsOf(child.pid ?? 0)).toBeGreaterThanOrEqual(2);
    child.disconnect();
    await once(child, 'exit');
  });

  it('ends at once when the server closes the database', async () => {
    const { check, lines } = checkOf(endlessFile());
    check.begin();
    await check.close();
    check.begin();
    expect(lines).toHaveLength(1);
  });

  it('ends with the process that has begun it', async () => {
    const child = fork(PROGRAM, [endlessFile()], { env: {}, execArgv: [] });
    child.disconnect();
    expect(await once(child, 'exit')).toEqual([null, 'SIGKILL']);
  });
});
