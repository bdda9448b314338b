import { sql } from 'kysely';
import { isDeepStrictEqual } from 'node:util';

import type { PageRequest } from '../../platform/requests.js';
import { camelCase, type Audit } from '../../platform/validate.js';
import { columnsOf, type Row, type Tables, type Written } from '../../schema/schema.js';
import { type AuditColumns, audited, type ColumnKind } from '../../schema/table.js';
import { areSame, flag, instant, json, nullable, type Codec, type Sql } from '../storage.js';
import type { ReadWork, SystemWriteWork, WriteWork } from '../work.js';
import { CompanyRows, excluded, only } from './company-rows.js';
import type { Changes, CompanyTableName, Match, NewRow } from './company-rows.js';

const same: Codec<unknown, unknown> = { toColumn: (value) => value, fromColumn: (column) => column };
const codecs = { instant: nullable(instant), flag: nullable(flag), json: json(), jsonb: json() } as Readonly<
  Partial<Record<ColumnKind, Codec<unknown, unknown>>>
>;

interface RecordMapping<Name extends keyof Tables, T> {
  readonly columns: { readonly [Field in keyof T]: string & keyof Row<Name> };
  readonly recordOf: (row: Row<Name>) => T;
  /** Values of the columns of those fields that `values` has. */
  readonly columnsOf: (values: object) => Readonly<Record<string, unknown>>;
}

/** `hidden` names the columns that records do not show; by default, the company. */
export function recordMapping<Name extends keyof Tables, T, Hidden extends string = 'company_id'>(
  table: Name,
  hidden: readonly Hidden[] = ['company_id' as Hidden],
): RecordMapping<Name, T> {
  const isHidden = new Set<string>(hidden);
  const shown = Object.entries(columnsOf(table)).filter(([column]) => !isHidden.has(column));
  const fields = shown.map(([column, { kind, isOptional }]) => {
    // The value of other columns of JSON may be null.
    const codec = kind === 'json' && isOptional ? nullable(json()) : (codecs[kind] ?? same);
    return { column, field: camelCase(column), codec };
  });
  const columns = Object.fromEntries(fields.map(({ column, field }) => [field, column]));
  return {
    columns: columns as RecordMapping<Name, T>['columns'],
    recordOf: (row) => {
      const values = row as Readonly<Record<string, unknown>>;
      const record: Record<string, unknown> = {};
      for (const { column, field, codec } of fields) record[field] = codec.fromColumn(values[column]);
      return record as T;
    },
    columnsOf: (values) => {
      const given = new Map<string, unknown>(Object.entries(values));
      const known = fields.filter(({ field }) => given.has(field));
      return Object.fromEntries(known.map((of) => [of.column, of.codec.toColumn(given.get(of.field))]));
    },
  };
}

const AUDIT_COLUMNS: ReadonlySet<string> = new Set(Object.keys(audited));

/** Audit columns of a record that this unit of work creates. */
function createdBy({ now, caller }: WriteWork): Written<AuditColumns> {
  const times = { created_at: instant.toColumn(now), updated_at: instant.toColumn(now) };
  return { revision: 1, ...times, created_by: caller.userId, created_via: caller.channel };
}

/** Audit columns of a record that this unit of work changes. `updated_at` never decreases, even if the clock does. */
export function changedBy(
  work: SystemWriteWork,
  current: { readonly revision: number; readonly updatedAt: Date },
): Pick<Written<AuditColumns>, 'revision' | 'updated_at'> {
  const updated = Math.max(work.now.getTime(), current.updatedAt.getTime());
  return { revision: current.revision + 1, updated_at: instant.toColumn(new Date(updated)) };
}

/** Audit columns of many changed rows, as SQL for an UPDATE of `table`. */
export function changedTogether(
  work: SystemWriteWork,
  table: string,
): Readonly<Record<'revision', Sql<number>> & Record<'updated_at', Sql<Date>>> {
  const updatedAt = sql.ref(`${table}.updated_at`);
  const now = instant.toColumn(work.now);
  return {
    revision: sql`${sql.ref(`${table}.revision`)} + 1`,
    updated_at: sql`case when ${updatedAt} > ${now} then ${updatedAt} else ${now} end`,
  };
}

/** Names of the company tables whose rows have an id and the audit columns. */
export type AuditedTableName = {
  [Name in CompanyTableName]: Tables[Name] extends AuditColumns & { id: unknown } ? Name : never;
}[CompanyTableName];

export interface AuditedRecord extends Audit {
  readonly id: number;
}

/** Fields of a record that a resource sets itself: all except the id and the audit fields. */
export type ValuesOf<T extends AuditedRecord> = Omit<T, keyof AuditedRecord>;

/** Columns that `CompanyTable` does not set itself. */
export type OwnColumns<Name extends AuditedTableName> = Omit<
  Written<Tables[Name]>,
  'id' | 'company_id' | keyof AuditColumns
>;

/** New values of such columns, or SQL that computes them. */
export type OwnChanges<Name extends AuditedTableName> = {
  readonly [Column in keyof OwnColumns<Name>]?: OwnColumns<Name>[Column] | Sql<OwnColumns<Name>[Column]>;
};

