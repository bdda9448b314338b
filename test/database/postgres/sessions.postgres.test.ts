import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished, vi } from 'vitest';

import type { Database } from '../../../src/database/database.js';
import { openDatabase } from '../../../src/database/open.js';
import { createUnits } from '../../../src/database/units.js';
import { listCompanies } from '../../../src/domain/people/company/company.service.js';
import { systemClock } from '../../../src/platform/clock.js';
import { createDatabase, dropDatabase, runAll } from '../../support/postgres/boot.js';
import { addCompany } from '../../support/postgres/nodes.js';
import { startPooler, type PoolerOptions } from '../../support/postgres/pooler.js';

let url = '';
beforeAll(async () => {
  url = await createDatabase(inject('postgres'));
  const name = new URL(url).pathname.slice(1);
  const settings = Object.entries(OTHER_SETTINGS);
  const statements = settings.map(([setting, value]) => `alter database ${name} set ${setting} = '${value}'`);
  await runAll(inject('postgres').adminUrl, statements);
});
afterAll(() => dropDatabase(inject('postgres'), url));

/** Settings of an administrator that would change what the program reads and writes. */
const OTHER_SETTINGS = {
  timezone: 'America/Sao_Paulo',
  datestyle: 'German',
  bytea_output: 'escape',
  extra_float_digits: '-10',
  default_transaction_isolation: 'serializable',
  standard_conforming_strings: 'off',
};

async function pooled(options: PoolerOptions): Promise<string> {
  const pooler = await startPooler(url, options);
  onTestFinished(() => pooler.close());
  return pooler.url;
}

async function opened(server: string): Promise<Database> {
  const database = await openDatabase({ server });
  onTestFinished(() => database.close());
  return database;
}

const withOptions = (options: string): string => `${url}?options=${encodeURIComponent(options)}`;

const PLACES: Readonly<Record<string, () => Promise<string> | string>> = {
  'settings of the database': () => url,
  'a search path in the URL': () => withOptions('-c search_path=public'),
  'a time zone and a form of dates in the URL': () =>
    withOptions('-c timezone=Asia/Kolkata -c datestyle=SQL,DMY'),
  'a pooler in session mode, which drops the options of the URL': async () => {
    const through = new URL(await pooled({ mode: 'session' }));
    through.searchParams.set('options', '-c search_path=public');
    return through.href;
  },
};

describe('RU-57 a session has the settings of the program, whatever is set elsewhere', () => {
  it.each(Object.keys(PLACES))('with %s', async (place) => {
    const database = await opened((await PLACES[place]?.()) ?? '');
    const units = createUnits(database, systemClock);
    const before = Date.now();
    const { caller } = await addCompany({ database, units });
    const companies = await units.systemRead(listCompanies);
    const created = companies.find(({ id }) => id === caller.companyId)?.createdAt.getTime() ?? 0;
    expect(created).toBeGreaterThanOrEqual(before);
    expect(created).toBeLessThanOrEqual(Date.now());
    const bytes = await units.read(caller, (work) =>
      sql<{
        bytes: Buffer;
        third: number;
        zone: string;
      }>`select '\\xff00'::bytea as bytes, 1::float8 / 3 as third,
        current_setting('timezone') as zone`.execute(work.db),
    );
    expect(bytes.rows).toEqual([{ bytes: Buffer.from([255, 0]), third: 1 / 3, zone: 'UTC' }]);
    expect(await database.checks.database?.()).toBeNull();
  });

  it('is not ready while a session has another time zone, and says so once', async () => {
    const faults: string[] = [];
    const database = await openDatabase(
      { server: url },
      { onFault: (code, error) => void faults.push(`${code}: ${(error as Error).message}`) },
    );
    onTestFinished(() => database.close());
    await database.write(null, async (db) => {
      await sql`select set_config('TimeZone', 'America/Sao_Paulo', false)`.execute(db);
    });
    const problem = 'the time zone of a session is America/Sao_Paulo, not UTC';
    expect(await database.checks.database?.()).toBe(problem);
    expect(faults).toEqual([`storage_unavailable: ${problem}`]);
  });
});

describe('RU-89 a clock that is not that of PostgreSQL', () => {
  it.each([
    [-3, null],
    [
      20,
      {
        note: expect.stringMatching(
          /^the clock of this node is \d+ s ahead of that of PostgreSQL$/,
        ) as string,
      },
    ],
    [300, expect.stringMatching(/^the clock of this node is \d+ s ahead of that of PostgreSQL$/) as string],
    [-300, expect.stringMatching(/^the clock of this node is \d+ s behind that of PostgreSQL$/) as string],
  ])('by %i s: is warned of from 5 s, and not ready from 30 s on', async (seconds, expected) => {
    const warnings: string[] = [];
    const onWarning = (message: string): void => void warnings.push(message);
    const database = await openDatabase({ server: url }, { onWarning });
    onTestFinished(() => database.close());
    const now = vi.spyOn(systemClock, 'now').mockImplementation(() => new Date(Date.now() + seconds * 1_000));
    onTestFinished(() => now.mockRestore());
    expect(await database.checks.clock?.()).toEqual(expected);
    await database.maintain();
    expect(warnings).toHaveLength(expected === null ? 0 : 1);
  });
});

describe('RU-58 a pooler in transaction mode', () => {
  const orders: readonly PoolerOptions[] = [1, 2, 3].flatMap((sessions) =>
    (['last', 'first'] as const).map((order) => ({ mode: 'transaction', sessions, order }) as const),
  );
  it.each(orders)('is refused with $sessions sessions, of which the $order is used', async (options) => {
    await expect(openDatabase({ server: await pooled(options) })).rejects.toMatchObject({
      reason: 'unusable',
      message: expect.stringMatching(
        /^postgres:\S+ is a pooler in transaction mode, .* session.*\.$/,
      ) as string,
    });
  });

  it('is told from one in session mode, behind which changes of other nodes arrive', async () => {
    const [one, other] = [await opened(await pooled({ mode: 'session' })), await opened(url)];
    const announced = new Promise((resolve) => one.onAnnounced((changes) => resolve(changes)));
    other.announce([{ companyId: 1, entityType: 'group' }]);
    expect(await announced).toEqual([{ companyId: 1, entityType: 'group' }]);
  });
});
