import { describe, expect, it } from 'vitest';

import { DAY, systemClock } from '../../src/platform/clock.js';
import { commandLineWithUser, type CommandLine } from '../support/program.js';
import { insertTransactions } from '../support/retention.js';

const now = systemClock.now().getTime();

async function companyOf(cli: CommandLine): Promise<number> {
  const [company] = await cli.place.sql<{ id: number }>('select id from companies');
  return company?.id ?? 0;
}

/** A company with 300 transactions of 800 days ago and 20 of 2 days ago. */
async function agedCompany(): Promise<{ cli: CommandLine; companyId: number; first: Date }> {
  const { cli } = await commandLineWithUser();
  const companyId = await companyOf(cli);
  const first = new Date(now - 800 * DAY);
  await insertTransactions(cli.place, companyId, 300, { first, stepMs: 1_000 });
  await insertTransactions(cli.place, companyId, 20, { first: new Date(now - 2 * DAY), stepMs: 1_000 });
  return { cli, companyId, first };
}

async function countsIn({ place }: CommandLine): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const name of ['transactions', 'ledger', 'prunings', 'transaction_totals']) {
    const [row] = await place.sql<{ total: number }>(`select count(*) as total from ${name}`);
    counts[name] = row?.total ?? 0;
  }
  return counts;
}

describe('db prune', () => {
  it('with --dry-run says what would be deleted, by company, and changes nothing', async () => {
    const { cli, first } = await agedCompany();
    const before = await countsIn(cli);
    const dry = await cli.run('db prune --dry-run --transactions 24m --json');
    const result = dry.object();
    expect(result).toMatchObject({ dry_run: true, deleted: { transactions: 300, deliveries: 0, tokens: 0 } });
    expect(result.companies).toContainEqual({
      company: 'Acme',
      kind: 'transactions',
      count: 300,
      oldest: first.toISOString(),
      newest: new Date(first.getTime() + 299_000).toISOString(),
    });
    expect(await countsIn(cli)).toEqual(before);
    const words = 'db prune --dry-run --ledger forever --transactions'.split(' ');
    const text = await cli.run([...words, '2 years']);
    expect(text.lines[0]).toMatch(/^company +kind +rows +oldest +newest$/);
    expect(text.lines.at(-1)).toBe(
      'Would be deleted: transactions 300, ledger 0, deliveries 0, logs 0, tokens 0, jobs 0, alerts 0. Nothing was changed.',
    );
  });

  it('deletes while a server runs, shows progress, and leaves what is young or not named', async () => {
    const { cli } = await agedCompany();
    const server = await cli.serve({ KEEP_LEDGER: 'forever' });
    const done = await cli.run(['db', 'prune', '--transactions', '24 months', '--ledger', 'forever']);
    expect(done.lines.at(-1)).toBe(
      'Deleted: transactions 300, ledger 0, deliveries 0, logs 0, tokens 0, jobs 0, alerts 0.',
    );
    expect(done.stderr).toContain('Deleting: 100 %');
    expect(await countsIn(cli)).toMatchObject({ transactions: 20 });
    const again = await cli.run('db prune --transactions 24m --ledger forever');
    expect(again.lines).toEqual([
      'Deleted: transactions 0, ledger 0, deliveries 0, logs 0, tokens 0, jobs 0, alerts 0.',
    ]);
    await server.stop();
  });

  it('keeps for ever what has no setting and no option', async () => {
    const { cli } = await agedCompany();
    const dry = (await cli.run('db prune --dry-run --json')).object();
    expect(dry).toMatchObject({ before: { transactions: null }, deleted: { transactions: 0 } });
    const kept = (await cli.with({ KEEP_TRANSACTIONS: '20 days' }).run('db prune --dry-run --json')).object();
    expect(kept).toMatchObject({ deleted: { transactions: 300 } });
  });

  it.each(['0d', '1 hour', 'soon', '-3 months', '101 years'])(
    'refuses the period %s and deletes nothing',
    async (text) => {
      const { cli } = await agedCompany();
      const before = await countsIn(cli);
      const refused = await cli.run(['db', 'prune', '--transactions', text]);
      expect(refused.code).toBe(2);
      expect(refused.stderr).toMatch(/must be/);
      expect(await countsIn(cli)).toEqual(before);
    },
  );
});
