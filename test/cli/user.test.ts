import { describe, expect } from 'vitest';

import { it } from '../support/cli-test.js';
import { createClient } from '../support/client.js';
import { openBrowser, OWN_PAGE, signedIn } from '../support/console.js';
import { addPasskey, payloadOf, SIGN_IN_TWICE } from '../support/passkeys.js';
import { GOOD_PASSWORD, userAdd } from '../support/program.js';

describe('user add', () => {
  it('creates database, company and user, and prints a JSON object as last line', async ({ bare: cli }) => {
    const added = await cli.run(userAdd(), `${GOOD_PASSWORD}\n`);
    expect([added.code, added.stderr]).toEqual([0, '']);
    const names = 'company_id company_name user_id email role api_token';
    expect(Object.keys(added.object()).join(' ')).toBe(names);
    expect(added.object()).toMatchObject({ company_name: 'Acme', email: 'ana@acme.example', role: 'admin' });
    expect(added.token()).toMatch(/^[0-9a-f]{40}$/);
    expect(added.lines).toHaveLength(3);
  });

  it('contract 25: prints the same token as the token endpoint returns', async ({ bare: cli }) => {
    const server = await cli.serve();
    const added = await cli.run(userAdd(), GOOD_PASSWORD);
    const { company_id, api_token } = added.object();
    const anonymous = createClient(server.url, null);
    const body = { email: 'ana@acme.example', password: GOOD_PASSWORD };
    const signedIn = await anonymous.post('users/token', body);
    expect(JSON.parse(signedIn.text)).toEqual([{ company_name: 'Acme', company_id, api_token }]);
    expect((await createClient(server.url, added.token()).get('users')).status).toBe(200);
  });

  it('adds an existing user to another company without changing the password', async ({ cli, token }) => {
    const again = await cli.run(userAdd({ company: 'Beta', role: 'viewer' }), 'x');
    expect(again.code).toBe(0);
    expect(again.stdout).toContain('password was not changed');
    expect(again.object()).toMatchObject({ role: 'viewer', company_name: 'Beta' });
    expect(again.token()).not.toBe(token);
    const server = await cli.serve();
    const body = { email: 'ana@acme.example', password: GOOD_PASSWORD };
    expect((await createClient(server.url, null).post('users/token', body)).status).toBe(200);

    const twice = await cli.run(userAdd({ company: 'Beta' }), GOOD_PASSWORD);
    expect([twice.code, twice.stdout]).toEqual([1, '']);
    expect(twice.stderr).toBe('This user is a member of the company already.\n');
  });

  it('prints only the JSON object with --json', async ({ bare }) => {
    const added = await bare.run(userAdd({}, '--json'), GOOD_PASSWORD);
    expect(added.lines).toHaveLength(1);
    expect(added.object()).toHaveProperty('api_token');
  });

  it.for<[string, string[], string, number, string]>([
    ['a password too short', userAdd(), 'eleven char', 1, '--password: must have at least 12 characters'],
    ['a password too long', userAdd(), 'x'.repeat(129), 1, '--password: must have at most 128 characters'],
    ['no e-mail address', userAdd({ email: 'ana' }), GOOD_PASSWORD, 1, '--email: must be an e-mail address'],
    ['a company of no name', userAdd({ company: ' ' }), GOOD_PASSWORD, 1, '--company: must not begin or end'],
    ['an unknown zone', userAdd({}, '--time-zone', 'Mars/Base'), GOOD_PASSWORD, 1, '--time-zone: must be'],
    ['an unknown role', userAdd({ role: 'owner' }), GOOD_PASSWORD, 2, "option '--role <role>'"],
    ['no company', ['user', 'add'], '', 2, "required option '--company <name>'"],
  ])('refuses %s, and creates nothing', async ([_case, args, input, code, message], { bare: cli }) => {
    const refused = await cli.run(args, input);
    expect(refused.code).toBe(code);
    expect(refused.stdout).toBe('');
    expect(refused.stderr).toContain(message);
    expect(refused.stderr).not.toContain('    at ');
    const info = await cli.run('db info --json');
    if (info.code === 0) expect(info.object()).toMatchObject({ companies: 0, users: 0 });
  });
});

