import { describe, expect } from 'vitest';

import { it } from '../support/cli-test.js';
import { createClient, type Fields } from '../support/client.js';
import { GOOD_PASSWORD, userAdd, type CommandLine } from '../support/program.js';

const BO = 'bo@acme.example';
const inAcme = (command: string, email: string, ...more: string[]): string[] =>
  ['member', command, '--company', 'Acme', '--email', email].concat(more);
const add = (...more: string[]): string[] =>
  inAcme('add', BO, '--name', 'Bo Lima', '--role', 'operator', ...more);

async function members(cli: CommandLine, company = 'Acme'): Promise<Fields[]> {
  const list = (await cli.run(['member', 'list', '--company', company, '--json'])).list();
  return list.toSorted((a, b) => String(a.email).localeCompare(String(b.email)));
}

async function tokens(url: string, email: string, password: string): Promise<ReadonlyMap<string, string>> {
  const reply = await createClient(url, null).post('users/token', { email, password });
  expect(reply.status, reply.text).toBe(200);
  const entries = JSON.parse(reply.text) as { company_name: string; api_token: string }[];
  return new Map(entries.map((entry) => [entry.company_name, entry.api_token]));
}

describe('member add, list, set-role, disable, enable and remove', () => {
  it('adds a user, whose initial password alone is on standard output', async ({ cli }) => {
    const added = await cli.run(add('--time-zone', 'America/Sao_Paulo'));
    expect([added.code, added.stdout]).toEqual([0, expect.stringMatching(/^[\w-]{20}\n$/)]);
    expect(added.stderr).toContain('bo@acme.example is now operator of "Acme".');
    expect(await members(cli)).toMatchObject([
      { email: 'ana@acme.example', role: 'admin' },
      { email: BO, name: 'Bo Lima', role: 'operator', state: 'active', time_zone: 'America/Sao_Paulo' },
    ]);
    const { url } = await cli.serve();
    const token = (await tokens(url, BO, added.stdout.trim())).get('Acme') ?? '';
    expect((await createClient(url, token).post('groups', { name: 'g' })).status).toBe(201);
    expect((await cli.run('member list --company Acme')).stdout).toMatch(/bo@.*Bo Lima.*operator/);
  });

  it('adds a user of another company, whose account and other company stay as they are', async ({ cli }) => {
    await cli.run(userAdd({ company: 'Beta', email: BO }), GOOD_PASSWORD);
    const added = await cli.run(add('--json'));
    expect(added.object()).toMatchObject({ email: BO, name: 'Bo Lima', initial_password: null });
    expect(await members(cli, 'Beta')).toMatchObject([{ email: BO, name: 'Ana Souza', role: 'admin' }]);
    const { url } = await cli.serve();
    expect([...(await tokens(url, BO, GOOD_PASSWORD)).keys()]).toEqual(['Beta', 'Acme']);
    const { code, output } = await cli.run(add());
    expect([code, output]).toEqual([1, 'This user is a member of the company already.\n']);
  });

  it('changes a role; disables, enables and removes a member', async ({ cli }) => {
    await cli.run(add());
    const role = await cli.run(inAcme('set-role', BO, '--role', 'viewer'));
    expect(role.stdout).toBe('bo@acme.example is viewer of "Acme".\n');
    const disabled = await cli.run(inAcme('disable', BO));
    expect(disabled.stdout).toBe('bo@acme.example is viewer of "Acme", disabled.\n');
    expect(await members(cli)).toMatchObject([{ state: 'active' }, { state: 'disabled', role: 'viewer' }]);
    expect((await cli.run('user list')).stdout).toContain('Acme (viewer, disabled)');
    expect((await cli.run(inAcme('enable', BO))).stdout).toBe('bo@acme.example is viewer of "Acme".\n');
    const removed = await cli.run(inAcme('remove', BO));
    expect(removed.stdout).toBe('bo@acme.example is no longer a member of "Acme".\n');
    expect(await members(cli)).toHaveLength(1);
    expect((await cli.run('user list --json')).list()).toHaveLength(2);
  });

  it.for<[string[], number, string]>([
    [inAcme('set-role', 'nobody@acme.example', '--role', 'viewer'), 1, 'No such user.'],
    [inAcme('remove', 'carl@beta.example'), 1, 'No such user.'],
    [inAcme('add', 'no address', '--name', 'n', '--role', 'viewer'), 1, '--email: must be an e-mail address'],
    [inAcme('add', BO, '--name', 'n', '--role', 'owner'), 2, "option '--role <role>'"],
    [['member', 'list', '--company', 'Nowhere'], 1, 'No such company.'],
    [['member', 'remove', '--company', 'Nowhere', '--email', BO], 1, 'No such company.'],
  ])('refuses %j', async ([args, code, message], { cli }) => {
    await cli.run(userAdd({ company: 'Beta', email: 'carl@beta.example' }), GOOD_PASSWORD);
    const refused = await cli.run(args);
    expect([refused.code, refused.stdout]).toEqual([code, '']);
    expect(refused.stderr).toContain(message);
    expect(await members(cli)).toHaveLength(1);
  });
});

