import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';

import { runCommandLine } from '../../src/cli/program.js';
import type { Fields } from '../support/client.js';
import { removeFolder, scratchFolder } from '../support/database.js';
import { PROGRAM } from '../support/program.js';

const run = promisify(execFile);

interface RunningDemo {
  readonly child: ChildProcess;
  readonly output: string;
  readonly database: string;
}

function start(...options: string[]): { child: ChildProcess; said: () => string } {
  const child = spawn(process.execPath, [PROGRAM, 'demo', '--port', '0', ...options], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (text += chunk.toString()));
  onTestFinished(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  });
  return { child, said: () => text };
}

async function startDemo(...options: string[]): Promise<RunningDemo> {
  const { child, said } = start(...options);
  await expect.poll(said, { timeout: 25_000 }).toContain('Ctrl-C stops the demo.');
  return { child, output: said(), database: /was made in .* s, in (\S+)/.exec(said())?.[1] ?? '' };
}

async function stop({ child }: RunningDemo): Promise<unknown> {
  child.kill('SIGTERM');
  const [code] = (await once(child, 'exit')) as unknown[];
  return code;
}

/** As the shell of whoever pastes it would. */
async function paste(command: string): Promise<{ status: string; body: Fields }> {
  const { stdout } = await run('sh', ['-c', `${command} -w '\\n%{http_code}'`]);
  const [body = '', status = ''] = stdout.split(/\n(?=\d{3}$)/);
  return { status, body: JSON.parse(body) as Fields };
}

describe('terminal-gateway demo', () => {
  it('serves a fleet, and each command that it prints answers with records', async () => {
    const demo = await startDemo('--seed', '11');
    const commands = demo.output.match(/^ {2}curl .*$/gm) ?? [];
    expect(commands).toHaveLength(3);
    const answers = await Promise.all(commands.map(paste));
    expect(answers.map(({ status }) => status)).toEqual(['200', '200', '200']);
    const lists = answers.map(({ body }) => Object.keys(body)[1]);
    expect(lists).toEqual(['transactions', 'devices', 'parameters']);
    for (const [place, { body }] of answers.entries()) {
      expect((body[lists[place] ?? ''] as unknown[]).length).toBeGreaterThanOrEqual(3);
    }
    expect(JSON.stringify(answers[0]?.body)).toContain('"card":{"brand"');
    expect(JSON.stringify(answers[2]?.body)).toContain('group_parameter');

    const password = /with the password (\S+)/.exec(demo.output)?.[1] ?? '';
    const email = /viewer@\S+?(?=,|\n)/.exec(demo.output)?.[0] ?? '';
    const url = /listens on (\S+)/.exec(demo.output)?.[1] ?? '';
    const signIn = await paste(`curl -s '${url}/v1/users/token' -d '${JSON.stringify({ email, password })}'`);
    expect(signIn.status).toBe('200');

    expect(existsSync(demo.database)).toBe(true);
    expect(await stop(demo)).toBe(0);
    expect(existsSync(demo.database)).toBe(false);
  });

  it('makes its database anew in a folder of choice, but not under a demo that runs', async () => {
    const folder = scratchFolder();
    onTestFinished(() => removeFolder(folder));
    const demo = await startDemo('--dir', folder);
    expect(demo.database).toBe(join(folder, 'demo.db'));
    const second = start('--dir', folder);
    const [code] = (await once(second.child, 'exit')) as unknown[];
    expect([code, second.said()]).toEqual([78, expect.stringContaining('in use by process')]);
    expect(await stop(demo)).toBe(0);
    expect(existsSync(demo.database)).toBe(true);
    const again = await startDemo('--dir', folder);
    expect(await stop(again)).toBe(0);
  });

  it.each([
    ['--seed', 'x'],
    ['--seed', '-1'],
    ['--seed', '4294967296'],
    ['--port', '70000'],
  ])('refuses %s %s as a mistake of the command line', async (...options) => {
    const said: string[] = [];
    const say = (line: string): void => void said.push(line);
    const code = await runCommandLine(['demo', ...options], {
      environment: {},
      program: 'terminal-gateway',
      print: say,
      note: say,
      readInput: () => Promise.resolve(''),
      progress: () => () => undefined,
    });
    expect([code, said.join('\n')]).toEqual([2, expect.stringContaining('whole number')]);
  });
});
