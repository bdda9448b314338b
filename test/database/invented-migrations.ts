import { sql, type Kysely } from 'kysely';

import type { Migrations } from '../../src/database/migrations.js';

const run =
  (...statements: string[]) =>
  async <T>(db: Kysely<T>): Promise<void> => {
    for (const statement of statements) await sql.raw(statement).execute(db);
  };

const PART = 2;

/** Adds a column, fills it in parts of two rows, and then demands a value. `onPart` is called before each part. */
export function noteOfGroups(onPart: () => void = () => undefined): Migrations {
  return {
    '9101-group-note': {
      needs: null,
      sqlite: run('alter table groups add column note text'),
      postgres: run('alter table groups add column note text'),
    },
    '9102-group-notes': {
      needs: null,
      part: async (db, [company = 0, group = 0]) => {
        onPart();
        const after = sql`(company_id, id) > (${company}, ${group})`;
        // PostgreSQL gives ids as text here.
        const { rows } = await sql<
          Record<'company_id' | 'id', number | string>
        >`select company_id, id from groups
          where ${after} order by company_id, id limit ${PART}`.execute(db);
        const last = rows.at(-1);
        if (last === undefined) return null;
        await sql`update groups set note = 'note of ' || name where note is null and ${after}
          and (company_id, id) <= (${last.company_id}, ${last.id})`.execute(db);
        return [Number(last.company_id), Number(last.id)];
      },
    },
    '9103-group-note-demanded': {
      needs: '9101-group-note',
      sqlite:
        run(`create trigger groups_have_notes before update of note on groups when new.note is null begin
        select raise(abort, 'a group has a note'); end`),
      // The first statement reads no row, and the second one lets others write.
      postgres: run(
        'alter table groups add constraint groups_have_notes check (note is not null) not valid',
        'alter table groups validate constraint groups_have_notes',
      ),
    },
    '9104-group-note-index': {
      needs: null,
      index: { name: 'groups_note', table: 'groups', columns: '(company_id, note)' },
    },
  };
}

/** Calls `stop` before the part of this number. */
export function beforePart(number: number, stop: () => never): () => void {
  let parts = 0;
  return () => {
    parts += 1;
    if (parts === number) stop();
  };
}

export const NAMES = Object.keys(noteOfGroups());
