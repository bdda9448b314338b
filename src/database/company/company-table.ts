import { sql } from 'kysely';

import type { Audit } from '../../platform/changes.js';
import type { PageRequest } from '../../platform/requests.js';
import type { Row, Tables, Written } from '../../schema/schema.js';
import type { AuditColumns } from '../../schema/table.js';
import { AUDIT_COLUMNS, changedBy, changedTogether, createdBy } from '../audit.js';
import { areSame } from '../storage.js';
import type { ReadWork, WriteWork } from '../work.js';
import {
  CompanyRows,
  only,
  type Changes,
  type CompanyTableName,
  type Match,
  type NewRow,
  type Selection,
} from './company-rows.js';
import { recordMapping, type RecordMapping, type TableOf } from './record-mapping.js';

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

/**
 * A company's records in one table, whose columns are their fields. The company comes from the unit of work: no
 * method can be called without it (decisions.md#company-filters).
 */
export class CompanyTable<Name extends AuditedTableName, T extends AuditedRecord> {
  readonly table: Name;
  /** Columns by field. */
  readonly columns: RecordMapping<Name, T>['columns'];
  readonly recordOf: (row: Row<Name>) => T;
  readonly #columnsOf: RecordMapping<Name, T>['columnsOf'];
  readonly #rows: CompanyRows<Name>;

  constructor(table: TableOf<Name, T>) {
    this.table = table as Name;
    const { columns, recordOf, columnsOf } = recordMapping<Name, T>(table);
    this.columns = columns;
    this.recordOf = recordOf;
    this.#columnsOf = columnsOf;
    this.#rows = new CompanyRows(this.table);
  }

  async find(work: ReadWork, match: Match<Name>): Promise<T | undefined> {
    const row = await this.#rows.find(work, match);
    return row && this.recordOf(row);
  }

  async findById(work: ReadWork, id: number): Promise<T | undefined> {
    return await this.find(work, byId<Name>(id));
  }

  async exists(work: ReadWork, match: Match<Name>): Promise<boolean> {
    return await this.#rows.exists(work, match);
  }

  async count(work: ReadWork, match: Match<Name>): Promise<number> {
    return await this.#rows.count(work, match);
  }

  /** Matching records, ascending by id: all, or one page. */
  async select(work: ReadWork, match: Match<Name>, page?: PageRequest): Promise<T[]> {
    if (page !== undefined) {
      const orderBy: Selection<Name>['orderBy'] = ['id'];
      return (await this.#rows.select(work, match, { orderBy, page })).map(this.recordOf);
    }
    // With ORDER BY id, SQLite may read all rows of the company in that order instead of using the index of
    // the match.
    const records = (await this.#rows.select(work, match)).map(this.recordOf);
    return records.sort((one, other) => one.id - other.id);
  }

  async insert(work: WriteWork, values: ValuesOf<T>): Promise<T> {
    return only(await this.insertMany(work, [values]));
  }

  /** Runs one statement per 200 records. The order of the result is undefined. */
  async insertMany(work: WriteWork, values: readonly ValuesOf<T>[]): Promise<T[]> {
    const rows = await this.#rows.insertReturning(work, this.#newRows(work, values));
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
    const replaced = given.map((name) => [name, sql.ref(`excluded.${name}`)]);
    const changes = {
      ...Object.fromEntries(replaced),
      ...changedTogether(work, this.table),
    } as Changes<Name>;
    return (await this.#rows.insertReturning(work, rows, { key, changes })).map(this.recordOf);
  }

  /** Writes the columns that differ. `revision` grows by one in any case. */
  async update(work: WriteWork, current: T, values: ValuesOf<T>): Promise<T> {
    const before = this.#columnsOf(current);
    const changed = this.#ownColumns(values).filter(([name, value]) => !areSame(before[name], value));
    const changes = {
      ...Object.fromEntries(changed),
      ...changedBy(work, current),
    } as unknown as Changes<Name>;
    return this.recordOf(only(await this.#rows.update(work, byId<Name>(current.id), changes)));
  }

  /** Changes all these rows in one statement; the `revision` of each grows by one. */
  async updateAll(work: WriteWork, ids: readonly number[], changes: Partial<OwnColumns<Name>>): Promise<T[]> {
    const columns = { ...changes, ...changedTogether(work, this.table) } as Changes<Name>;
    return (await this.#rows.update(work, byId<Name>(ids), columns)).map(this.recordOf);
  }

  /** Returns the deleted records. */
  async delete(work: WriteWork, match: Match<Name>): Promise<T[]> {
    return (await this.#rows.delete(work, match)).map(this.recordOf);
  }

  /** Like `delete`, for records that may be many: 250 per statement. */
  async deleteInParts(work: WriteWork, match: Match<Name>): Promise<T[]> {
    return (await this.#rows.deleteInParts(work, match)).map(this.recordOf);
  }

  /** Sum of the bytes of a column in the matching rows. */
  async bytesOf(work: ReadWork, match: Match<Name>, column: string & keyof Tables[Name]): Promise<number> {
    return await this.#rows.bytesOf(work, match, column);
  }

  async deleteById(work: WriteWork, id: number): Promise<void> {
    await this.#rows.delete(work, byId<Name>(id));
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
