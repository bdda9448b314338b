/** A table of the schema. SQL for both databases, types of rows, policies and copies follow from its declaration. */
import { instant, integer, optional, text, type Columns, type TableType } from './columns.js';

export interface Reference {
  readonly columns: readonly string[];
  readonly table: string;
  readonly targets: readonly string[];
  /** Whether a row is deleted with the row that it refers to. Otherwise that row cannot be deleted. */
  readonly isOwned: boolean;
}

/** SQL of a reference, the same for both databases. */
export function foreignKey({ columns, table, targets, isOwned }: Reference): string {
  const action = isOwned ? ' on delete cascade' : '';
  return `foreign key (${columns.join(', ')}) references ${table} (${targets.join(', ')})${action}`;
}

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
export interface Rights {
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
  /** Columns of the primary key. */
  readonly key: readonly string[];
  readonly unique: readonly (readonly string[])[];
  readonly references: readonly Reference[];
  readonly indexes: readonly Index[];
  /** Condition that each row meets. */
  readonly check: string | null;
  readonly rights: Rights;
  /** SQLite: stores rows in the primary key itself, so that a change writes one tree instead of two. */
  readonly isKeyed: boolean;
  /** PostgreSQL: percent of a page that inserts fill. In the rest, updates need no new index entries. */
  readonly fillFactor: number;
}

/** The company of the unit of work. The planner reads the setting of a subselect once for each statement. */
const OWN_COMPANY = `(select nullif(current_setting('app.company_id', true), '')::bigint)`;
export const OWN_ROWS = `company_id = ${OWN_COMPANY}`;
export const OWN_RECORD = `id = ${OWN_COMPANY}`;
export const ALL_ACTIONS = 'select, insert, update, delete';

const RIGHTS_OF_COMPANY: Rights = { rows: OWN_ROWS, company: ALL_ACTIONS, system: ALL_ACTIONS };
/** Rights for a table without rows of companies. */
export const RIGHTS_OF_SYSTEM: Rights = { rows: null, company: '', system: ALL_ACTIONS };

/** A table without its name, which is its key among all tables. */
export interface Declared<Of extends Columns = Columns> extends Omit<Table<Of>, 'name' | 'indexes'> {
  /** Names of columns after the company, or whole indexes. */
  readonly indexes: readonly (readonly string[] | Index)[];
}

type Options = Partial<Omit<Declared, 'columns'>>;

export function table<Of extends Columns>(columns: Of, options: Options): Declared<Of> {
  return {
    columns,
    key: [],
    unique: [],
    references: [],
    indexes: [],
    check: null,
    rights: RIGHTS_OF_COMPANY,
    isKeyed: false,
    fillFactor: 100,
    ...options,
  };
}

type Named<All extends Readonly<Record<string, Declared>>> = {
  [Name in keyof All]: Table<All[Name]['columns']>;
};

/** The tables with their names. */
export function named<All extends Readonly<Record<string, Declared>>>(declared: All): Named<All> {
  const tables = Object.entries(declared).map(([name, { indexes, ...rest }]) => [
    name,
    { ...rest, name, indexes: indexes.map((each) => ('name' in each ? each : byCompany(name, each))) },
  ]);
  return Object.fromEntries(tables) as Named<All>;
}

/** An index on the company and `columns`, for lists of a company. */
function byCompany(name: string, columns: readonly string[]): Index {
  return { name: `${name}_by_${columns.join('_')}`, columns: ['company_id', ...columns] };
}

/** Columns of a table whose rows belong to a company and have an id in it, drawn by the program from 1. */
export const identified = { id: integer, company_id: integer };

export const COMPANY: Reference = {
  columns: ['company_id'],
  table: 'companies',
  targets: ['id'],
  isOwned: false,
};

/** A table with the primary key (company_id, id). */
export function companyTable<Of extends Columns>(
  columns: Of,
  options: Options,
): Declared<Of & typeof identified> {
  const { references = [] } = options;
  return table(
    { ...identified, ...columns },
    { ...options, key: ['company_id', 'id'], references: [COMPANY, ...references] },
  );
}

/** Columns of a record that tell who created it and when it changed; `revision` is its ETag. */
export const audited = {
  /** Grows by one with each change. */
  revision: integer,
  created_at: instant,
  updated_at: instant,
  created_by: integer,
  created_via: text,
};

export type AuditColumns = TableType<typeof audited>;

const auditedColumns = { ...audited, created_by: optional(integer) };
const CREATOR: Reference = {
  columns: ['created_by'],
  table: 'users',
  targets: ['id'],
  isOwned: false,
};

/** A table of records: with audit columns, and an index for each order that all lists have. */
export function recordTable<Of extends Columns>(
  columns: Of,
  options: Options = {},
): Declared<Of & typeof identified & typeof audited> {
  const { references = [], indexes = [] } = options;
  // The column may be null for a row of the operator of the server, which lists of a company never read.
  const all = { ...columns, ...auditedColumns } as unknown as Of & typeof audited;
  return companyTable(all, {
    ...options,
    references: [CREATOR, ...references],
    indexes: [...indexes, ['created_at', 'id'], ['updated_at', 'id']],
  });
}

/** A reference by (company_id, column), so that a row cannot refer to a record of another company. */
export function inCompany(column: string, target: string): Reference {
  const columns = ['company_id', column];
  return { columns, table: target, targets: ['company_id', 'id'], isOwned: false };
}

/** A reference to the record with which the row is deleted. */
export const ownedBy = (column: string, target: string): Reference => ({
  ...inCompany(column, target),
  isOwned: true,
});

/** A table of links between two records, indexed in both directions; a link is deleted with either. */
export function linkTable<From extends string, To extends string>(
  [from, source]: readonly [From, string],
  [to, target]: readonly [To, string],
): Declared<Record<'company_id' | From | To, typeof integer>> {
  const columns = { company_id: integer, [from]: integer, [to]: integer };
  return table(columns as Record<'company_id' | From | To, typeof integer>, {
    key: ['company_id', from, to],
    references: [ownedBy(from, source), ownedBy(to, target)],
    indexes: [[to, from]],
  });
}
