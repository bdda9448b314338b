import { sql } from 'kysely';

import { everywhere, specialSql } from '../../../database/company/company-rows.js';
import { LAST } from '../../../database/list/condition.js';
import { containsFolded } from '../../../database/list/letter-case.js';
import { portable, type Sql } from '../../../database/storage.js';
import type { ReadWork } from '../../../database/work.js';
import { folded } from '../../../platform/card-data/text-search.js';
import { ID_BITS, SEARCHED } from '../../../schema/search.js';
import type { Found as FoundRecord, FoundType } from './search.model.js';

type Found = Omit<FoundRecord, 'isTag'>;

const TYPES: Readonly<Record<string, FoundType>> = {
  apps: 'App',
  devices: 'Device',
  files: 'File',
  groups: 'Group',
  logical_numbers: 'LogicalNumber',
};

type Searched = (typeof SEARCHED)[number] & { readonly type: FoundType };

export const SEARCHED_TYPES: readonly Searched[] = SEARCHED.flatMap((each) => {
  const type = TYPES[each.table];
  return type === undefined ? [] : [{ ...each, type }];
});

/** Maximum different keys of parameters, and of metacontents, that are compared. */
const MAX_KEYS = 2_000;

const all = (queries: readonly Sql[]): Sql<Found> =>
  sql<Found>`${sql.join(
    queries.map((each) => sql`select * from (${each}) as part`),
    sql` union all `,
  )}`;

/** Records whose names begin with one of the spellings: at most `first` of each type and spelling. One statement. */
export async function findByBeginning(
  work: ReadWork,
  spellings: readonly string[],
  first: number,
): Promise<Found[]> {
  const { db, companyId } = specialSql(work);
  const queries = SEARCHED_TYPES.flatMap(({ table, column, type }) =>
    spellings.map((text) => {
      const name = sql.ref(column);
      return sql`select ${sql.lit(type)} as type, id, ${name} as name from ${sql.table(table)}
        where company_id = ${companyId} and ${name} >= ${text} and ${name} < ${text + LAST}
        order by ${name} limit ${first}`;
    }),
  );
  return (await all(queries).execute(db)).rows;
}

/** A pattern of PostgreSQL for names that contain a text. */
const patternOf = (text: string): string => `%${text.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;

/** Records of some types whose names contain a text, at most `first` of each. One statement. */
export async function findByPart(
  own: ReadWork,
  searched: readonly Searched[],
  text: string,
  first: number,
): Promise<Found[]> {
  const work = everywhere(own);
  const { db, companyId } = specialSql(work);
  const phrase = `"${folded(text).replaceAll('"', '""')}"`;
  const bits = sql.lit(ID_BITS);
  const queries = searched.map(({ table, column, index, type }) => {
    const name = sql.ref(`t.${column}`);
    const selected = sql`select ${sql.lit(type)} as type, t.id, ${name} as name`;
    return portable(
      sql`${selected} from ${sql.table(index)} as s join ${sql.table(table)} as t
        on t.company_id = ${companyId} and t.id = s.rowid - (${companyId} << ${bits})
        where s.name match ${phrase} and s.rowid between ${companyId} << ${bits} and (${companyId} + 1) << ${bits}
        limit ${first}`,
      // Planned without the limit, for which PostgreSQL would rather read all names than use the index.
      sql`with found as materialized (${selected} from ${sql.table(table)} as t where t.company_id = ${companyId}
          and folded(${name}) like folded(${patternOf(text)}::text collate "C"))
        select * from found limit ${first}`,
    );
  });
  return (await all(queries).execute(db)).rows;
}

/** Columns of tables in which many rows have the same text: the text, and the id of the record that has it. */
type Repeated = readonly [type: FoundType, table: string, text: string, id: string];

const KEYS: readonly Repeated[] = [
  ['Parameter', 'parameters', 'key', 'id'],
  ['Metacontent', 'metacontents', 'key', 'id'],
];
const TAGS: readonly Repeated[] = [
  ['Device', 'device_tags', 'tag', 'device_id'],
  ['LogicalNumber', 'logical_number_tags', 'tag', 'logical_number_id'],
];

/** Settings whose keys contain a text: of those with the same key the first one, at most `first` keys of each type. */
export const findKeys = (work: ReadWork, text: string, first: number) => findTexts(work, KEYS, text, first);
/** Tags that contain a text, each with the first device and the first logical number that have it. */
export const findTags = (work: ReadWork, text: string, first: number) => findTexts(work, TAGS, text, first);

async function findTexts(
  work: ReadWork,
  repeated: readonly Repeated[],
  part: string,
  first: number,
): Promise<Found[]> {
  const { db, companyId } = specialSql(work);
  const queries = repeated.map(([type, table, text, id]): Sql => {
    const rows = sql`${sql.table(table)} where company_id = ${companyId}`;
    const [key, record] = [sql.ref(text), sql.ref(id)];
    // Each step finds the next text in the index, whatever number of rows have the one before.
    return sql`with recursive keys (name, place) as (
        select (select min(${key}) from ${rows}), 1 union all
        select (select min(${key}) from ${rows} and ${key} > keys.name), place + 1 from keys
          where name is not null and place < ${sql.lit(MAX_KEYS)})
      select ${sql.lit(type)} as type, (select min(${record}) from ${rows} and ${key} = keys.name) as id, name
        from keys where name is not null and ${containsFolded(sql.ref('name'), part)} limit ${first}`;
  });
  const found = sql<Found>`${all(queries)} limit ${first * repeated.length}`;
  return (await found.execute(db)).rows;
}

/** Members whose names or e-mail addresses contain a text, at most `first`. */
export async function findMembers(work: ReadWork, text: string, first: number): Promise<Found[]> {
  const { db, companyId } = specialSql(work);
  const { rows } =
    await sql<Found>`select 'Member' as type, id, name from members where company_id = ${companyId}
    and (${containsFolded(sql.ref('name'), text)} or ${containsFolded(sql.ref('email'), text)})
    limit ${first}`.execute(db);
  return rows;
}