describe('user list, disable, enable, unlock and set-password', () => {
  it.for([
    ['add', '--company', 'Acme', '--email', 'a@acme.example', '--name', 'A', '--role', 'admin'],
    ['set-password', '--email', 'ana@acme.example'],
  ])(
    'user %s with --password says how a password is sent, without repeating it',
    async ([...args], { cli }) => {
      const { code, stderr } = await cli.run(['user', ...args, '--password', GOOD_PASSWORD]);
      expect([code, stderr]).toEqual([2, expect.stringContaining('--password-stdin')]);
      expect(stderr).not.toContain(GOOD_PASSWORD);
    },
  );

  it('lists users with their companies; --company selects one company', async ({ cli }) => {
    await cli.run(userAdd({ company: 'Beta', role: 'viewer' }), '');
    await cli.run(userAdd({ company: 'Beta', email: 'bo@beta.example' }), GOOD_PASSWORD);
    const all = (await cli.run('user list --json')).list();
    expect(all).toMatchObject([
      {
        email: 'ana@acme.example',
        companies: [
          { company_name: 'Acme', role: 'admin' },
          { company_name: 'Beta', role: 'viewer' },
        ],
      },
      { email: 'bo@beta.example', companies: [{ company_name: 'Beta', role: 'admin' }] },
    ]);
    const acme = (await cli.run('user list --company Acme --json')).list();
    expect(acme.map(({ email }) => email)).toEqual(['ana@acme.example']);
    expect((await cli.run('user list')).stdout).toMatch(/bo@beta\.example.*active.*Beta \(admin\)/);
    expect(await cli.run('user list --company Nix')).toMatchObject({
      code: 1,
      stderr: 'No such company.\n',
    });
  });

  it('AT-03 disables and enables a user of a running server within 5 seconds', async ({ cli, token }) => {
    await cli.run(userAdd({ email: 'bo@acme.example' }), GOOD_PASSWORD);
    const { client: clientOf, clock } = await cli.serve();
    const client = clientOf(token);
    expect((await client.get('groups')).status).toBe(200);
    const disabled = await cli.run('user disable --email Ana@Acme.example');
    expect(disabled.stdout).toBe('ana@acme.example is disabled.\n');
    clock.advance(5_000);
    await expect.poll(async () => (await client.get('groups')).status).toBe(401);
    await cli.run('user enable --email ana@acme.example');
    clock.advance(5_000);
    await expect.poll(async () => (await client.get('groups')).status).toBe(200);
  });

  it('sets a new password', async ({ cli }) => {
    const anonymous = createClient((await cli.serve()).url, null);
    const signIn = async (password: string): Promise<number> =>
      (await anonymous.post('users/token', { email: 'ana@acme.example', password })).status;
    const set = ['user', 'set-password', '--email', 'ana@acme.example', '--password-stdin'];
    expect(await cli.run(set, 'too short')).toMatchObject({ code: 1 });
    expect(await cli.run(set, 'a new good password\r\n')).toMatchObject({ code: 0 });
    expect([await signIn(GOOD_PASSWORD), await signIn('a new good password')]).toEqual([401, 200]);
  });

  it('set-password removes the passkeys of a person who has lost them', async ({ cli }) => {
    const { url } = await cli.serve();
    const email = 'ana@acme.example';
    const browser = await signedIn(url, email, OWN_PAGE, GOOD_PASSWORD);
    await addPasskey(browser, url, { password: GOOD_PASSWORD });
    const signIn = async (password: string) => {
      const { viewer } = await payloadOf(openBrowser(url), SIGN_IN_TWICE, { email, password });
      return viewer !== null;
    };
    expect(await signIn(GOOD_PASSWORD)).toBe(false);
    await cli.run(['user', 'set-password', '--email', email, '--password-stdin'], 'a new good password');
    expect(await signIn('a new good password')).toBe(true);
  });

  it.for(['disable', 'enable', 'unlock'])('%s refuses an unknown user', async (command, { bare }) => {
    const refused = await bare.run(`user ${command} --email nobody@acme.example`);
    expect(refused).toMatchObject({ code: 1, stdout: '', stderr: 'No such user.\n' });
  });
});