/** Records of the company of the unit of work in one table, with columns as fields (decisions.md#company-filters). */
export class CompanyTable<Name extends AuditedTableName, T extends AuditedRecord> {
  readonly columns: RecordMapping<Name, T>['columns'];
  readonly recordOf: (row: Row<Name>) => T;
  readonly #columnsOf: RecordMapping<Name, T>['columnsOf'];
  /** Rows as they are stored, without records: whether there are some, how many, and how long. */
  readonly rows: CompanyRows<Name>;

  constructor(readonly table: Name) {
    const { columns, recordOf, columnsOf } = recordMapping<Name, T>(table);
    this.columns = columns;
    this.recordOf = recordOf;
    this.#columnsOf = columnsOf;
    this.rows = new CompanyRows(table);
  }

  async find(work: ReadWork, match: Match<Name>): Promise<T | undefined> {
    const row = await this.rows.find(work, match);
    return row && this.recordOf(row);
  }

  async findById(work: ReadWork, id: number): Promise<T | undefined> {
    return await this.find(work, byId<Name>(id));
  }

  /** Matching records, ascending by id: all, or one page. */
  async select(work: ReadWork, match: Match<Name>, page?: PageRequest): Promise<T[]> {
    if (page !== undefined) {
      return (await this.rows.select(work, match, { orderBy: ['id'], page })).map(this.recordOf);
    }
    // SQLite may answer ORDER BY id by reading all rows of the company in that order instead of those of the match.
    const records = (await this.rows.select(work, match)).map(this.recordOf);
    return records.sort((one, other) => one.id - other.id);
  }

  async insert(work: WriteWork, values: ValuesOf<T>): Promise<T> {
    return only(await this.insertMany(work, [values]));
  }

  /** Runs one statement per 200 records. The order of the result is undefined. */
  async insertMany(work: WriteWork, values: readonly ValuesOf<T>[]): Promise<T[]> {
    const rows = await this.rows.insertReturning(work, this.#newRows(work, values));
    return rows.map(this.recordOf);
  }

  /** Inserts records, or changes existing ones with the same values in the columns `key`. */
  async upsertMany(
    work: WriteWork,
    values: readonly ValuesOf<T>[],
    key: readonly (string & keyof OwnColumns<Name>)[],
  ): Promise<T[]> {
    const rows = this.#newRows(work, values);
    const given = Object.keys(rows[0] ?? {}).filter((name) => !AUDIT_COLUMNS.has(name));
    const changes = { ...excluded(given), ...changedTogether(work, this.table) };
    return (await this.rows.insertReturning(work, rows, { key, changes })).map(this.recordOf);
  }

  /** Writes the columns that differ. Returns `current` itself if none does and `touched`, a change of links, is false. */
  async update(work: WriteWork, current: T, values: ValuesOf<T>, touched = false): Promise<T> {
    const before = this.#columnsOf(current);
    const changed = this.#ownColumns(values).filter(
      ([name, value]) => !this.#areSame(name, before[name], value),
    );
    if (changed.length === 0 && !touched) return current;
    const changes = { ...Object.fromEntries(changed), ...changedBy(work, current) };
    return this.recordOf(only(await this.rows.update(work, byId<Name>(current.id), changes as object)));
  }

  /** Changes all these rows in one statement; the `revision` of each grows by one. */
  async updateAll(work: WriteWork, ids: readonly number[], changes: OwnChanges<Name>): Promise<T[]> {
    const columns = { ...changes, ...changedTogether(work, this.table) } as unknown as Changes<Name>;
    return (await this.rows.update(work, byId<Name>(ids), columns)).map(this.recordOf);
  }

  async delete(work: WriteWork, match: Match<Name>): Promise<T[]> {
    return (await this.rows.delete(work, match)).map(this.recordOf);
  }

  /** Like `delete`, for records that may be many: 250 per statement. */
  async deleteInParts(work: WriteWork, match: Match<Name>): Promise<T[]> {
    return (await this.rows.deleteInParts(work, match)).map(this.recordOf);
  }

  async deleteById(work: WriteWork, id: number): Promise<void> {
    await this.rows.delete(work, byId<Name>(id));
  }

  /** PostgreSQL keeps the keys of `jsonb` in an order of its own. */
  #areSame(name: string, one: unknown, other: unknown): boolean {
    if (areSame(one, other)) return true;
    const isObject = columnsOf(this.table)[name]?.kind === 'jsonb';
    return isObject && isDeepStrictEqual(JSON.parse(String(one)), JSON.parse(String(other)));
  }

  #newRows(work: WriteWork, values: readonly ValuesOf<T>[]): NewRow<Name>[] {
    const audit = createdBy(work);
    return values.map((value) => {
      const own = Object.fromEntries(this.#ownColumns(value));
      return { ...own, ...audit } as unknown as NewRow<Name>;
    });
  }

  /** Columns without the id and the audit columns, which `values` may have too. */
  #ownColumns(values: ValuesOf<T>): readonly (readonly [string, unknown])[] {
    return Object.entries(this.#columnsOf(values)).filter(
      ([name]) => name !== 'id' && !AUDIT_COLUMNS.has(name),
    );
  }
}

function byId<Name extends AuditedTableName>(id: number | readonly number[]): Match<Name> {
  return { id } as unknown as Match<Name>;
}
