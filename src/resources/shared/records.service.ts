import type { Match } from '../../database/company-rows.js';
import type {
  AuditedRecord,
  AuditedTableName,
  CompanyTable,
  ValuesOf,
} from '../../database/company-table.js';
import { countOf, type CounterName } from '../../database/count.js';
import type { ReadWork, WriteWork } from '../../database/work.js';
import { notFound, taken } from '../../platform/errors.js';
import type { Page, PageRequest } from '../../platform/page.js';

export interface RecordKind<Name extends AuditedTableName, T extends AuditedRecord> {
  /** Entity type in the ledger, for example `logical_number`; in messages it is written with spaces. */
  readonly entityType: string;
  readonly table: CompanyTable<Name, T>;
  /** The counter of the company's records; without it, they are counted one by one. */
  readonly counter?: CounterName;
  readonly unique?: UniqueField<Name, T>;
}

/** A field whose value exists once in the company, or in the part of it that `match` describes. */
export interface UniqueField<Name extends AuditedTableName, T extends AuditedRecord> {
  readonly field: string & keyof ValuesOf<T>;
  /** The records that a record with these values would collide with. */
  readonly match: (values: ValuesOf<T>) => Match<Name>;
  readonly message: string;
}

/** The use cases of an ordinary resource. Each change is recorded in the ledger. */
export interface Records<Name extends AuditedTableName, T extends AuditedRecord> {
  /** Errors: `not_found`. */
  readonly get: (work: ReadWork, id: number) => Promise<T>;
  /** Errors: `not_found`. */
  readonly getBy: (work: ReadWork, match: Match<Name>) => Promise<T>;
  readonly has: (work: ReadWork, id: number) => Promise<boolean>;
  /** The company's records, ascending by id. */
  readonly list: (work: ReadWork, request: PageRequest) => Promise<Page<T>>;
  /** The matching records, ascending by id. */
  readonly listBy: (work: ReadWork, match: Match<Name>, request: PageRequest) => Promise<Page<T>>;
  /** Errors: `taken` if another record than `current` has the unique value. */
  readonly refuseTaken: (work: ReadWork, values: ValuesOf<T>, current?: T) => Promise<void>;
  /** Errors: `taken`. */
  readonly create: (work: WriteWork, values: ValuesOf<T>) => Promise<T>;
  /** Like `create`, after the caller has called `refuseTaken`. */
  readonly insert: (work: WriteWork, values: ValuesOf<T>) => Promise<T>;
  /** Errors: `taken`. */
  readonly change: (work: WriteWork, current: T, values: ValuesOf<T>) => Promise<T>;
  /** Like `change`, after the caller has called `refuseTaken`. `action` is the ledger's, by default `update`. */
  readonly update: (work: WriteWork, current: T, values: ValuesOf<T>, action?: string) => Promise<T>;
  readonly delete: (work: WriteWork, record: T) => Promise<void>;
  /** Deletes the matching records in one statement. */
  readonly deleteAll: (work: WriteWork, match: Match<Name>) => Promise<void>;
}

export function recordsOf<Name extends AuditedTableName, T extends AuditedRecord>(
  kind: RecordKind<Name, T>,
): Records<Name, T> {
  const { entityType, table, unique } = kind;
  const found = (record: T | undefined): T => {
    if (record === undefined) throw notFound(entityType.replaceAll('_', ' '));
    return record;
  };
  const refuseTaken: Records<Name, T>['refuseTaken'] = async (work, values, current) => {
    if (unique === undefined || values[unique.field] === current?.[unique.field]) return;
    if (await table.exists(work, unique.match(values))) throw taken(unique.field, unique.message);
  };
  return {
    refuseTaken,
    get: async (work, id) => found(await table.findById(work, id)),
    getBy: async (work, match) => found(await table.find(work, match)),
    has: async (work, id) => (await table.findById(work, id)) !== undefined,
    ...listsOf(kind),
    ...changesOf(kind, refuseTaken),
  };
}

function listsOf<Name extends AuditedTableName, T extends AuditedRecord>({
  table,
  counter,
}: RecordKind<Name, T>): Pick<Records<Name, T>, 'list' | 'listBy'> {
  return {
    list: async (work, request) => {
      const total = counter === undefined ? await table.count(work, {}) : await countOf(work, counter);
      return { records: await table.select(work, {}, request), total, request };
    },
    listBy: async (work, match, request) => {
      const total = await table.count(work, match);
      return { records: await table.select(work, match, request), total, request };
    },
  };
}

function changesOf<Name extends AuditedTableName, T extends AuditedRecord>(
  { entityType, table }: RecordKind<Name, T>,
  refuseTaken: Records<Name, T>['refuseTaken'],
): Pick<Records<Name, T>, 'create' | 'insert' | 'change' | 'update' | 'delete' | 'deleteAll'> {
  const insert: Records<Name, T>['insert'] = async (work, values) => {
    const record = await table.insert(work, values);
    work.ledger.created(entityType, record);
    return record;
  };
  const update: Records<Name, T>['update'] = async (work, current, values, action) => {
    const record = await table.update(work, current, values);
    work.ledger.updated(entityType, current, record, action);
    return record;
  };
  return {
    insert,
    update,
    create: async (work, values) => {
      await refuseTaken(work, values);
      return await insert(work, values);
    },
    change: async (work, current, values) => {
      await refuseTaken(work, values, current);
      return await update(work, current, values);
    },
    delete: async (work, record) => {
      await table.deleteById(work, record.id);
      work.ledger.deleted(entityType, record);
    },
    deleteAll: async (work, match) => {
      for (const record of await table.delete(work, match)) work.ledger.deleted(entityType, record);
    },
  };
}
