/** Columns and tables of the schema: SQL for both databases, types of rows, policies and copies follow from them. */
import type { ColumnType, Generated } from 'kysely';

/** Read as milliseconds since 1970, UTC; written as a `Date`. */
type InstantColumn = ColumnType<number, Date, Date>;
/** Read as 0 or 1 (SQLite), or as true or false (PostgreSQL). */
type FlagColumn = ColumnType<number | boolean, boolean, boolean>;
export type JsonColumn = string;

/** `json` keeps the text as it was written; `jsonb` is for lists and objects of the program itself. */
export type ColumnKind = 'integer' | 'instant' | 'flag' | 'text' | 'json' | 'jsonb' | 'bytes';

export const TYPES: Readonly<Record<ColumnKind, { readonly sqlite: string; readonly postgres: string }>> = {
  integer: { sqlite: 'integer', postgres: 'bigint' },
  instant: { sqlite: 'integer', postgres: 'timestamptz' },
  flag: { sqlite: 'integer', postgres: 'boolean' },
  text: { sqlite: 'text', postgres: 'text collate "C"' },
  json: { sqlite: 'text', postgres: 'json' },
  jsonb: { sqlite: 'text', postgres: 'jsonb' },
  bytes: { sqlite: 'blob', postgres: 'bytea' },
};

export interface Column<Value = unknown> {
  readonly kind: ColumnKind;
  readonly isOptional: boolean;
  /** Value of rows that are inserted without one; null if each row must have one. */
  readonly fallback: number | string | null;
  /** True if the database draws it, as the primary key of its table. */
  readonly isDrawn?: true;
  /** Table whose rows it refers to by their id, and whether a row is deleted with the one that it refers to. */
  readonly target?: { readonly table: string; readonly isOwned: boolean };
  /** Type of the values in Kysely, for the compiler only. */
  readonly values?: () => Value;
}

export type Columns = Readonly<Record<string, Column>>;

const column = <Value>(kind: ColumnKind): Column<Value> => ({ kind, isOptional: false, fallback: null });

/** 64 bits on both databases. */
export const integer = column<number>('integer');
/** The primary key of a table whose rows the database numbers. */
export const drawnId: Column<Generated<number>> = { ...column('integer'), isDrawn: true };
export const instant = column<InstantColumn>('instant');
/** 1970-01-01 for rows that are inserted without one. */
export const sinceEpoch: Column<InstantColumn> = { ...instant, fallback: 'epoch' };
export const flag = column<FlagColumn>('flag');
/** Compared and ordered by its bytes on both databases. */
export const text = column<string>('text');
export const json = column<JsonColumn>('json');
export const jsonb = column<JsonColumn>('jsonb');
export const bytes = column<Uint8Array>('bytes');

/** The id of a row of `table`, which cannot be deleted before; of the same company if it belongs to one. */
export const referenceTo = (table: string): Column<number> => ({
  ...integer,
  target: { table, isOwned: false },
});

/** The id of a row of `table`, with which this row is deleted; of the same company if it belongs to one. */
export const ownedBy = (table: string): Column<number> => ({ ...integer, target: { table, isOwned: true } });

export const optional = <Value>(given: Column<Value>): Column<Value | null> => ({
  ...(given as Column<Value | null>),
  isOptional: true,
});

/** A column with a value for rows that are inserted without one. */
export const withFallback = <Value>(given: Column<Value>, fallback: number | string) =>
  ({ ...given, fallback }) as Column<Generated<Value>>;

type ValueOf<Of> = Of extends { readonly values?: () => infer Value } ? Value : never;

export type TableType<Of extends Columns> = { [Name in keyof Of]: ValueOf<Of[Name]> };

interface Reference {
  readonly columns: readonly string[];
  readonly table: string;
  /** The key of `table`. */
  readonly targets: readonly string[];
  /** True if a row is deleted with the row that it refers to. Otherwise that row cannot be deleted. */
  readonly isOwned: boolean;
}

