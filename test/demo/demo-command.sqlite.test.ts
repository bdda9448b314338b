import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';

import type { Fields } from '../support/client.js';
import { openBrowser } from '../support/console.js';
import { demoIsReady, launchDemo } from '../support/demo.js';
import { killPrograms, runCommand, type Started } from '../support/program.js';
import { removeFolder, scratchFolder } from '../support/scratch.js';

const run = promisify(execFile);

interface RunningDemo extends Started {
  readonly database: string;
}

function start(...options: string[]): Started {
  const demo = launchDemo(...options);
  onTestFinished(killPrograms);
  return demo;
}

async function startDemo(...options: string[]): Promise<RunningDemo> {
  const demo = start(...options);
  await demoIsReady(demo);
  return { ...demo, database: /was made in .* s, in (\S+)/.exec(demo.output())?.[1] ?? '' };
}

async function paste(command: string): Promise<{ status: string; body: Fields }> {
  const { stdout } = await run('sh', ['-c', `${command} -w '\\n%{http_code}'`]);
  const [body = '', status = ''] = stdout.split(/\n(?=\d{3}$)/);
  return { status, body: JSON.parse(body) as Fields };
}

describe('terminal-gateway demo', () => {
  it('serves a fleet, and each printed command returns records', async () => {
    const demo = await startDemo('--seed', '11');
    const lines = demo.output().split('\n');
    expect(lines[0]).toMatch(/^Filling a new database with the demo fleet of seed 11/);
    const filling = lines.slice(1, 11);
    expect(filling).toEqual(Array.from({ length: 10 }, (_, n) => `Filling: ${10 * (n + 1)} %`));
    expect(lines[11]).toMatch(/^The demo fleet of seed 11 was made in /);
    const commands = demo.output().match(/^ {2}curl .*$/gm) ?? [];
    expect(commands).toHaveLength(3);
    const replies = await Promise.all(commands.map(paste));
    expect(replies.map(({ status }) => status)).toEqual(['200', '200', '200']);
    const lists = replies.map(({ body }) => Object.keys(body)[1]);
    expect(lists).toEqual(['transactions', 'devices', 'parameters']);
    for (const [index, { body }] of replies.entries()) {
      expect((body[lists[index] ?? ''] as unknown[]).length).toBeGreaterThanOrEqual(3);
    }
    expect(JSON.stringify(replies[0]?.body)).toContain('"card":{"brand"');
    expect(JSON.stringify(replies[2]?.body)).toContain('group_parameter');

    for (const path of ['/graphql', '/docs']) {
      const address = new RegExp(`^  (http://127.0.0.1:\\d+${path}) `, 'm').exec(demo.output())?.[1] ?? '';
      const page = await fetch(address, { headers: { accept: 'text/html' } });
      expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    }

    const link = /^ {2}http:\/\/localhost:\d+\/console\/#sign-in=([0-9a-f]{40})$/m.exec(demo.output());
    const browser = openBrowser(/listens on (\S+)/.exec(demo.output())?.[1] ?? '');
    await browser.graphql('mutation ($code: String!) { signInByLink(code: $code) { viewer { role } } }', {
      code: link?.[1],
    });
    expect((await browser.graphql('{ viewer { role } }')).body.data).toEqual({ viewer: { role: 'ADMIN' } });

    const password = /with the password (\S+)/.exec(demo.output())?.[1] ?? '';
    const email = /viewer@\S+?(?=,|\n)/.exec(demo.output())?.[0] ?? '';
    const url = /listens on (\S+)/.exec(demo.output())?.[1] ?? '';
    const signIn = await paste(`curl -s '${url}/v1/users/token' -d '${JSON.stringify({ email, password })}'`);
    expect(signIn.status).toBe('200');

    expect(existsSync(demo.database)).toBe(true);
    expect((await demo.end('SIGTERM')).code).toBe(0);
    expect(existsSync(demo.database)).toBe(false);
  });

  it('replaces the database of an earlier demo in --dir, unless that demo still runs', async () => {
    const folder = scratchFolder();
    onTestFinished(() => removeFolder(folder));
    const options = ['--no-simulate', '--dir', folder];
    const demo = await startDemo(...options);
    expect(demo.database).toBe(join(folder, 'demo.db'));
    const second = start(...options);
    const { code } = await second.ended;
    expect([code, second.output()]).toEqual([78, expect.stringContaining('in use by process')]);
    expect((await demo.end('SIGTERM')).code).toBe(0);
    expect(existsSync(demo.database)).toBe(true);
    const again = await startDemo(...options);
    // SIGHUP: the terminal was closed.
    expect((await again.end('SIGHUP')).code).toBe(0);
  });

  it.each([
    ['--seed', 'x'],
    ['--seed', '-1'],
    ['--seed', '4294967296'],
    ['--port', '70000'],
  ])('refuses %s %s as a usage error', async (...options) => {
    const { code, output } = await runCommand(['demo', ...options], 'file:unused.db');
    expect([code, output]).toEqual([2, expect.stringContaining('whole number')]);
  });
});
