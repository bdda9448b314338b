/** Search for parts of names (decisions.md#search): FTS5 on SQLite, pg_trgm on PostgreSQL. */
import { folded, MARKS } from '../platform/card-data/text-search.js';
import { TABLES } from './schema.js';

/** Tables with records that are searched, and the columns of their names. */
export const SEARCHED = TABLES.flatMap(({ name, searched }) =>
  searched.map((column, place) => {
    return { table: name, column, index: place === 0 ? `${name}_search` : `${name}_${column}_search` };
  }),
);

/** Bits of a row id that are the id of the record; those above are the company. */
export const ID_BITS = 32;

const rowOf = (row: string): string => `(${row}.company_id << ${ID_BITS}) | ${row}.id`;

/** SQL that stores the names of all records of a table in its index. */
const fill = ({ table, column, index }: (typeof SEARCHED)[number]): string =>
  `insert into ${index} (rowid, name) select (company_id << ${ID_BITS}) | id, folded(${column}) from ${table}
    where ${column} is not null`;

const changesOf = (index: string): string => `${index}_changes`;

/**
 * An index of names without the names: those are in the records, whose company and id make up the row id. It does not
 * store how long each name is, which would cost a third more at each insert. A transaction collects its changes in a
 * table and applies them at its end (decisions.md#search).
 */
export const SQLITE_SEARCH: readonly string[] = SEARCHED.flatMap(({ table, column, index }) => {
  const note = (row: string, isRemoved: 0 | 1): string =>
    `insert into ${changesOf(index)} (record, name, is_removed)
        select ${rowOf(row)}, ${row}.${column}, ${isRemoved} where ${row}.${column} is not null;`;
  return [
    `create virtual table ${index} using fts5(name, content = '', columnsize = 0,
      tokenize = 'trigram remove_diacritics 1')`,
    `create table ${changesOf(index)} (id integer primary key, record integer, name text, is_removed integer)`,
    `create trigger ${index}_in after insert on ${table} begin ${note('new', 0)} end`,
    `create trigger ${index}_out after delete on ${table} begin ${note('old', 1)} end`,
    `create trigger ${index}_changed after update of ${column} on ${table} when new.${column} is not old.${column} begin
      ${note('old', 1)} ${note('new', 0)}
    end`,
  ];
});

/** Query for whether the open transaction has changed names. */
export const SQLITE_IS_SEARCH_CHANGED = SEARCHED.map(({ index }) => `select 1 from ${changesOf(index)}`).join(
  ' union all ',
);

/** Statements that apply the changes of names of a transaction to the indexes, in their order. */
export const SQLITE_SEARCH_CHANGES: readonly string[] = SEARCHED.flatMap(({ index }) => [
  `insert into ${index} (${index}, rowid, name)
    select iif(is_removed, 'delete', null), record, folded(name) from ${changesOf(index)} order by id`,
  `delete from ${changesOf(index)}`,
]);

/** Statements that empty the indexes, and fill them from the records. */
export const SQLITE_SEARCH_AGAIN: readonly string[] = SEARCHED.flatMap((each) => [
  `insert into ${each.index} (${each.index}) values ('delete-all')`,
  `delete from ${changesOf(each.index)}`,
  fill(each),
]);

/** The table with records whose index SQLite keeps in the table `name`, in part or as a whole. */
export const tableOfSearch = (name: string): string | undefined =>
  SEARCHED.find(({ index }) => name.startsWith(index))?.table;

/** Extensions that PostgreSQL needs, with an operator class of each. */
export const EXTENSIONS = { pg_trgm: 'gin_trgm_ops', btree_gin: 'int8_ops' } as const;

/** Last code point of a letter that has another case. */
export const LAST_CASED = 0x1_e943;
export const isCased = /^\p{Changes_When_Casemapped}$/u;

/** SQL of `lower(t)` with all letters up to a code point folded. Marks, which fold to nothing, come last and are left out. */
function translated(last: number): string {
  const letters = Array.from({ length: last - 0x7f }, (_, place) => String.fromCodePoint(0x80 + place))
    .filter((letter) => (isCased.test(letter) || MARKS.test(letter)) && folded(letter) !== letter)
    .sort((one, other) => folded(other).length - folded(one).length);
  return `translate(lower(t), '${letters.join('')}', '${letters.map(folded).join('')}')`;
}

/** `lower` knows ASCII only, and `translate` compares each character with each letter: most names are in the first cases. */
const foldedSql =
  (): string => `create or replace function folded(t text) returns text immutable language plpgsql as $$
  begin
    return case when octet_length(t) = length(t) then lower(t)
      when t !~ '[^\\u0001-\\u00ff]' then ${translated(0xff)}
      else ${translated(LAST_CASED)} end;
  end $$`;

export const postgresSearch = (): readonly string[] => [
  foldedSql(),
  ...SEARCHED.map(
    ({ table, column, index }) =>
      // New entries wait in a list that each search reads: 512 kB of it take about a millisecond.
      `create index ${index} on ${table} using gin (company_id, folded(${column}) gin_trgm_ops)
        with (gin_pending_list_limit = 512)`,
  ),
];
