import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';

import { it } from '../support/cli-test.js';
import { createClient } from '../support/client.js';
import { fileOf, urlOf } from '../support/databases/sqlite-place.js';
import { GOOD_PASSWORD } from '../support/program.js';
import { chainedCompany, verify, writeGroups } from './chained-company.js';

const ANA = { email: 'ana@acme.example', password: GOOD_PASSWORD };

async function signIn(url: string): Promise<string> {
  const reply = await createClient(url, null).post('users/token', ANA);
  expect(reply.status, reply.text).toBe(200);
  return (JSON.parse(reply.text) as { api_token: string }[])[0]?.api_token ?? '';
}

const statusOf = async (url: string, token: string): Promise<number> =>
  (await createClient(url, token).get('groups')).status;

describe('contract 25: a database that is restored without its secret', () => {
  it('keeps tokens in use, also after the next sign-in; each ends when it is revoked', async ({
    cli,
    token: old,
  }) => {
    const backup = join(cli.folder, 'backup.db');
    expect((await cli.run(['db', 'backup', backup])).code).toBe(0);
    const file = join(cli.folder, 'restored.db');
    const restored = cli.with({ DATABASE_URL: urlOf(file) });
    expect((await restored.run(['db', 'restore', backup])).code).toBe(0);
    expect(existsSync(`${file}.secret`)).toBe(false);

    const { url, clock } = await restored.serve();
    expect(await statusOf(url, old)).toBe(200);
    const token = await signIn(url);
    expect(token).not.toBe(old);
    expect(await signIn(url)).toBe(token);
    expect([await statusOf(url, old), await statusOf(url, token)]).toEqual([200, 200]);

    const list = async () => (await restored.run('token list --company Acme --json')).list();
    expect(await list()).toMatchObject([
      { kind: 'derived', last_four: old.slice(-4), revoked_at: null },
      { kind: 'derived', last_four: token.slice(-4), revoked_at: null },
    ]);
    const revoke = async (id: number): Promise<void> => {
      await restored.run(['token', 'revoke', String(id), '--company', 'Acme']);
      clock.advance(5_000);
    };
    await revoke(1);
    await expect.poll(() => statusOf(url, old)).toBe(401);
    expect(await statusOf(url, token)).toBe(200);
    expect(await signIn(url)).toBe(token);
    await revoke(2);
    await expect.poll(() => statusOf(url, token)).toBe(401);
    expect(await signIn(url)).not.toBe(token);
  });
});

describe('AT-35 audit verify', () => {
  it('refuses to verify a file that entries were cut off from', async () => {
    const { cli } = await chainedCompany();
    const [, last = ''] = (await verify(cli)).acme.head?.split(',') ?? [];
    await cli.place.unprotectLedger();
    await cli.place.sql('delete from ledger where sequence > $1', [Number(last) - 3]);
    const { acme: afterCut } = await verify(cli).catch(() => ({ acme: null }));
    // The marker beside the file says that acknowledged changes are missing: commands are refused.
    expect(afterCut).toBeNull();
  });

  it('is sound in a restored backup; a history put back to it is found by the noted head', async () => {
    const { cli, token } = await chainedCompany();
    const early = join(cli.folder, 'early.db');
    expect((await cli.run(['db', 'backup', early])).code).toBe(0);
    const server = await cli.serve();
    await writeGroups(server.url, token, 'later', 5);
    await server.stop();
    const { acme } = await verify(cli);
    const head = acme.head ?? '';
    expect((await verify(cli, '--expect', head)).code).toBe(0);
    const restored = cli.with({
      DATABASE_URL: urlOf(join(cli.folder, 'restored.db')),
      TOKEN_SECRET_FILE: `${fileOf(cli.place)}.secret`,
    });
    expect((await restored.run(['db', 'restore', early])).code).toBe(0);
    expect((await restored.run('db check')).code).toBe(0);
    expect((await verify(restored)).code).toBe(0);
    const found = await verify(restored, '--expect', head);
    expect(found).toMatchObject({ code: 3, acme: { damages: [{ sequence: Number(head.split(',')[1]) }] } });
  });
});
