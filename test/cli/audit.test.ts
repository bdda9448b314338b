import { describe, expect } from 'vitest';

import { it } from '../support/cli-test.js';
import { createClient, type Fields } from '../support/client.js';
import { runProgram } from '../support/program.js';
import { chainedCompany, ON, verify, writeGroups } from './chained-company.js';

describe('AT-35 audit verify', () => {
  it('verifies beside a running server, in a process of its own, and prints heads to note', async () => {
    const { cli, token } = await chainedCompany();
    const server = await cli.serve();
    const writing = writeGroups(server.url, token, 'meanwhile', 200);
    const done = await runProgram(['audit', 'verify'], cli.place.url, { environment: ON });
    expect([done.code, done.stderr]).toEqual([0, expect.stringContaining('Verifying: 100 %')]);
    expect(done.stdout).toMatch(/^Acme: \d+ sound, \d+ not chained, 0 damaged; head \d+,\d+,[0-9a-f]{64}$/m);
    expect(done.stdout).toMatch(/^no company: 0 sound/m);
    expect(await writing).toBe(200);
  });

  it('finds an edit, with an exit code of its own', async () => {
    const { cli } = await chainedCompany();
    const { code, acme } = await verify(cli);
    expect([code, acme.sound >= 20, acme.damages]).toEqual([0, true, []]);
    const [, last = ''] = acme.head?.split(',') ?? [];
    await cli.place.unprotectLedger();
    await cli.place.sql(`update ledger set after = '{}' where sequence = $1`, [Number(last) - 3]);
    expect(await verify(cli)).toMatchObject({ code: 3, acme: { damages: [{ sequence: Number(last) - 3 }] } });
    const printed = await cli.run('audit verify');
    expect([printed.code, printed.stderr]).toEqual([3, expect.stringContaining('The ledger is damaged.')]);
    expect(printed.stdout).toContain(`DAMAGE: entry ${Number(last) - 3} was edited, inserted or moved`);
  });

  it('CF-01 is sound after kill -9 during writes', async () => {
    const { cli, token } = await chainedCompany();
    for (const round of [1, 2]) {
      const server = await cli.start();
      const writing = Promise.all(
        ['a', 'b', 'c'].map((name) => writeGroups(server.url, token, `${round}${name}`, 10_000)),
      );
      const groups = createClient(server.url, token);
      const total = async (): Promise<number> =>
        Number(((await groups.get('groups')).body.pagination as Fields).total_entries);
      const before = await total();
      await expect.poll(total).toBeGreaterThan(before + 10);
      await server.end('SIGKILL');
      const acknowledged = (await writing).reduce((sum, count) => sum + count, 0);
      expect(acknowledged).toBeGreaterThan(0);
      const { code, acme } = await verify(cli);
      expect([code, acme.damages]).toEqual([0, []]);
    }
  });

  it.for<[string[], string]>([
    [['--from', '0'], 'It must be a whole number from 1.'],
    [['--expect', '1,2,abc'], 'It must be COMPANY-ID,SEQUENCE,HASH'],
    [['--company', 'Nowhere'], 'No such company.'],
    [['--expect', `1,2,${'a'.repeat(64)}`], 'there is no company 1'],
  ])('refuses %j', async ([args, reason], { cli }) => {
    const refused = await cli.run(['audit', 'verify', ...args]);
    expect(refused.code).not.toBe(0);
    expect(refused.stderr).toContain(reason);
  });
});
