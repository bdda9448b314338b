import { inParts } from '../../platform/concurrency/event-loop.js';
import { DomainError, invalid, notFound, taken } from '../../platform/errors.js';
import type { Page, PageRequest } from '../../platform/requests.js';
import { normalized } from '../../platform/validate.js';
import { countOf } from '../counters.js';
import type { List } from '../list/list.js';
import type { EntityTypeName, LedgerActionName, ReadWork, WriteWork } from '../work.js';
import { mostRows, type Match } from './company-rows.js';
import type { AuditedRecord, AuditedTableName, CompanyTable, OwnChanges, ValuesOf } from './company-table.js';

/** A field whose value exists once in the company, or in the part of it that `match` describes. */
export interface UniqueField<Name extends AuditedTableName, T extends AuditedRecord> {
  readonly field: string & keyof ValuesOf<T>;
  /** The records that a record with these values would collide with; those with the value, unless set. */
  readonly match?: (values: ValuesOf<T>) => Match<Name>;
  /** For example `A device with this serial number exists already.` unless set. */
  readonly message?: string;
}

/** More would hold the event loop for too long. */
const ROWS_PER_UPDATE = 250;

type Singular<Plural> = Plural extends `${infer Name}s` ? Name : never;

/** The use cases of an ordinary resource. Each change is recorded in the ledger. */
export class Records<Name extends AuditedTableName, T extends AuditedRecord> {
  /** Type in the ledger, for example `logical_number`; in messages it is written with spaces. */
  readonly #entityType: EntityTypeName;

  constructor(
    private readonly table: CompanyTable<Name, T>,
    private readonly unique?: UniqueField<Name, T>,
  ) {
    this.#entityType = table.table.slice(0, -1) as Singular<AuditedTableName>;
  }

  /** Errors: `not_found`. */
  readonly get = async (work: ReadWork, id: number): Promise<T> =>
    this.#found(await this.table.findById(work, id));

  /** Errors: `not_found`. */
  readonly getBy = async (work: ReadWork, match: Match<Name>): Promise<T> =>
    this.#found(await this.table.find(work, match));

