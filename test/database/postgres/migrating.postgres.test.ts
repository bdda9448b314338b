import { sql, type Kysely } from 'kysely';
import pg from 'pg';
import { describe, expect, it } from 'vitest';

import { CompanyRows } from '../../../src/database/company/company-rows.js';
import { MIGRATIONS } from '../../../src/database/migrations.js';
import { openDatabase } from '../../../src/database/open.js';
import { bringUpToDate } from '../../../src/database/postgres/migrate.js';
import type { Caller } from '../../../src/platform/caller.js';
import { addCompany, openNodes, present, type Node } from '../../support/postgres/nodes.js';

const database = openNodes(2);
const { node } = database;
const groups = new CompanyRows('groups');
const NOTHING = { sqlite: () => Promise.resolve(), postgres: () => Promise.resolve() };

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

  it('lets a node of the version before run, and refuses its next start', async () => {
    expect(await node(0).database.checks.migrations?.()).toBeNull();
    await expect(openDatabase({ server: database.url })).rejects.toMatchObject({ reason: 'newer' });
  });
});
