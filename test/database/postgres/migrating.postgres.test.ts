import { sql, type Kysely } from 'kysely';
import pg from 'pg';
import { describe, expect, inject, it } from 'vitest';

import { CompanyRows } from '../../../src/database/company/company-rows.js';
import { MIGRATIONS } from '../../../src/database/migrations.js';
import { openDatabase } from '../../../src/database/open.js';
import { bringUpToDate } from '../../../src/database/postgres/migrate.js';
import { previewMigrations } from '../../../src/database/postgres/migration-preview.js';
import { checkServer } from '../../../src/database/postgres/tools.js';
import type { Caller } from '../../../src/platform/requests.js';
import { adminUrlOf, createDatabase, dropDatabase } from '../../support/postgres/boot.js';
import { addCompany, openNodes, present, type Node } from '../../support/postgres/nodes.js';
import { addCompanies, connectTo } from '../../support/postgres/schema.js';
import { beforePart, NAMES, noteOfGroups } from '../invented-migrations.js';

const database = openNodes(2);
const { node, admin } = database;
const groups = new CompanyRows('groups');
const NOTHING = { needs: null, sqlite: () => Promise.resolve(), postgres: () => Promise.resolve() };

/** Reads and changes the same group, with prepared statements, until `isDone`. Returns the number of units. */
async function load({ units }: Node, caller: Caller, isDone: () => boolean): Promise<number> {
  let count = 0;
  for (; !isDone(); count += 2) {
    const [row] = await units.read(caller, async (work) => {
      const all = await Promise.all([groups.select(work, {}), groups.find(work, { name: 'a' })]);
      return all[0];
    });
    await units.write(caller, async (work) => {
      const found = await groups.find(work, { id: present(row).id });
      await groups.update(work, { id: present(row).id }, { revision: present(found).revision + 1 });
    });
  }
  return count;
}

async function migrate(name: string, column: string): Promise<void> {
  const client = new pg.Client(database.url);
  await client.connect();
  try {
    const change = async (db: Kysely<never>): Promise<void> => {
      await sql`alter table groups add column ${sql.ref(column)} text`.execute(db);
    };
    const known = Object.fromEntries(added.map((each) => [each, NOTHING]));
    added.push(name);
    await bringUpToDate(client, 'test', undefined, {
      ...MIGRATIONS,
      ...known,
      [name]: { ...NOTHING, postgres: change as never },
    });
  } finally {
    await client.end();
  }
}
const added: string[] = [];

