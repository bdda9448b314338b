import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

import { createClient } from '../support/client.js';
import { urlOf } from '../support/databases/sqlite-place.js';
import { commandLineWithUser, GOOD_PASSWORD } from '../support/program.js';

const ANA = { email: 'ana@acme.example', password: GOOD_PASSWORD };

async function signIn(url: string): Promise<string> {
  const reply = await createClient(url, null).post('users/token', ANA);
  expect(reply.status, reply.text).toBe(200);
  return (JSON.parse(reply.text) as { api_token: string }[])[0]?.api_token ?? '';
}

const statusOf = async (url: string, token: string): Promise<number> =>
  (await createClient(url, token).get('groups')).status;

describe('contract 25: a database that is restored without its secret', () => {
  it('keeps tokens in use, also after the next sign-in; each ends when it is revoked', async () => {
    const { cli, token: old } = await commandLineWithUser();
    const backup = join(cli.folder, 'backup.db');
    expect((await cli.run(['db', 'backup', backup])).code).toBe(0);
    const file = join(cli.folder, 'restored.db');
    const restored = cli.with({ DATABASE_URL: urlOf(file) });
    expect((await restored.run(['db', 'restore', backup])).code).toBe(0);
    expect(existsSync(`${file}.secret`)).toBe(false);

    const { url } = await restored.serve();
    expect(await statusOf(url, old)).toBe(200);
    const token = await signIn(url);
    expect(token).not.toBe(old);
    expect(await signIn(url)).toBe(token);
    expect([await statusOf(url, old), await statusOf(url, token)]).toEqual([200, 200]);

    const list = async () => (await restored.run(['token', 'list', '--company', 'Acme', '--json'])).list();
    expect(await list()).toMatchObject([
      { kind: 'derived', last_four: old.slice(-4), revoked_at: null },
      { kind: 'derived', last_four: token.slice(-4), revoked_at: null },
    ]);
    const revoke = (id: number) => restored.run(['token', 'revoke', String(id), '--company', 'Acme']);
    await revoke(1);
    await expect.poll(() => statusOf(url, old)).toBe(401);
    expect(await statusOf(url, token)).toBe(200);
    expect(await signIn(url)).toBe(token);
    await revoke(2);
    await expect.poll(() => statusOf(url, token)).toBe(401);
    expect(await signIn(url)).not.toBe(token);
  });
});