describe('user update', () => {
  it('changes name and time zone in all companies of a user', async ({ cli }) => {
    await cli.run(userAdd({ company: 'Beta' }), '');
    const args = ['user', 'update', '--email', 'ana@acme.example'];
    const updated = await cli.run([...args, '--name', 'Ana Lima', '--time-zone', 'Asia/Tokyo']);
    expect(updated.stdout).toBe('ana@acme.example is Ana Lima, in the time zone Asia/Tokyo.\n');
    for (const company of ['Acme', 'Beta']) {
      expect(await members(cli, company)).toMatchObject([{ name: 'Ana Lima', time_zone: 'Asia/Tokyo' }]);
    }
    await cli.run([...args, '--name', 'Ana']);
    expect(await members(cli)).toMatchObject([{ name: 'Ana', time_zone: 'Asia/Tokyo' }]);
    expect(await cli.run(args)).toMatchObject({ code: 1, stderr: 'Give --name or --time-zone, or both.\n' });
    expect(await cli.run([...args, '--time-zone', 'Mars/Base'])).toMatchObject({ code: 1, stdout: '' });
  });
});

describe('company list and rename', () => {
  it('lists companies, and renames one', async ({ cli }) => {
    await cli.run(userAdd({ company: 'Beta' }), '');
    const rename = ['company', 'rename', '--company', 'Beta', '--name'];
    expect((await cli.run([...rename, 'Beta Cards'])).stdout).toBe('"Beta" is now "Beta Cards".\n');
    const zone = ['company', 'time-zone', '--company', 'Beta Cards', '--time-zone'];
    expect((await cli.run([...zone, 'America/Sao_Paulo'])).stdout).toBe(
      'Terminals of "Beta Cards" show times of America/Sao_Paulo.\n',
    );
    expect((await cli.run([...zone, 'Brasilia'])).stderr).toContain('--time-zone: must be an IANA time zone');
    const currency = ['company', 'currency', '--company', 'Beta Cards', '--currency'];
    expect((await cli.run([...currency, 'EUR'])).stdout).toBe('Amounts of "Beta Cards" are in EUR.\n');
    expect((await cli.run([...currency, 'EURO'])).stderr).toContain('--currency: must be a currency code');
    expect((await cli.run('company list --json')).list()).toMatchObject([
      { name: 'Acme', members: 1 },
      { name: 'Beta Cards', currency: 'EUR', members: 1 },
    ]);
    expect((await cli.run('company list')).stdout).toMatch(
      /ID +NAME +TIME ZONE +CURRENCY +MEMBERS\n\d+ +Acme +UTC +1\n\d+ +Beta Cards +America\/Sao_Paulo +EUR +1/,
    );
    rename[3] = 'Beta Cards';
    for (const [name, message] of [
      ['Acme', 'This name is not available.'],
      ['', '--name: must not be empty'],
    ] as const) {
      expect(await cli.run([...rename, name])).toMatchObject({ code: 1, stderr: `${message}\n` });
    }
  });
});
