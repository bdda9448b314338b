import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { demoIsReady, launchDemo } from '../support/demo.js';
import { besideDemo, blockWith, guide, makeServer, README } from '../support/guide-servers.js';
import { GuideShell, masked, stepsOf, type Step } from '../support/guide-shell.js';
import { killPrograms, startProgram, type Program } from '../support/program.js';
import { removeFolder, scratchFolder } from '../support/scratch.js';
import { waitFor } from '../support/wait-for.js';

let folder = '';
beforeEach(() => {
  folder = scratchFolder();
});
afterEach(async () => {
  await killPrograms();
  removeFolder(folder);
});

/** The file whose text is a block of a guide, with the addresses of the test. */
function save(shell: GuideShell, name: string, text: string, language: string): void {
  const [, block = ''] = new RegExp(`^\`\`\`${language}\n([^]*?)^\`\`\``, 'm').exec(text) ?? [];
  expect(block).not.toBe('');
  writeFileSync(join(folder, 'gateway', name), shell.real(block));
}

/** Writes the files that commands `cat FILE` of a guide show. */
function writeFiles(place: string, steps: readonly Step[]): void {
  for (const { command, printed } of steps) {
    const [, name] = /^cat (\S+)$/.exec(command) ?? [];
    if (name !== undefined) writeFileSync(join(place, name), `${printed}\n`);
  }
}

/** Devices that a server has, by its token. */
async function totalOf(server: Program, token: string): Promise<unknown> {
  const { body } = await server.client(token).get('devices?per_page=1');
  return (body.pagination as { readonly total_entries: number }).total_entries;
}

describe('commands of the guides, run as they are printed', () => {
  it('README.md: the demo, its console, REST and GraphQL', async () => {
    const demo = launchDemo('--seed', '1');
    await demoIsReady(demo);
    const welcome = blockWith(README, 'Filling a new database').trim().split('\n');
    const lines = masked(demo.output()).split('\n');
    const printed = welcome.filter((line) => line !== '…').map(masked);
    expect(lines.filter((line) => line !== '' && printed.includes(line))).toEqual(
      printed.filter((line) => line !== ''),
    );
    const url = /listens on (\S+)/.exec(demo.output())?.[1] ?? '';
    const shell = new GuideShell(folder, { 'http://127.0.0.1:4000': url });
    shell.learn(welcome.join('\n'), demo.output());
    await shell.check(stepsOf(README));
    expect((await fetch(`${url}/console/`)).status).toBe(200);
  });

  it('README.md and the first hour: a server of your own, whose first start has nothing to report', async () => {
    const { shell, server } = await makeServer(folder);
    expect(server.output()).not.toContain('checked before the start');
    await shell.check(stepsOf(guide('start/first-hour')));
  });

  it('the first terminal comes online', async () => {
    const { shell } = await makeServer(folder);
    await shell.check(stepsOf(guide('start/first-terminal')));
  });

  it('move from another system, then accounting each night', async () => {
    const demo = launchDemo('--no-simulate', '--seed', '1');
    await demoIsReady(demo);
    const { shell, server, token } = await makeServer(folder);
    const move = guide('start/move');
    const old = /listens on (\S+)/.exec(demo.output())?.[1] ?? '';
    const [, oldToken = ''] = /Token of the administrator of .*: (\S+)/.exec(demo.output()) ?? [];
    save(shell, 'old.mjs', move, 'js');
    await shell.run(`export OLD=${old} OLD_TOKEN=${oldToken}`);
    const [, ...steps] = stepsOf(move);
    // How many transactions the demo has depends on the time of day; large imports print their progress.
    const varying = /^\d+ %, .*\n|\d+(?= rows| created|,"|\}})|"after":"\w+"/gm;
    await shell.check(steps, varying);
    await waitFor(async () => expect(await totalOf(server, token)).toBe(204));
    const again = await shell.run(steps.at(-1)?.command ?? '');
    expect(again).toMatch(/^(\d+) rows: 0 created, \1 repeated, 0 rejected$/m);

    const viewer = '--email viewer@example.com --name Viewer --role viewer';
    await shell.run(`terminal-gateway member add --company 'Your Company' ${viewer}`);
    const accounting = guide('use/accounting');
    save(shell, 'nightly.sh', accounting, 'sh');
    await shell.check(stepsOf(accounting), varying);
    const lines = await shell.run('cat payments-*.csv');
    expect(lines.split('\r\n')[0]).toMatch(/^database_id,started_at,serial_number/);
  });

  it('GraphQL, changes, and transactions that come in, against the demo', async () => {
    const { shell } = await besideDemo(folder);
    await shell.run('printf hello > hello.txt');
    // These name a day that is gone, and need the token of an operator.
    const others = /startedAt: |users \{/;
    for (const name of ['reference/graphql', 'reference/graphql-changes', 'use/ingest']) {
      const steps = stepsOf(guide(name));
      writeFiles(folder, steps);
      await shell.check(
        steps.filter(({ command }) => !others.test(command)),
        /\d+/g,
      );
    }
  });

  it('connecting terminals, and their logs', async () => {
    const { shell, server, token } = await makeServer(folder);
    const client = server.client(token);
    for (const id of [1, 2]) {
      await client.post('logical_numbers', { number: `11000${id}` });
      await client.post('devices', { serial_number: `SN-${id}`, logical_number_id: id });
    }
    await shell.run(`export TOKEN=${token}; ${blockWith(guide('reference/graphql'), 'ask()')}`);
    const steps = stepsOf(guide('reference/terminals').replaceAll('Acme Pagamentos', 'Your Company')).map(
      (step) => ({
        ...step,
        command: step.command.replace('operator@acme.example', 'you@example.com'),
      }),
    );
    const created = steps.findIndex(({ command }) => command.includes('--scopes terminals'));
    await shell.check(steps.slice(0, created));
    const output = await shell.run(steps[created]?.command ?? '');
    await shell.run(`GATEWAY_TOKEN=${output.split('\n').at(-1)}; echo log > main.log`);
    writeFiles(join(folder, 'gateway'), steps);
    await shell.check([...steps.slice(created + 1), ...stepsOf(guide('use/device-logs'))], /\d+/g);
  });

  it('a server is killed, and a lost machine replaced from its backup', async () => {
    const { shell, server, token } = await makeServer(folder);
    await shell.run('terminal-gateway db backup ../gateway-2026-11-29.db && cp data/gateway.db.secret ..');
    await server.end('SIGKILL');
    const [check, serve, ...restore] = stepsOf(guide('operate/lost-node'));
    await shell.check(check === undefined ? [] : [check]);
    expect([serve?.command, restore.at(-1)?.command]).toEqual(['terminal-gateway serve', serve?.command]);
    const again = await startProgram(`file:${join(folder, 'gateway/data/gateway.db')}`);
    expect(again.output()).toContain('the last server has not closed it');
    await again.end('SIGTERM');

    mkdirSync(join(folder, 'other'));
    const other = new GuideShell(join(folder, 'other'), { '/backups/': `${folder}/` });
    await other.check(restore.slice(0, -1));
    const restored = await startProgram(`file:${join(folder, 'other/data/gateway.db')}`);
    expect((await restored.client(token).get('devices')).status).toBe(200);
  });
});
