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
      sqlite: run('alter table groups add column note text'),
      postgres: run('alter table groups add column note text'),
    },
    '9102-group-notes': {
      part: async (db) => {
        onPart();
        const { rows } = await sql`update groups set note = 'note of ' || name where (company_id, id) in (
            select company_id, id from groups where note is null order by company_id, id limit ${PART})
          returning id`.execute(db);
        return rows.length === PART;
      },
    },
    '9103-group-note-demanded': {
      sqlite:
        run(`create trigger groups_have_notes before update of note on groups when new.note is null begin
        select raise(abort, 'a group has a note'); end`),
      // The first statement reads no row, and the second one lets others write.
      postgres: run(
        'alter table groups add constraint groups_have_notes check (note is not null) not valid',
        'alter table groups validate constraint groups_have_notes',
      ),
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
