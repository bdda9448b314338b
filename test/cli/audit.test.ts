import Sqlite from 'better-sqlite3';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

import { createClient, type Fields } from '../support/client.js';
import { commandLineWithUser, runProgram, type CommandLine } from '../support/program.js';

const ON = { LEDGER_CHAIN: '1' };

/** Writes groups until the server is killed or all are written; resolves to how many were acknowledged. */
async function writeGroups(url: string, token: string, name: string, count: number): Promise<number> {
  const client = createClient(url, token);
  let written = 0;
  for (let n = 0; n < count; n += 1) {
    const reply = await client.post('groups', { name: `${name} ${n}` }).catch(() => null);
    if (reply?.status !== 201) break;
    written += 1;
  }
  return written;
}

async function chainedCompany(): Promise<{ cli: CommandLine; token: string }> {
  const { cli, token } = await commandLineWithUser();
  const chained = cli.with(ON);
  const server = await chained.serve();
  await writeGroups(server.url, token, 'first', 20);
  await server.end('SIGTERM');
  return { cli: chained, token };
}

interface Verified {
  readonly ok: boolean;
  readonly companies: readonly {
    readonly company: string;
    readonly sound: number;
    readonly head: string | null;
    readonly damages: readonly { readonly sequence: number | null }[];
    readonly notes: readonly string[];
  }[];
}

async function verify(
  cli: CommandLine,
  ...more: string[]
): Promise<{ code: number | null; acme: Verified['companies'][0] }> {
  const done = await cli.run(['audit', 'verify', '--company', 'Acme', '--json', ...more]);
  const { companies } = done.object() as unknown as Verified;
  const [acme] = companies;
  if (acme === undefined) throw new Error(done.stderr);
  return { code: done.code, acme };
}

function edit(file: string, statement: string): void {
  const database = new Sqlite(file);
  database.exec(`drop trigger ledger_no_update; drop trigger ledger_no_delete; ${statement}`);
  database.close();
}

describe('AT-35 audit verify', () => {
  it('verifies beside a running server, in a process of its own, and prints heads to note', async () => {
    const { cli, token } = await chainedCompany();
    const server = await cli.serve();
    const writing = writeGroups(server.url, token, 'meanwhile', 200);
    const environment = { ...ON, DATABASE_URL: `file:${cli.file}` };
    const done = await runProgram(['audit', 'verify'], cli.file, { environment });
    expect([done.code, done.stderr]).toEqual([0, expect.stringContaining('Verifying: 100 %')]);
    expect(done.stdout).toMatch(/^Acme: \d+ sound, \d+ not chained, 0 damaged; head \d+,\d+,[0-9a-f]{64}$/m);
    expect(done.stdout).toMatch(/^no company: 0 sound/m);
    expect(await writing).toBe(200);
    await server.end('SIGTERM');
  });

  it('finds an edit and a cut in the file, with an exit code of its own', async () => {
    const { cli } = await chainedCompany();
    const { code, acme } = await verify(cli);
    expect([code, acme.sound >= 20, acme.damages]).toEqual([0, true, []]);
    const [, last = ''] = acme.head?.split(',') ?? [];
    edit(cli.file, `update ledger set after = '{}' where sequence = ${Number(last) - 3}`);
    expect(await verify(cli)).toMatchObject({ code: 3, acme: { damages: [{ sequence: Number(last) - 3 }] } });
    const printed = await cli.run(['audit', 'verify']);
    expect([printed.code, printed.stderr]).toEqual([3, expect.stringContaining('The ledger is damaged.')]);
    expect(printed.stdout).toContain(`DAMAGE: entry ${Number(last) - 3} was edited, inserted or moved`);
    const cut = new Sqlite(cli.file);
    cut.exec(`delete from ledger where sequence > ${Number(last) - 3}`);
    cut.close();
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
    await server.end('SIGTERM');
    const { acme } = await verify(cli);
    const head = acme.head ?? '';
    expect((await verify(cli, '--expect', head)).code).toBe(0);
    const restored = cli.with({
      DATABASE_URL: `file:${join(cli.folder, 'restored.db')}`,
      TOKEN_SECRET_FILE: `${cli.file}.secret`,
    });
    expect((await restored.run(['db', 'restore', early])).code).toBe(0);
    expect((await restored.run(['db', 'check'])).code).toBe(0);
    expect((await verify(restored)).code).toBe(0);
    const found = await verify(restored, '--expect', head);
    expect(found).toMatchObject({ code: 3, acme: { damages: [{ sequence: Number(head.split(',')[1]) }] } });
  });

  it('CF-01 is sound after kill -9 during writes', async () => {
    const { cli, token } = await chainedCompany();
    for (const round of [1, 2, 3]) {
      const server = await cli.serve();
      const writing = Promise.all(
        ['a', 'b', 'c'].map((name) => writeGroups(server.url, token, `${round}${name}`, 10_000)),
      );
      const groups = createClient(server.url, token);
      const total = async (): Promise<number> =>
        Number(((await groups.get('groups')).body.pagination as Fields).total_entries);
      const before = await total();
      await expect.poll(total, { timeout: 20_000 }).toBeGreaterThan(before + 10);
      await server.end('SIGKILL');
      const acknowledged = (await writing).reduce((sum, count) => sum + count, 0);
      expect(acknowledged).toBeGreaterThan(0);
      const { code, acme } = await verify(cli);
      expect([code, acme.damages]).toEqual([0, []]);
    }
  });

  it.each([
    [['--from', '0'], 'It must be a whole number from 1.'],
    [['--expect', '1,2,abc'], 'It must be COMPANY-ID,SEQUENCE,HASH'],
    [['--company', 'Nowhere'], 'No such company.'],
    [['--expect', `1,2,${'a'.repeat(64)}`], 'there is no company 1'],
  ])('refuses %j', async (args, reason) => {
    const { cli } = await commandLineWithUser();
    const refused = await cli.run(['audit', 'verify', ...args]);
    expect(refused.code).not.toBe(0);
    expect(refused.stderr).toContain(reason);
  });
});