describe('CF-16 a migration by a newer node', () => {
  it('lets units go on that use the tables which it changes', async () => {
    const callers = [(await addCompany(node(0))).caller, (await addCompany(node(0))).caller];
    for (const caller of callers) {
      await node(0).units.write(caller, async (work) => {
        const now = new Date();
        const audit = { revision: 1, created_at: now, updated_at: now, created_by: null, created_via: 'api' };
        await groups.insert(work, [{ name: 'a', ...audit } as never]);
      });
    }
    let isDone = false;
    const running = callers.flatMap((caller) =>
      [0, 1].flatMap((index) => [
        load(node(index), caller, () => isDone),
        load(node(index), caller, () => isDone),
      ]),
    );
    const failed = Promise.race(running.map((each) => each.then(() => null)));
    try {
      for (let step = 1; step <= 5; step += 1) {
        await Promise.race([failed, new Promise((resolve) => setTimeout(resolve, 200))]);
        await migrate(`900${step}-test`, `added_${step}`);
      }
    } finally {
      isDone = true;
    }
    const counts = await Promise.all(running);
    expect(Math.min(...counts)).toBeGreaterThan(10);
  });

  it('is shown before: tables, locks and rows; nobody waits, and nothing is changed', async () => {
    await addCompany(node(0));
    await admin('analyze groups');
    const client = new pg.Client(database.url);
    await client.connect();
    const statements = [
      'alter table groups add column preview text',
      'alter table devices alter column revision type numeric',
      'create index apps_preview on apps (revision)',
      'update files set revision = revision + 1',
      'create table previews (id bigint)',
    ];
    const change = async <T>(db: Kysely<T>): Promise<void> => {
      for (const statement of statements) await sql.raw(statement).execute(db);
    };
    const known = Object.fromEntries(added.map((each) => [each, NOTHING]));
    try {
      // A reader of all these tables holds its locks meanwhile.
      await client.query('begin; select count(*) from groups, devices, apps, files');
      const other = new pg.Client(database.url);
      await other.connect();
      try {
        const touched = await previewMigrations(other, 'test', {
          ...MIGRATIONS,
          ...known,
          '9999-preview': { ...NOTHING, postgres: change },
          '9999-preview-index': {
            needs: null,
            index: { name: 'parameters_preview', table: 'parameters', columns: '(revision)' },
          },
        });
        const [counted] = await admin<{ rows: number }>('select count(*)::int as rows from groups');
        const { rows } = present(counted);
        expect(rows).toBeGreaterThan(0);
        const migration = '9999-preview';
        expect(touched).toEqual([
          { migration, table: 'apps', lock: 'ShareLock', rows: 0, isRewritten: false },
          { migration, table: 'devices', lock: 'AccessExclusiveLock', rows: 0, isRewritten: true },
          { migration, table: 'files', lock: 'RowExclusiveLock', rows: 0, isRewritten: false },
          { migration, table: 'groups', lock: 'AccessExclusiveLock', rows, isRewritten: false },
          {
            migration: '9999-preview-index',
            table: 'parameters',
            lock: 'ShareUpdateExclusiveLock',
            rows: 0,
            isRewritten: false,
          },
        ]);
        const { rows: places } = await other.query(
          `select current_schema() as schema from pg_namespace where nspname like 'terminal_gateway_preview%'
            union all select current_schema()`,
        );
        expect(places).toEqual([{ schema: 'public' }]);
      } finally {
        await other.end();
      }
    } finally {
      await client.end();
    }
  });

  it('lets nodes of the version before run and start, until one needs what they do not know', async () => {
    expect(await node(0).database.checks.migrations?.()).toBeNull();
    await (await openDatabase({ server: database.url })).close();
    await admin("update applied_migrations set needs = '9001-test' where name = '9005-test'");
    expect(await node(0).database.checks.migrations?.()).toBeNull();
    await expect(openDatabase({ server: database.url })).rejects.toMatchObject({ reason: 'newer' });
  });
});

it('a migration adds a column, fills it in parts, and goes on with the parts that are left', async () => {
  const server = inject('postgres');
  const url = await createDatabase(server);
  const client = new pg.Client(url);
  await client.connect();
  const { run, close } = await connectTo(adminUrlOf(server, url));
  try {
    await bringUpToDate(client, 'test');
    await addCompanies(run);
    await run(`insert into groups (company_id, id, name, revision, created_at, updated_at, created_via)
      select 1 + n % 2, n, 'group ' || n, 1, now(), now(), 'api' from generate_series(1, 5) as n`);
    const filled = () => run("select count(*) as filled from groups where note = 'note of ' || name");
    const stop = beforePart(3, () => {
      throw new Error('power cut');
    });
    await expect(bringUpToDate(client, 'test', undefined, noteOfGroups(stop))).rejects.toThrow(
      'The migration 9102-group-notes failed',
    );
    expect(await filled()).toEqual([{ filled: 4 }]);
    expect(await bringUpToDate(client, 'test', undefined, noteOfGroups())).toEqual(NAMES.slice(1));
    expect(await filled()).toEqual([{ filled: 5 }]);
    await expect(run('update groups set note = null')).rejects.toThrow('groups_have_notes');
    const isValid = () => run("select indisvalid from pg_index where indexrelid = 'groups_note'::regclass");
    expect(await isValid()).toEqual([{ indisvalid: true }]);
    // As after a crash while it was created; then two nodes start together.
    await run("update pg_index set indisvalid = false where indexrelid = 'groups_note'::regclass");
    await run("delete from applied_migrations where name = '9104-group-note-index'");
    const other = new pg.Client(url);
    await other.connect();
    try {
      const both = [client, other].map((each) => bringUpToDate(each, 'test', undefined, noteOfGroups()));
      expect(await Promise.all(both)).toContainEqual(['9104-group-note-index']);
    } finally {
      await other.end();
    }
    expect(await isValid()).toEqual([{ indisvalid: true }]);
    expect(await checkServer(client)).toEqual([]);
  } finally {
    await close();
    await client.end();
    await dropDatabase(server, url);
  }
});
