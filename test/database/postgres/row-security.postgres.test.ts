import { beforeAll, describe, expect, it } from 'vitest';

import { addRecords } from '../../support/postgres/records.js';
import { schemaDatabase, type Run } from '../../support/postgres/schema.js';

const database = schemaDatabase();
/** A session of the company role itself: nothing but its own rights. */
let company: Run;
let names: readonly string[];
/** Columns of each table, without those that the database computes. */
let columns: ReadonlyMap<string, string>;

beforeAll(async () => {
  await addRecords(database.admin);
  names = (
    await database.owner<{ name: string }>(
      `select relname as name from pg_class
        where relnamespace = 'public'::regnamespace and relkind in ('r', 'v', 'm', 'p', 'f') order by 1`,
    )
  ).map(({ name }) => name);
  const given = await database.owner<{ name: string; columns: string }>(
    `select relname as name, string_agg(quote_ident(attname), ', ') as columns
      from pg_class join pg_attribute on attrelid = pg_class.oid
      where relnamespace = 'public'::regnamespace and attnum > 0 and not attisdropped and attgenerated = ''
      group by relname`,
  );
  columns = new Map(given.map((table) => [table.name, table.columns]));
  const url = new URL(database.server.adminUrl);
  url.pathname = new URL(database.url).pathname;
  company = await database.connect(url.href);
  await company(`set session authorization ${database.roles.company}`);
});

/** Tables of which a company may see nothing. */
const CLOSED = ['one_time_codes', 'passkeys', 'rate_limits', 'sessions', 'sign_in_networks'];

function ofCompany(table: string, id: number): string {
  if (table === 'companies') return `id = ${id}`;
  if (table === 'users') return `id in (${10 + id}, 13)`;
  return `company_id = ${id}`;
}

/** `denied` if the role may not do it at all. */
async function attempt(run: Run, statement: string): Promise<object[] | 'denied'> {
  try {
    return await run(statement);
  } catch (error) {
    if (/permission denied for|row-level security|view "members"/.test(String(error))) return 'denied';
    throw error;
  }
}

async function inTransaction(run: Run, setup: string, use: () => Promise<void>): Promise<void> {
  await run('begin');
  try {
    await run(setup);
    await use();
  } finally {
    await run('rollback');
  }
}

const AS_COMPANY_1 = "select set_config('app.company_id', '1', true)";

describe('the role of a company', () => {
  it('sees nothing without a company', async () => {
    for (const setting of ['select 1', "select set_config('app.company_id', '', true)"]) {
      for (const name of names) {
        await inTransaction(company, setting, async () => {
          const found = await attempt(company, `select 1 from ${name}`);
          expect(found, name).toEqual(CLOSED.includes(name) ? 'denied' : []);
        });
      }
    }
  });

  it('sees the rows of its company and no others', async () => {
    for (const name of names.filter((table) => !CLOSED.includes(table))) {
      await inTransaction(company, AS_COMPANY_1, async () => {
        const own = ofCompany(name, 1);
        const { length } = await company(`select 1 from ${name} where ${own}`);
        expect(length, `${name} of company 1`).toBeGreaterThan(0);
        expect(await company(`select 1 from ${name} where (${own}) is not true`), name).toEqual([]);
      });
    }
  });

  it('cannot add a row to another company', async () => {
    for (const name of names) {
      await inTransaction(company, AS_COMPANY_1, async () => {
        const key = name === 'companies' || name === 'users' ? 'id' : 'company_id';
        const given = columns.get(name) ?? '';
        const copyTo = (id: number): string => `insert into ${name} (${given}) select ${given} from (
          select (json_populate_record(own, '{"${key}": ${id}}')).* from ${name} as own) as copies
          on conflict do nothing returning 1`;
        const adds = ![...CLOSED, 'companies', 'users', 'members', 'prunings'].includes(name);
        if (adds) expect(await attempt(company, copyTo(1)), `own ${name}`).toEqual([]);
        expect(await attempt(company, copyTo(2)), name).toBe('denied');
      });
    }
  });

  it('cannot change, move or delete rows of another company', async () => {
    const changes = (name: string, other: string): string[] => [
      `delete from ${name} where ${other} returning 1`,
      ...(name === 'users' || name === 'companies'
        ? [`update ${name} set name = 'x' where ${other} returning 1`]
        : [`update ${name} set company_id = company_id where ${other} returning 1`]),
    ];
    for (const name of names.filter((table) => !CLOSED.includes(table))) {
      for (const change of changes(name, name === 'users' ? 'id = 12' : ofCompany(name, 2))) {
        await inTransaction(company, AS_COMPANY_1, async () => {
          expect(['denied', []], change).toContainEqual(await attempt(company, change));
        });
      }
      if (['users', 'companies'].includes(name)) continue;
      await inTransaction(company, AS_COMPANY_1, async () => {
        const moved = attempt(company, `update ${name} set company_id = 2`);
        await expect(moved.catch((error: unknown) => String(error))).resolves.toMatch(
          /^denied$|a record stays with its company$/,
        );
      });
    }
  });

  it('reads of an account what the view of members shows, and no password', async () => {
    await inTransaction(company, AS_COMPANY_1, async () => {
      expect(await company('select id, email from members order by id')).toEqual([
        { id: 11, email: '11@example.com' },
        { id: 13, email: '13@example.com' },
      ]);
      expect(await attempt(company, 'select password_hash from users')).toBe('denied');
    });
  });
});

