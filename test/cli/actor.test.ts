import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';

import { createUnits } from '../../src/database/units.js';
import { systemClock } from '../../src/platform/clock.js';
import { it } from '../support/cli-test.js';
import { addMember } from '../support/members.js';
import { commandLineWithUser, GOOD_PASSWORD, userAdd, type CommandLine } from '../support/program.js';

const BO = 'bo@acme.example';
const MEMBER = ['--company', 'Acme', '--email', BO];
const FIRST = 'ana@acme.example';

interface Entry {
  readonly action: string;
  readonly entity_type: string;
  readonly company: string | null;
  readonly user: string | null;
}

async function ledger({ place }: CommandLine, after = 0): Promise<Entry[]> {
  return await place.sql<Entry>(
    `select action, entity_type, (select name from companies where id = company_id) as company,
       (select email from users where id = user_id) as "user"
     from ledger where position > $1 order by position`,
    [after],
  );
}

/** Acme with the administrators ana, who is the first, and bo, and the operator carl; a list of serial numbers. */
async function acme(): Promise<{ cli: CommandLine; list: string }> {
  const { cli } = await commandLineWithUser();
  const database = await cli.place.open();
  const units = createUnits(database, systemClock);
  await addMember(units, 'Acme', { email: BO });
  await addMember(units, 'Acme', { email: 'carl@acme.example', role: 'operator' });
  await database.close();
  await cli.place.sql('update users set failed_sign_ins = 1 where email = $1', [BO]);
  const list = join(cli.folder, 'serials.txt');
  writeFileSync(list, 'SN-1\nSN-2\n');
  return { cli, list };
}

/** The list of commands in a help text. */
const partOf = (help: string): string => /^Commands:\n((?: .*\n?)*)/m.exec(help)?.[1] ?? '';

/** Every command that changes records of a company; `LIST` is a file of serial numbers. */
const COMMANDS: readonly (readonly string[])[] = [
  ['device', 'import', 'LIST', '--company', 'Acme'],
  ['token', 'create', ...MEMBER, '--name', 'n', '--scopes', 'read'],
  ['token', 'renew', '2', '--company', 'Acme'],
  ['token', 'revoke', '2', '--company', 'Acme'],
  userAdd({ email: 'dora@acme.example', role: 'viewer' }),
  ['member', 'add', '--company', 'Acme', '--email', 'eva@acme.example', '--name', 'Eva', '--role', 'viewer'],
  ['member', 'set-role', ...MEMBER, '--role', 'operator'],
  ['member', 'disable', ...MEMBER],
  ['member', 'remove', ...MEMBER],
  ['company', 'rename', '--company', 'Acme', '--name', 'Acme Pagamentos'],
  ['company', 'time-zone', '--company', 'Acme', '--time-zone', 'America/Sao_Paulo'],
  ['company', 'currency', '--company', 'Acme', '--currency', 'BRL'],
  ['user', 'disable', '--email', BO],
  ['user', 'unlock', '--email', BO],
  ['user', 'update', '--email', BO, '--name', 'Bo'],
  ['user', 'set-password', '--email', BO, '--password-stdin'],
];

