import type { Kysely, Selectable, Transaction } from 'kysely';

import { offsetOf, type PageRequest } from '../platform/page.js';
import type { OwnedRecord, Owner } from '../resources/owner/owner.model.js';
import { changedBy, createdBy } from './audit.js';
import type { MetacontentsTable, Tables } from './tables.js';
import type { ReadWork, WriteWork } from './work.js';

type OwnedTableName = 'parameters' | 'metacontents';

/** What the tables have in common; a column that one of them lacks stays undefined there. */
interface OwnedTable extends MetacontentsTable {
  description?: string | null;
}

export type OwnedRow = Selectable<OwnedTable>;
export type OwnedValueColumns = Pick<OwnedTable, 'key' | 'value' | 'description'>;

interface OwnedTables extends Omit<Tables, OwnedTableName> {
  parameters: OwnedTable;
  metacontents: OwnedTable;
}

const tablesOf = (work: ReadWork): Kysely<OwnedTables> =>
  work.db.$omitTables<OwnedTableName>().$extendTables<Pick<OwnedTables, OwnedTableName>>();
const writableTablesOf = (work: WriteWork): Transaction<OwnedTables> =>
  work.db.$omitTables<OwnedTableName>().$extendTables<Pick<OwnedTables, OwnedTableName>>();

/** The rows of a table whose every record belongs to a logical number or to a group. */
export class OwnedRows<R extends OwnedRecord, Values> {
  constructor(
    private readonly table: OwnedTableName,
    private readonly recordOf: (row: OwnedRow) => R,
    private readonly columnsOf: (values: Values) => OwnedValueColumns,
  ) {}

  async find(work: ReadWork, owner: Owner, id: number): Promise<R | undefined> {
    const row = await this.#of(work, owner).selectAll().where('id', '=', id).executeTakeFirst();
    return row && this.recordOf(row);
  }

  /** Whoever owns it. */
  async findById(work: ReadWork, id: number): Promise<R | undefined> {
    const row = await tablesOf(work)
      .selectFrom(this.table)
      .selectAll()
      .where('company_id', '=', work.caller.companyId)
      .where('id', '=', id)
      .executeTakeFirst();
    return row && this.recordOf(row);
  }

  async findByKey(work: ReadWork, owner: Owner, key: string): Promise<R | undefined> {
    const row = await this.#of(work, owner).selectAll().where('key', '=', key).executeTakeFirst();
    return row && this.recordOf(row);
  }

  async count(work: ReadWork, owner: Owner): Promise<number> {
    const row = await this.#of(work, owner)
      .select((query) => query.fn.countAll<number>().as('total'))
      .executeTakeFirstOrThrow();
    return row.total;
  }

  /** Ascending by id. */
  async select(work: ReadWork, owner: Owner, page: PageRequest): Promise<R[]> {
    const rows = await this.#of(work, owner)
      .selectAll()
      .orderBy('id')
      .limit(page.perPage)
      .offset(offsetOf(page))
      .execute();
    return rows.map(this.recordOf);
  }

  async insert(work: WriteWork, owner: Owner, values: Values): Promise<R> {
    const row = await writableTablesOf(work)
      .insertInto(this.table)
      .values({
        company_id: work.caller.companyId,
        group_id: owner.groupId,
        logical_number_id: owner.logicalNumberId,
        ...this.columnsOf(values),
        ...createdBy(work),
      })
      .returningAll()
      .executeTakeFirstOrThrow();
    return this.recordOf(row);
  }

  async update(work: WriteWork, current: R, values: Values): Promise<R> {
    const row = await writableTablesOf(work)
      .updateTable(this.table)
      .set({ ...this.columnsOf(values), ...changedBy(work, current) })
      .where('company_id', '=', work.caller.companyId)
      .where('id', '=', current.id)
      .returningAll()
      .executeTakeFirstOrThrow();
    return this.recordOf(row);
  }

  async delete(work: WriteWork, id: number): Promise<void> {
    await writableTablesOf(work)
      .deleteFrom(this.table)
      .where('company_id', '=', work.caller.companyId)
      .where('id', '=', id)
      .execute();
  }

  /** Answers what was there, in one statement. */
  async deleteAllOf(work: WriteWork, owner: Owner): Promise<R[]> {
    const [column, id] = ownerColumn(owner);
    const rows = await writableTablesOf(work)
      .deleteFrom(this.table)
      .where('company_id', '=', work.caller.companyId)
      .where(column, '=', id)
      .returningAll()
      .execute();
    return rows.map(this.recordOf);
  }

  #of(work: ReadWork, owner: Owner) {
    const [column, id] = ownerColumn(owner);
    return tablesOf(work)
      .selectFrom(this.table)
      .where('company_id', '=', work.caller.companyId)
      .where(column, '=', id);
  }
}

function ownerColumn(owner: Owner): ['group_id' | 'logical_number_id', number] {
  return owner.groupId === null ? ['logical_number_id', owner.logicalNumberId] : ['group_id', owner.groupId];
}