/** SQL of a reference, the same for both databases. */
export function foreignKey({ columns, table, targets, isOwned }: Reference): string {
  const action = isOwned ? ' on delete cascade' : '';
  return `foreign key (${columns.join(', ')}) references ${table} (${targets.join(', ')})${action}`;
}

/** SQL of the columns that the database computes. PostgreSQL can index stored ones only. */
export const computedColumns = ({ computed }: Table, type: string, kind: 'virtual' | 'stored') =>
  Object.entries(computed).map(([name, value]) => `${name} ${type} generated always as (${value}) ${kind}`);

/** SQL of what a table demands of its rows besides its key and references. */
export const constraintsOf = ({ unique, check }: Table): readonly string[] => [
  ...unique.map((each) => `unique (${each.join(', ')})`),
  ...(check === null ? [] : [`check (${check})`]),
];

export interface Index {
  readonly name: string;
  /** Columns as SQL, for example `started_at desc`. */
  readonly columns: readonly string[];
  /** Columns that queries read from the index alone, without the row. */
  readonly included?: readonly string[];
  readonly isUnique?: boolean;
  /** Condition of the rows that the index has. */
  readonly where?: string;
  /** Set for an index that PostgreSQL does not have; the table says why. */
  readonly isOnlySqlite?: boolean;
}

/** Rights of the units of work of a company on rows of their own (PostgreSQL). */
interface Rights {
  /** Condition of the rows that a company may use; null if none. */
  readonly rows: string | null;
  /** Actions of a company, for example `select, insert`; columns in parentheses. */
  readonly company: string;
  /** Actions above companies. */
  readonly system: string;
}

export interface Table<Of extends Columns = Columns> {
  readonly name: string;
  readonly columns: Of;
  readonly key: readonly string[];
  readonly unique: readonly (readonly string[])[];
  readonly references: readonly Reference[];
  readonly indexes: readonly Index[];
  /** Texts that the database computes from the columns of a row, as SQL; only orders of lists use them. */
  readonly computed: Readonly<Record<string, string>>;
  /** Condition that each row meets. */
  readonly check: string | null;
  readonly rights: Rights;
  /** Columns with the names by whose parts records are searched (decisions.md#search). */
  readonly searched: readonly string[];
  /** True if the rows of each company are counted in `counters` (decisions.md#exact-totals). */
  readonly isCounted: boolean;
  /** SQLite: stores rows in the primary key itself, so that a change writes one tree instead of two. */
  readonly isKeyed: boolean;
  /** PostgreSQL: percent of a page that inserts fill. In the rest, updates need no new index entries. */
  readonly fillFactor: number;
}

/** The company of the unit of work. The planner reads the setting of a subselect once for each statement. */
const OWN_COMPANY = `(select nullif(current_setting('app.company_id', true), '')::bigint)`;
export const OWN_ROWS = `company_id = ${OWN_COMPANY}`;
export const OWN_RECORD = `id = ${OWN_COMPANY}`;

const ALL_ACTIONS = 'select, insert, update, delete';
const RIGHTS_OF_COMPANY: Rights = { rows: OWN_ROWS, company: ALL_ACTIONS, system: ALL_ACTIONS };
/** Rights for a table without rows of companies. */
export const RIGHTS_OF_SYSTEM: Rights = { rows: null, company: '', system: ALL_ACTIONS };

/** An index with all of its columns. Without a name, it has that of its columns after `table_by_`. */
interface GivenIndex extends Omit<Index, 'name'> {
  /** Follows the name of the table. */
  readonly name?: string;
}

interface Options extends Partial<Omit<Table, 'name' | 'columns' | 'references' | 'indexes' | 'rights'>> {
  /** Rights other than those of a table with rows of companies. */
  readonly rights?: Partial<Rights>;
  /** Table with whose row a row is deleted: its key is in columns of the same names. */
  readonly owner?: string;
  /** Columns after the company, or whole indexes. */
  readonly indexes?: readonly (readonly string[] | GivenIndex)[];
}