describe('contract 28: a command that changes something acts for a user', () => {
  it.each(COMMANDS.map((args) => [args.slice(0, 2).join(' '), args] as const))(
    '%s: the first administrator, or the user of --as',
    async (_name, args) => {
      for (const [more, actor] of [
        [[], FIRST],
        [['--as', 'CARL@acme.example'], 'carl@acme.example'],
      ] as const) {
        const { cli, list } = await acme();
        const before = (await ledger(cli)).length;
        const given = args.map((arg) => (arg === 'LIST' ? list : arg));
        const done = await cli.run([...given, ...more], GOOD_PASSWORD);
        expect(done.code, done.stderr).toBe(0);
        const entries = await ledger(cli, before);
        expect(entries.length).toBeGreaterThan(0);
        expect(new Set(entries.map((entry) => entry.user))).toEqual(new Set([actor]));
      }
    },
  );

  it('every command has --as, except those that change no records of a company', async ({ cli }) => {
    const namesIn = (help: string): string[] =>
      Array.from(help.matchAll(/^  ([a-z][\w-]*)[^]*?$/gm), ([, name = '']) => name).filter(
        (name) => name !== 'help',
      );
    const helpOf = async (...args: string[]): Promise<string> => (await cli.run([...args, '--help'])).stdout;
    const without: string[] = [];
    for (const group of namesIn(partOf(await helpOf()))) {
      for (const command of namesIn(partOf(await helpOf(group)))) {
        if (!(await helpOf(group, command)).includes('--as <address>')) without.push(`${group} ${command}`);
      }
    }
    const reads = ['user list', 'token list', 'member list', 'company list', 'config print', 'audit verify'];
    const files = ['migrate', 'check', 'backup', 'restore', 'info', 'copy', 'prune', 'compact', 'drill'].map(
      (command) => `db ${command}`,
    );
    expect(without.toSorted()).toEqual([...reads, ...files].toSorted());
  });

  it('imported devices are created by that user', async () => {
    const { cli, list } = await acme();
    await cli.run(['device', 'import', list, '--company', 'Acme', '--as', BO]);
    const devices = await cli.place.sql(
      'select u.email as created_by, created_via from devices join users as u on u.id = created_by',
    );
    expect(devices).toEqual(Array(2).fill({ created_by: BO, created_via: 'api' }));
  });

  it('the first user of a company acts in their own name', async ({ bare: cli }) => {
    await cli.run(userAdd(), GOOD_PASSWORD);
    expect((await ledger(cli)).map((entry) => [entry.entity_type, entry.company, entry.user])).toEqual([
      ['company', 'Acme', FIRST],
      ['user', 'Acme', FIRST],
      ['membership', 'Acme', FIRST],
      ['access_token', 'Acme', FIRST],
    ]);
    const refused = await cli.run(userAdd({ company: 'Beta' }, '--as', 'ana@acme.example'), GOOD_PASSWORD);
    expect([refused.code, refused.stdout]).toEqual([1, '']);
    expect(refused.stderr).toBe('--as: "Beta" is a new company; its first user acts.\n');
  });

  it('an administrator who is disabled, or joined later, is not the first', async () => {
    const { cli, list } = await acme();
    await cli.run('member disable --company Acme --email ana@acme.example');
    const before = (await ledger(cli)).length;
    await cli.run(['device', 'import', list, '--company', 'Acme']);
    expect((await ledger(cli, before)).map((entry) => entry.user)).toEqual([BO, BO]);
  });

  it.each([
    ['nobody@acme.example', 'No such user.'],
    ['zoe@beta.example', 'No such member of the company.'],
  ])('refuses --as %s and changes nothing', async (as, message) => {
    const { cli, list } = await acme();
    await cli.run(userAdd({ company: 'Beta', email: 'zoe@beta.example' }), GOOD_PASSWORD);
    const before = (await ledger(cli)).length;
    for (const args of COMMANDS) {
      const given = args.map((arg) => (arg === 'LIST' ? list : arg));
      const refused = await cli.run([...given, '--as', as], GOOD_PASSWORD);
      expect([refused.code, refused.stdout], args.join(' ')).toEqual([1, '']);
      expect(refused.stderr.endsWith(`${message}\n`), refused.stderr).toBe(true);
    }
    expect(await ledger(cli)).toHaveLength(before);
  });

  it('a company without an administrator needs --as', async ({ bare: cli }) => {
    await cli.run(userAdd({ role: 'viewer' }), GOOD_PASSWORD);
    const rename = ['company', 'rename', '--company', 'Acme', '--name', 'New'];
    expect(await cli.run(rename)).toMatchObject({
      code: 1,
      stderr: '"Acme" has no administrator: name the member who makes the change with --as E-MAIL.\n',
    });
    expect((await cli.run([...rename, '--as', 'ana@acme.example'])).code).toBe(0);
  });
});
