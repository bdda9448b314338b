import { describe, expect } from 'vitest';

import { HOUR } from '../../src/platform/clock.js';
import { it } from '../support/cli-test.js';
import { createClient } from '../support/client.js';
import { GOOD_PASSWORD, userAdd, type CommandLine } from '../support/program.js';

const MEMBER = ['--company', 'Acme', '--email', 'ana@acme.example'];

async function create(cli: CommandLine, ...more: string[]) {
  const args = ['token', 'create', ...MEMBER, '--name', 'Back office', '--scopes', 'read, write', ...more];
  return await cli.run(args);
}

describe('token create, list and revoke', () => {
  it('AT-02 a token is refused at most 5 seconds after it is revoked', async ({ cli }) => {
    const server = await cli.serve();
    const created = await create(cli, '--json');
    const id = Number(created.object().id);
    const client = server.client(created.token());
    expect((await client.post('groups', { name: 'by token' })).status).toBe(201);
    expect((await client.get('users')).status).toBe(403);

    const listed = await cli.run('token list --company Acme --json');
    expect(listed.stdout).not.toContain(created.token());
    expect(listed.list()).toMatchObject([
      { kind: 'derived', name: null, revoked_at: null },
      { id, kind: 'named', name: 'Back office', scopes: ['read', 'write'] },
    ]);
    const revoked = await cli.run(['token', 'revoke', String(id), '--company', 'Acme']);
    expect(revoked.stdout).toBe(`Token ${id} is revoked.\n`);
    server.clock.advance(5_000);
    await expect.poll(async () => (await client.get('groups')).status).toBe(401);
  });

  it('prints only the token on standard output', async ({ cli }) => {
    expect((await create(cli)).stdout).toMatch(/^[0-9a-f]{40}\n$/);
    const name = ['--name', '4111 1111 1111 1111'];
    const warned = await create(cli, ...name);
    expect(warned.stderr).toMatch(/^warning: name: It looks like a card number .* unchanged\.\n/);
    expect(warned.stdout).toMatch(/^[0-9a-f]{40}\n$/);
  });

  it.for<[string[], string]>([
    [['--expires', '2020-01-01'], '--expires-at: must be in the future'],
    [['--expires', 'tomorrow'], '--expires: must be YYYY-MM-DD'],
    [['--expires', '2030-02-31T00:00:00'], '--expires: must be YYYY-MM-DD'],
    [['--scopes', 'read,everything'], '--scopes: 1 must be one of read, write, admin, ingest, terminals'],
    [['--name', ''], '--name: must not be empty'],
    [['--company', 'Beta'], 'No such member of the company.'],
    [['--company', 'Nowhere'], 'No such company.'],
    [['--email', 'nobody@acme.example'], 'No such user.'],
  ])('refuses %j', async ([more, message], { cli }) => {
    await cli.run(userAdd({ company: 'Beta', email: 'bo@beta.example' }), GOOD_PASSWORD);
    const refused = await create(cli, ...more);
    expect([refused.code, refused.stdout]).toEqual([1, '']);
    expect(refused.stderr).toBe(`${refused.stderr.trimEnd()}\n`);
    expect(refused.stderr).toContain(message);
  });

  it('renew replaces a token at once, with the same name, scopes and expiry', async ({ cli }) => {
    const server = await cli.serve();
    const created = await create(cli, '--expires', '2100-01-31', '--json');
    const old = created.object();
    const client = server.client(created.token());
    expect((await client.get('groups')).status).toBe(200);
    const renewed = await cli.run(['token', 'renew', String(old.id), '--company', 'Acme', '--json']);
    const { name, scopes, expires_at } = old;
    expect(renewed.object()).toMatchObject({ kind: 'named', name, scopes, expires_at, revoked_at: null });
    expect((await server.client(renewed.token()).get('groups')).status).toBe(200);
    server.clock.advance(5_000);
    await expect.poll(async () => (await client.get('groups')).status).toBe(401);
    const again = await cli.run(['token', 'renew', String(old.id), '--company', 'Acme']);
    expect([again.code, again.stdout]).toEqual([1, '']);
    expect(again.stderr).toBe('--id: is revoked: create a new token\n');
  });

  it('renew keeps the old token for a while', async ({ cli }) => {
    const server = await cli.serve();
    const created = await create(cli, '--json');
    const renew = ['token', 'renew', String(created.object().id), '--company', 'Acme', '--keep-old-for'];
    expect(await cli.run([...renew, 'long'])).toMatchObject({
      code: 1,
      stderr: '--keep-old-for: must be a length of time such as 30m, 24h or 7d\n',
    });
    expect(await cli.run([...renew, '31d'])).toMatchObject({
      code: 1,
      stderr: '--keep-old-for: must be at most 30 days\n',
    });
    const renewed = await cli.run([...renew, '24h']);
    const statuses = async (): Promise<number[]> => [
      (await server.client(created.token()).get('groups')).status,
      (await server.client(renewed.stdout.trim()).get('groups')).status,
    ];
    server.clock.advance(5_000);
    expect(await statuses()).toEqual([200, 200]);
    server.clock.advance(24 * HOUR);
    expect(await statuses()).toEqual([401, 200]);
  });

  it.for(['999', '01', 'x'])('renew and revoke refuse %s', async (id, { cli }) => {
    for (const command of ['renew', 'revoke']) {
      const refused = await cli.run(['token', command, id, '--company', 'Acme']);
      expect([refused.code, refused.stderr]).toEqual([1, 'No such access token.\n']);
    }
  });
});

it('contract 25: renew replaces a token of the former secret by one of the present secret', async ({
  cli,
  token: old,
}) => {
  const changed = cli.with({ TOKEN_SECRET: 'another secret: 0123456789abcdef0123456789' });
  const { url, clock } = await changed.serve();
  const renewed = await changed.run('token renew 1 --company Acme');
  expect([renewed.code, renewed.stdout]).toEqual([0, expect.stringMatching(/^[0-9a-f]{40}\n$/)]);
  const statusOf = async (token: string): Promise<number> =>
    (await createClient(url, token).get('groups')).status;
  clock.advance(5_000);
  await expect.poll(() => statusOf(old)).toBe(401);
  expect(await statusOf(renewed.stdout.trim())).toBe(200);
  const signIn = { email: 'ana@acme.example', password: GOOD_PASSWORD };
  const { text } = await createClient(url, null).post('users/token', signIn);
  expect(JSON.parse(text)).toMatchObject([{ api_token: renewed.stdout.trim() }]);
});
