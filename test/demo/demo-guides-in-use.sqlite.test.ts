import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { fleet, softwareOf } from '../support/fleet.js';
import { ASK, besideDemo, guide, makeServer } from '../support/guide-servers.js';
import { type GuideShell, masked, shellBlocks, stepsOf, type Step } from '../support/guide-shell.js';
import { killPrograms } from '../support/program.js';
import { removeFolder, scratchFolder } from '../support/scratch.js';
import { base64 } from '../support/stocked-terminal.js';

let folder = '';
beforeEach(() => {
  folder = scratchFolder();
});
afterEach(async () => {
  await killPrograms();
  removeFolder(folder);
});

/** `curl` says in its output when a request was refused. */
const NOTE_REFUSALS = 'curl() { command curl --fail-with-body "$@" || echo "REFUSED: $?"; }';
const REFUSED = /REFUSED|"errors":|"userErrors":\[\{/;
/** Differs from one run to the next; members are in the order of their ids, which are drawn. */
const VARYING = /"(?:id|name|email|role|initialPassword|token|lastFour|link)":"[^"]*"|\d+/g;

/** Runs commands, of which none may be refused. Returns what the last one printed. */
async function accept(shell: GuideShell, ...commands: readonly string[]): Promise<string> {
  let output = '';
  for (const command of commands) {
    output = await shell.run(command);
    expect(output, command).not.toMatch(REFUSED);
  }
  return output;
}

const found = (text: string, pattern: RegExp): string => {
  const [, part] = pattern.exec(text) ?? [];
  if (part === undefined) throw new Error(`${pattern.source} is not in ${text}.`);
  return part;
};

const withoutNumbers = (text: string): string => masked(text).replaceAll(/\d+/g, '');

/** Runs a command, which prints what the guide says but for numbers. */
async function checked(shell: GuideShell, { command, printed }: Step): Promise<string> {
  const output = await shell.run(command);
  expect(withoutNumbers(output), command).toBe(withoutNumbers(printed));
  return output;
}

/** Commands in the blocks of a guide that print nothing there. */
const silentCommands = (name: string, language: string): readonly string[] =>
  shellBlocks(guide(name), language)
    .filter((block) => block.startsWith('curl'))
    .flatMap((block) => block.split(/\n(?=curl)/));

describe('commands of the guides on daily work, run as they are printed', () => {
  it('alerts, webhooks, rollouts and exports', async () => {
    const { shell } = await besideDemo(folder);
    await shell.run(NOTE_REFUSALS);
    await accept(shell, ...silentCommands('use/alerts', 'sh'), ...silentCommands('use/webhooks', 'sh'));

    const idsOf = `ask '{"query":"{ appVersions(first: 1) { nodes { id } } groups(first: 1) { nodes { id } } }"}'`;
    const ids = await accept(shell, idsOf);
    const version = found(ids, /"appVersions":\{"nodes":\[\{"id":"(\w+)"/);
    const group = found(ids, /"groups":\{"nodes":\[\{"id":"(\w+)"/);
    const [preview = ''] = silentCommands('use/rollouts', 'sh');
    const rollout = preview.replace('["…"], "group": "…"', `["${version}"], "group": "${group}"`);
    expect(await shell.run(rollout)).toMatch(/"rolloutCreate":\{"count":\d/);

    const transactions = '-sS http://127.0.0.1:4000/export/v1/transactions -H "Authorization: Bearer $TOKEN"';
    const last = await accept(shell, `curl ${transactions} | tail -n 1 | cut -d , -f 1`);
    const exports = silentCommands('use/export', 'sh').map((command) => command.replace('84012', last));
    await accept(shell, ...exports);
    expect(await shell.run('ls')).toMatch(
      /all\.ndjson\ndevices\.csv\nnovember\.ndjson\ntransactions .*\.csv/,
    );

    const [start = '', download = '', issue = '', look = '', tokens = ''] = silentCommands('use/export', '');
    const url = found(await accept(shell, start), /"url":"([^"]+)"/);
    await accept(shell, `URL='${url}'`, download);
    const job = found(await accept(shell, issue), /"job":\{"id":"(\w+)"/);
    const number = found(Buffer.from(job, 'base64').toString(), /(\d+)/);
    const ended = `until ${look.trim().replace('Sm9iOjEy', job)} | grep -q '"DONE"'; do sleep 0.2; done`;
    await accept(shell, ended, tokens.replace('/12/', `/${number}/`));
    expect(await shell.run('head -n 2 tokens.csv')).toMatch(/^serial_number,token\s+\S+,\w{40}$/);
  });

  it('plans, users and their tokens', async () => {
    const { shell, token } = await besideDemo(folder);
    await shell.run(`printf %s ${token} > token.txt`);
    const withoutPrepaid = '/"110000"/,/metacontents/{/prepaid/,+1d}';
    const changes = ['/receipt.footer/,+2d', 's/gw3/gw4/', '0,/2[.]9[.]4/{/2[.]9[.]4/d}', withoutPrepaid];
    const edit = `sed -i ${changes.map((each) => `-e '${each}'`).join(' ')} centro.yaml`;
    const plan = stepsOf(guide('use/plan')).filter(({ command }) => !command.includes('bad.yaml'));
    await shell.check(
      plan.map((step) => ({
        command: step.command === 'vi centro.yaml' ? edit : step.command,
        printed: step.printed.includes('…') ? '' : step.printed,
      })),
      /Plan \S+/g,
    );

    const members = await shell.run(
      `ask '{"query":"{ viewer { company { members(first: 9) { nodes { user { id email } } } } } }"}'`,
    );
    const admin = found(members, /"id":"(\w+)","email":"admin@acme.example"/);
    const steps = stepsOf(guide('use/users')).map(({ command, printed }) => ({
      command: command.replace('VXNlcjo5ODAwNDQyMDI', admin),
      printed,
    }));
    await shell.check(steps, VARYING);
  });

  it('what a terminal gets: software, notifications and commands', async () => {
    const { shell, server, token } = await makeServer(folder);
    const client = server.client(token);
    const software = softwareOf(client);
    const group = await fleet.group(client, 'Padarias');
    const file = await fleet.file(client, 'bins.dat', 'binary');
    const print = await software.app({ name: 'print', kind: 'module' });
    const module = await software.version(print, { number: '1.0', bytecode: base64('print') });
    const sale = await software.version(await software.app({ name: 'sale' }), {
      number: '1.0',
      displayable: true,
      pos_display_label: 'Sale',
      bytecode: base64('123456789'),
      group_ids: [group],
      module_ids: [module.id],
      file_ids: [file],
    });
    const number = await fleet.logicalNumber(client, '110000', {
      group_id: group,
      app_version_ids: [sale.id],
    });
    const device = await fleet.device(client, 'SN-1', { logical_number_id: number });
    await client.post('parameters', { name: 'Padarias', key: 'host', value: 'gw3.acme.example' });
    await client.post('parameters', { number: '110000', key: 'port', value: '7000' });
    const issued = await shell.run('terminal-gateway device token SN-1 --company "Your Company"');
    await shell.run(`export TOKEN=${token} DEVICE_TOKEN=${found(issued, /^(\w{40})$/m)}; ${ASK}`);
    const named = guide('reference/terminal-software').replaceAll('acmepagamentos_', 'yourcompany_');
    // Names of the company are in what is hashed, and the guide does not show what is in the file.
    await shell.check(
      stepsOf(named),
      /\r|[\w-]{43}(?=\\?")|"params_dat":\{[^}]*\}|"files":\[[^\]]*\]|(?<=bins\.dat,)\w+/g,
    );

    const say = async (content: string): Promise<void> => {
      const sent = await client.post('notifications', { content, range: 'group', group_id: group });
      expect(sent.status, sent.text).toBe(201);
    };
    await say('Closed on Sunday');
    const [define, wait, confirm, stream] = stepsOf(guide('use/notifications')) as [Step, Step, Step, Step];
    await shell.check([define]);
    const first = found(await checked(shell, wait), /"id":"(\d+)"/);
    await checked(shell, { ...confirm, command: confirm.command.replace('17', first) });
    await say('Open again');
    const ending = { ...stream, command: `${stream.command} -m 3` };
    const second = found(await checked(shell, ending), /"id":"(\d+)"/);
    await shell.run(`terminal /confirm -d '{"type":"pnconf","event":"${second}"}'`);

    const [send = ''] = shellBlocks(guide('use/commands'), 'graphql');
    const variables = { ids: [Buffer.from(`Device:${device}`).toString('base64url')] };
    await accept(shell, `ask '${JSON.stringify({ query: send, variables })}'`);
    const [ask, ...reports] = stepsOf(guide('use/commands')) as [Step, ...Step[]];
    const id = found(await checked(shell, ask), /"id":"(\d+)"/);
    for (const { command, printed } of reports) {
      await checked(shell, { command: command.replace('18', id), printed });
    }
    expect(
      await shell.run(
        `ask '{"query":"{ device(id: \\"${variables.ids[0]}\\") { commands(first: 1) { nodes { state code } } } }"}'`,
      ),
    ).toContain('"state":"FAILED","code":"BATTERY"');

    const [live] = stepsOf(guide('reference/graphql-live')) as [Step];
    await shell.run(
      `(sleep 1; ask '{"query":"mutation { groupCreate(input: { name: \\"Nova\\" }) { group { id } } }"}') >/dev/null &`,
    );
    await checked(shell, { ...live, command: live.command.replace('curl -sN', 'curl -sN -m 4') });
  });
});
