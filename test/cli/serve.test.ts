import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished } from 'vitest';

import { it } from '../support/cli-test.js';
import { createClient } from '../support/client.js';
import { GOOD_PASSWORD, runProgram, userAdd } from '../support/program.js';

describe('serve', () => {
  it('starts without a database, and prints a working command for the first user', async ({ bare: cli }) => {
    const server = await cli.start();
    expect(server.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    await expect.poll(() => server.stderr()).toContain('There is no user yet.');
    const command = /user add (.*)$/m.exec(server.stderr())?.[1] ?? '';
    const args = [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
    expect((await cli.run(['user', 'add', ...args], GOOD_PASSWORD)).code).toBe(0);
    await server.end('SIGTERM');
    expect((await cli.start()).stderr()).not.toContain('no user');
  });

  it('prints a command for the first user with the settings whose tokens the server knows', async ({
    bare,
  }) => {
    const given = { TOKEN_SECRET_FILE: join(bare.folder, 'secret'), LEDGER_CHAIN: '1' };
    writeFileSync(given.TOKEN_SECRET_FILE, '0123456789abcdef'.repeat(4), { mode: 0o600 });
    const server = await bare.start({ TOKEN_SECRET: '', ...given });
    await expect.poll(() => server.stderr()).toContain('--password-stdin');
    const [printed = ''] = /[A-Z_]+='.*(?= user add)/.exec(server.stderr()) ?? [];
    const assignments = [...printed.matchAll(/([A-Z_]+)='([^']*)'/g)];
    const settings = Object.fromEntries(assignments.map(([, name = '', value = '']) => [name, value]));
    expect(settings).toEqual({ ...given, DATABASE_URL: expect.any(String) as string });
    const cli = bare.with({ TOKEN_SECRET: '', TOKEN_SECRET_FILE: settings.TOKEN_SECRET_FILE ?? '' });
    const { stdout } = await cli.run(userAdd({}, '--json'), GOOD_PASSWORD);
    const { api_token: token } = JSON.parse(stdout) as { api_token: string };
    expect((await server.client(token).get('groups')).status).toBe(200);
  });

  it('AT-29 has no default account', async ({ bare: cli }) => {
    const client = createClient((await cli.serve()).url, null);
    for (const email of ['admin@localhost', 'admin', 'root@example.com']) {
      expect((await client.post('users/token', { email, password: 'admin' })).status).toBe(401);
    }
    expect((await cli.run('user list --json')).stdout).toBe('[]\n');
  });

  it('prints one line if its port is in use', async ({ bare: cli }) => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    onTestFinished(() => void other.close());
    const { port } = other.address() as AddressInfo;
    const refused = await runProgram(['serve'], cli.place.url, { environment: { PORT: String(port) } });
    expect([refused.code, refused.stderr]).toEqual([
      1,
      `127.0.0.1 port ${port} is in use by another program: stop that program, or set PORT to another port.\n`,
    ]);
  });

  it.for<[string, { TOKEN_SECRET: string }]>([
    ['a word', { TOKEN_SECRET: 'changeme' }],
    ['16 bytes', { TOKEN_SECRET: '0123456789abcdef' }],
    ['one letter', { TOKEN_SECRET: 'a'.repeat(64) }],
  ])('AT-29 refuses %s as secret', async ([, settings], { bare }) => {
    const refused = await bare.with(settings).run(['serve']);
    expect(refused.code).toBe(78);
    expect(refused.stderr).toMatch(/^TOKEN_SECRET: [^\n]+\n$/);
    expect(refused.stderr).not.toContain(settings.TOKEN_SECRET);
  });

  it('AT-29 ends the program with 78 and one line for such a secret', async ({ bare: { place } }) => {
    const refused = await runProgram(['serve'], place.url, { environment: { TOKEN_SECRET: 'changeme' } });
    expect([refused.code, refused.stderr]).toEqual([78, expect.stringMatching(/^TOKEN_SECRET: [^\n]+\n$/)]);
  });

  it('AT-29 refuses a secret file that other users can read', async ({ cli }) => {
    const configured = join(cli.folder, 'secret');
    writeFileSync(configured, 'f00dfeed12345678'.repeat(4), { mode: 0o644 });
    const refused = await cli.with({ TOKEN_SECRET: '', TOKEN_SECRET_FILE: configured }).run(['serve']);
    expect([refused.code, refused.stderr]).toEqual([78, expect.stringContaining('be read by other users')]);
  });
});
