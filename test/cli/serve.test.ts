import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';

import { createClient } from '../support/client.js';
import { commandLine, commandLineWithUser, GOOD_PASSWORD } from '../support/program.js';

describe('serve', () => {
  it('starts without a database, and prints a working command to add the first user', async () => {
    const cli = await commandLine();
    const server = await cli.serve();
    expect(server.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    await expect.poll(() => server.stderr()).toContain('There is no user yet.');
    const command = /user add (.*)$/m.exec(server.stderr())?.[1] ?? '';
    const args = [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
    expect((await cli.run(['user', 'add', ...args], GOOD_PASSWORD)).code).toBe(0);
    await server.end('SIGTERM');
    expect((await cli.serve()).stderr()).not.toContain('no user');
  });

  it('AT-29 has no default account', async () => {
    const cli = await commandLine();
    const client = createClient((await cli.serve()).url, null);
    for (const email of ['admin@localhost', 'admin', 'root@example.com']) {
      expect((await client.post('users/token', { email, password: 'admin' })).status).toBe(401);
    }
    expect((await cli.run(['user', 'list', '--json'])).stdout).toBe('[]\n');
  });

  it.each(['SIGTERM', 'SIGINT'] as const)(
    'on %s completes the requests in flight and exits with code 0',
    async (signal) => {
      const { cli, token } = await commandLineWithUser();
      const server = await cli.serve();
      const client = createClient(server.url, token);
      const writes = Array.from({ length: 20 }, (_, n) => client.post('groups', { name: `group ${n}` }));
      await writes[0];
      const ended = server.end(signal);
      const settled = await Promise.allSettled(writes);
      expect(await ended).toEqual({ code: 0, signal: null });
      const created = settled.filter((each) => each.status === 'fulfilled' && each.value.status === 201);
      const [stored] = await cli.place.sql<{ total: number }>('select count(*) as total from groups');
      expect(stored?.total).toBe(created.length);
    },
  );

  it('prints one line if its port is in use', async () => {
    const cli = await commandLine();
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    onTestFinished(() => void other.close());
    const { port } = other.address() as AddressInfo;
    const refused = await cli.with({ PORT: String(port) }).run(['serve']);
    expect([refused.code, refused.stderr]).toEqual([
      1,
      `127.0.0.1 port ${port} is in use by another program: stop that program, or set PORT to another port.\n`,
    ]);
  });

  it('continues after its log output is closed', async () => {
    const { cli, token } = await commandLineWithUser();
    const server = await cli.serve({ LOG_LEVEL: 'trace' });
    server.process.stdout?.destroy();
    server.process.stderr?.destroy();
    const client = createClient(server.url, token);
    for (let n = 0; n < 20; n += 1) expect((await client.get('groups')).status).toBe(200);
    await expect(server.end('SIGTERM')).resolves.toEqual({ code: 0, signal: null });
  });

  it.each([
    ['a word', { TOKEN_SECRET: 'changeme' }],
    ['16 bytes', { TOKEN_SECRET: '0123456789abcdef' }],
    ['one letter', { TOKEN_SECRET: 'a'.repeat(64) }],
  ])('AT-29 refuses %s as secret', async (_case, settings) => {
    const refused = await (await commandLine()).with(settings).run(['serve']);
    expect(refused.code).toBe(78);
    expect(refused.stderr).toMatch(/^TOKEN_SECRET: [^\n]+\n$/);
    expect(refused.stderr).not.toContain(settings.TOKEN_SECRET);
  });

  it('AT-29 refuses a secret file that other users can read', async () => {
    const { cli } = await commandLineWithUser();
    const configured = join(cli.folder, 'secret');
    writeFileSync(configured, 'f00dfeed12345678'.repeat(4), { mode: 0o644 });
    const refused = await cli.with({ TOKEN_SECRET: '', TOKEN_SECRET_FILE: configured }).run(['serve']);
    expect([refused.code, refused.stderr]).toEqual([
      78,
      expect.stringContaining('can be read by other users'),
    ]);
  });
});