  /** The record whose unique field has this text. Errors: `not_found`. */
  readonly getByName = async (work: ReadWork, name: string): Promise<T> =>
    await this.getBy(work, this.#named(normalized(name)));

  /** Records by the text in their unique field; unknown ones are absent. One statement. */
  readonly findByNames = async (
    work: ReadWork,
    names: readonly string[],
  ): Promise<ReadonlyMap<string, T>> => {
    const found = await this.table.select(work, this.#named(names));
    return new Map(found.map((record) => [String(record[this.#field]), record]));
  };

  /** Errors: `invalid` at the field unless `id` is the id of a record; null is. */
  readonly refuseUnknown = async (work: ReadWork, field: string, id: number | null): Promise<void> => {
    if (id === null || (await this.table.findById(work, id)) !== undefined) return;
    const what = `${/^[aeiou]/.test(this.#what) ? 'an' : 'a'} ${this.#what}`;
    throw invalid(field, 'is not the id of {what}', { what });
  };

  readonly list = async (work: ReadWork, request: PageRequest): Promise<Page<T>> => {
    const total = await countOf(work, this.table.table);
    return { records: await this.table.select(work, {}, request), total, request };
  };

  /** The matching records, ascending by id; null if only a search finds them, and the unit may not search. */
  readonly listBy = async (
    work: ReadWork,
    match: Match<Name>,
    request: PageRequest,
  ): Promise<Page<T> | null> => {
    const most = mostRows(work);
    const total = await this.table.rows.count(work, match, most + 1);
    if (total > most) return null;
    return { records: await this.table.select(work, match, request), total, request };
  };

  /** Errors: `taken` if another record than `current` has the unique value. */
  readonly refuseTaken = async (work: ReadWork, values: ValuesOf<T>, current?: T): Promise<void> => {
    const { table, unique } = this;
    if (unique === undefined || values[unique.field] === current?.[unique.field]) return;
    const { field, match = () => ({ [table.columns[field]]: values[field] }) } = unique;
    if (await table.rows.exists(work, match(values) as Match<Name>)) throw this.#taken(unique);
  };

  /** Errors: `taken`. */
  readonly create = async (work: WriteWork, values: ValuesOf<T>): Promise<T> => {
    await this.refuseTaken(work, values);
    return await this.insert(work, values);
  };

  /** Like `create`, but the unique index of the database refuses a value that is taken. */
  readonly insert = async (work: WriteWork, values: ValuesOf<T>): Promise<T> => {
    const record = await this.table.insert(work, values).catch((error: unknown) => {
      const isTaken = error instanceof DomainError && error.code === 'taken';
      throw isTaken && this.unique !== undefined ? this.#taken(this.unique) : error;
    });
    work.ledger.created(this.#entityType, record);
    return record;
  };

  /** Errors: `taken`. */
  readonly change = async (work: WriteWork, current: T, values: ValuesOf<T>): Promise<T> => {
    await this.refuseTaken(work, values, current);
    return await this.update(work, current, values);
  };

  /** Like `change`, after the caller has called `refuseTaken`. `action` is the ledger's. */
  readonly update = async (
    work: WriteWork,
    current: T,
    values: ValuesOf<T>,
    action: LedgerActionName = 'update',
  ): Promise<T> => {
    const record = await this.table.update(work, current, values);
    if (record !== current) work.ledger.updated(this.#entityType, current, record, { action });
    return record;
  };

  /** Writes the same columns of many records, 250 in one statement; `rest` gives changed fields of other tables. */
  readonly updateAll = async <R extends T>(
    work: WriteWork,
    before: readonly R[],
    changes: OwnChanges<Name>,
    rest: (record: R) => Partial<R> = () => ({}),
  ): Promise<readonly R[]> => {
    const all: R[] = [];
    for await (const part of inParts(before, ROWS_PER_UPDATE)) {
      const ids = part.map(({ id }) => id);
      const after = new Map((await this.table.updateAll(work, ids, changes)).map((each) => [each.id, each]));
      for (const record of part) {
        const changed = { ...record, ...after.get(record.id), ...rest(record) };
        work.ledger.updated(this.#entityType, record, changed);
        all.push(changed);
      }
    }
    return all;
  };

  readonly delete = async (work: WriteWork, record: T): Promise<void> => {
    await this.table.deleteById(work, record.id);
    work.ledger.deleted(this.#entityType, record);
  };

  readonly deleteAll = async (work: WriteWork, match: Match<Name>): Promise<void> => {
    for (const record of await this.table.deleteInParts(work, match)) {
      work.ledger.deleted(this.#entityType, record);
    }
  };

  get #what(): string {
    return this.#entityType.replaceAll('_', ' ');
  }

  #taken({ field, message }: UniqueField<Name, T>): DomainError {
    const column: string = this.table.columns[field];
    return taken(
      field,
      message ?? `A ${this.#what} with this ${column.replaceAll('_', ' ')} exists already.`,
    );
  }

  #named(names: string | readonly string[]): Match<Name> {
    return { [this.table.columns[this.#field]]: names } as Match<Name>;
  }

  get #field(): UniqueField<Name, T>['field'] {
    if (this.unique === undefined) throw new Error(`No field of a ${this.#what} is unique`);
    return this.unique.field;
  }

  #found<V>(record: V | undefined): V {
    return found(record, this.#what);
  }
}

/** The record, if there is one; `what` is for example `logical number`. Errors: `not_found`. */
export function found<T>(record: T | undefined, what: string): T {
  if (record === undefined) throw notFound(what);
  return record;
}

/** The record of a list with this id; `what` is for example `logical number`. Errors: `not_found`. */
export async function getFrom<T>(
  list: Pick<List<T>, 'byIds'>,
  work: ReadWork,
  id: number,
  what: string,
): Promise<T> {
  return found((await list.byIds(work, [id])).get(id), what);
}