/** A table without its name, which is its key among all tables. */
interface Declared<Of extends Columns = Columns, Given extends Options = Options> {
  readonly columns: Of;
  readonly options: Given;
}

export const table = <Of extends Columns, const Given extends Options>(
  columns: Of,
  options: Given,
): Declared<Of, Given> => ({ columns, options });

const DEFAULTS = {
  key: [],
  unique: [],
  computed: {},
  check: null,
  searched: [],
  isCounted: false,
  isKeyed: false,
  fillFactor: 100,
};

type AllDeclared = Readonly<Record<string, Declared>>;

export function named<All extends AllDeclared>(
  declared: All,
): { [Name in keyof All]: Table<All[Name]['columns']> } {
  const keyOf = (name: string): readonly string[] => declared[name]?.options.key ?? [];
  const tables = Object.entries(declared).map(([name, { columns, options }]): readonly [string, Table] => {
    const { owner, indexes = [], rights, ...rest } = options;
    const references = Object.entries(columns).flatMap(([column, { target }]): Reference[] => {
      if (target === undefined) return [];
      const targets = keyOf(target.table);
      return [{ ...target, targets, columns: targets.length === 1 ? [column] : ['company_id', column] }];
    });
    if (owner !== undefined) {
      references.push({ table: owner, columns: keyOf(owner), targets: keyOf(owner), isOwned: true });
    }
    const all = { rights: { ...RIGHTS_OF_COMPANY, ...rights }, indexes: indexes.map(indexOf(name)) };
    return [name, { name, columns, ...DEFAULTS, ...rest, references, ...all }];
  });
  return Object.fromEntries(tables) as { [Name in keyof All]: Table<All[Name]['columns']> };
}

const indexOf =
  (table: string) =>
  (given: readonly string[] | GivenIndex): Index => {
    const index = 'columns' in given ? given : { columns: ['company_id', ...given] };
    const name = `by_${index.columns.filter((column) => column !== 'company_id').join('_')}`;
    return { ...index, name: `${table}_${index.name ?? name}` };
  };

/** Columns of a table whose rows belong to a company and have an id in it, drawn by the program from 1. */
const identified = { id: integer, company_id: referenceTo('companies') };

const KEY = ['company_id', 'id'] as const;

/** A table with the primary key (company_id, id). */
export const companyTable = <Of extends Columns, const Given extends Options>(columns: Of, options: Given) =>
  table({ ...identified, ...columns }, { key: KEY, ...options });

/** Columns of a record that tell who created it and when it changed; `revision` is its ETag. */
export const audited = {
  /** Grows by one with each change. */
  revision: integer,
  created_at: instant,
  updated_at: instant,
  /** Null for a row of the operator of the server, which lists of a company never read. */
  created_by: optional(referenceTo('users')) as Column<number>,
  created_via: text,
};

export type AuditColumns = TableType<typeof audited>;

/** A counted table of records: with audit columns, and an index for each order that all lists have. */
export const recordTable = <Of extends Columns>(columns: Of, { indexes = [], ...options }: Options = {}) =>
  companyTable(
    { ...columns, ...audited },
    { ...options, isCounted: true, indexes: [...indexes, ['created_at', 'id'], ['updated_at', 'id']] },
  );

/** A counted table of links between two records, with more columns; a link is deleted with either of them. */
export function linkTable<From extends string, To extends string, More extends Columns>(
  [from, source]: readonly [From, string],
  [to, target]: readonly [To, string],
  more: More,
) {
  const links = { company_id: integer, [from]: ownedBy(source), [to]: ownedBy(target) } as Record<
    'company_id' | From | To,
    typeof integer
  >;
  return table(
    { ...links, ...more },
    { key: ['company_id', from, to], isCounted: true, indexes: [[to, from]] },
  );
}