describe('RU-60 the user of DATABASE_URL, without the role of a unit', () => {
  it('reads no row of any table', async () => {
    expect(names.length).toBeGreaterThan(30);
    for (const name of names) expect(await database.owner(`select 1 from ${name}`), name).toEqual([]);
  });

  it('changes, adds and deletes no row', async () => {
    for (const name of names.filter((table) => !['members', 'ledger'].includes(table))) {
      const key = name === 'companies' || name === 'users' ? 'id' : 'company_id';
      const column = CLOSED.includes(name) ? '*' : key;
      if (column === key)
        expect(await database.owner(`update ${name} set ${key} = ${key} returning 1`), name).toEqual([]);
      expect(await database.owner(`delete from ${name} returning 1`), name).toEqual([]);
      await inTransaction(database.owner, 'select 1', async () => {
        const [row] = await database.admin<{ json: string }>(
          `select to_json(t)::text as json from ${name} as t`,
        );
        const given = columns.get(name) ?? '';
        const copy = `insert into ${name} (${given}) select ${given} from json_populate_record(null::${name}, $1)`;
        await expect(database.owner(copy, [row?.json]), name).rejects.toThrow('row-level security');
      });
    }
  });
});

describe('the role above companies', () => {
  it('sees all rows', async () => {
    for (const name of names) {
      await inTransaction(database.owner, `set local role ${database.roles.system}`, async () => {
        const [all] = await database.admin<{ count: number }>(`select count(*) from ${name}`);
        const [seen] = await database.owner<{ count: number }>(`select count(*) from ${name}`);
        expect(all?.count, name).toBeGreaterThan(0);
        expect(seen, name).toEqual(all);
      });
    }
  });
});

describe('every table', () => {
  it('has row-level security, also for its owner', async () => {
    const open = await database.owner(
      `select relname from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'
        and not (relrowsecurity and relforcerowsecurity)`,
    );
    expect(open).toEqual([]);
  });

  it('shows no row to a role without a policy, even if it may read', async () => {
    const reader = `reader_${new URL(database.url).pathname.slice(1)}`;
    await database.admin(`create role ${reader}`);
    await database.admin(`grant select on all tables in schema public to ${reader}`);
    for (const name of names) {
      await inTransaction(database.admin, `set local role ${reader}`, async () => {
        expect(await database.admin(`select 1 from ${name}`), name).toEqual([]);
      });
    }
    await database.admin(`drop owned by ${reader}`);
    await database.admin(`drop role ${reader}`);
  });
});
