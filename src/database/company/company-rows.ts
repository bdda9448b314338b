/** Statements on a table whose rows belong to companies. All of them see only the company of the unit of work. */
import { sql, type Insertable, type RawBuilder } from 'kysely';

import type { Caller } from '../../platform/caller.js';
import { yieldToEventLoop } from '../../platform/concurrency/event-loop.js';
import { offsetOf, type PageRequest } from '../../platform/requests.js';
import { columnNames, type Row, type Tables, type Written } from '../../schema/schema.js';
import { boundList, inList } from '../bound-lists.js';
import { drawIds, DRAWING_TABLES, insertDrawing, NUMBERED_TABLES } from '../counters.js';
import { insertRows, NO_ENDING, runCached, type Ending } from '../statements.js';
import { hiddenFromPlanner, textOf } from '../storage.js';
import { MANY_ROWS, type SystemReadWork, type SystemWriteWork } from '../work.js';

/** A unit of work of one company: that of its caller, or the one given to `inCompany`. */
export type OfCompany<Work> = Work & { readonly caller: Pick<Caller, 'companyId'> };
type ReadWork = OfCompany<SystemReadWork>;
type WriteWork = OfCompany<SystemWriteWork>;

/** A system unit of work, restricted to one company. */
export function inCompany<Work extends SystemReadWork>(work: Work, companyId: number): OfCompany<Work> {
  return { ...work, caller: { companyId } };
}

/** Rows per INSERT: more would hold the event loop for too long. */
const ROWS_PER_INSERT = 200;
/** Rows per DELETE, for the same reason. */
const ROWS_PER_DELETE = 250;

const RETURNING_ID: Ending = { name: 'returning id', sql: sql`returning id` };

/** Names of the tables that have a `company_id` which is never null. */
export type CompanyTableName = {
  [Name in keyof Tables]: Tables[Name] extends { company_id: number } ? Name : never;
}[keyof Tables];

/** Conditions joined by AND, for example `{ app_id: 7, number: ['1.0', '1.1'] }`. An array means "one of these". */
export type Match<Name extends CompanyTableName> = {
  readonly [Column in Exclude<keyof Tables[Name], 'company_id'>]?:
    | Written<Tables[Name]>[Column]
    | readonly Written<Tables[Name]>[Column][];
};

/** Columns of a new row, without the id, which is drawn. */
export type NewRow<Name extends CompanyTableName> = Omit<Insertable<Tables[Name]>, 'company_id' | 'id'>;

/** New values of columns, or SQL expressions that compute them. */
export type Changes<Name extends CompanyTableName> = {
  readonly [Column in Exclude<keyof Tables[Name], 'company_id' | 'id'>]?:
    | Written<Tables[Name]>[Column]
    | RawBuilder<Written<Tables[Name]>[Column]>;
};

export interface Selection<Name extends CompanyTableName> {
  /** Columns to order by, ascending. Without them the order is undefined. */
  readonly orderBy?: readonly (string & keyof Tables[Name])[];
  readonly page?: PageRequest;
}

export class CompanyRows<Name extends CompanyTableName> {
  /** SQL of all columns: `*` would fail in prepared statements of PostgreSQL when another node adds a column. */
  readonly #columns: RawBuilder<unknown>;

  constructor(readonly table: Name) {
    this.#columns = sql.join(columnNames(table).map((name) => sql.ref(name)));
  }

  async select(work: ReadWork, match: Match<Name>, selection: Selection<Name> = {}): Promise<Row<Name>[]> {
    const { orderBy = [], page } = selection;
    if (page !== undefined && offsetOf(page) > MANY_ROWS) work.moveToThread?.();
    const range = page === undefined ? [] : [page.perPage, offsetOf(page)];
    return await this.#run(work, `select ${orderBy.join()} ${range.length}`, match, range, (matching) => {
      const order =
        orderBy.length === 0 ? sql`` : sql`order by ${sql.join(orderBy.map((name) => sql.ref(name)))}`;
      const limit =
        page === undefined
          ? sql``
          : sql`limit ${hiddenFromPlanner(page.perPage)} offset ${hiddenFromPlanner(offsetOf(page))}`;
      return sql`select ${this.#columns} from ${matching} ${order} ${limit}`;
    });
  }

  async find(work: ReadWork, match: Match<Name>): Promise<Row<Name> | undefined> {
    return (await this.select(work, match))[0];
  }

  async exists(work: ReadWork, match: Match<Name>): Promise<boolean> {
    const rows = await this.#run(
      work,
      'exists',
      match,
      [],
      (matching) => sql`select 1 from ${matching} limit 1`,
    );
    return rows.length > 0;
  }

  async count(work: ReadWork, match: Match<Name>): Promise<number> {
    if (work.moveToThread !== undefined) {
      const most = MANY_ROWS + 1;
      const few = await this.#total(work, 'count few', match, [most], (matching) => {
        return sql`select count(*) as total from (select 1 from ${matching} limit ${most}) as few`;
      });
      if (few < most) return few;
      work.moveToThread();
    }
    const count = (matching: RawBuilder<unknown>) => sql`select count(*) as total from ${matching}`;
    return await this.#total(work, 'count', match, [], count);
  }

  async #total(
    work: ReadWork,
    name: string,
    match: Match<Name>,
    more: readonly unknown[],
    build: (matching: RawBuilder<unknown>) => RawBuilder<unknown>,
  ): Promise<number> {
    return (await this.#run<{ total: number }>(work, name, match, more, build))[0]?.total ?? 0;
  }

  /** Runs a query on the matching rows, compiled once for each combination of columns. */
  #run<R = Row<Name>>(
    work: ReadWork,
    name: string,
    match: Match<Name>,
    more: readonly unknown[],
    build: (matching: RawBuilder<unknown>) => RawBuilder<unknown>,
  ): Promise<R[]> {
    const entries = entriesOf(match);
    const conditions = entries.map(([column, value]) => `${column} ${kindOf(value)}`);
    const shape = [this.table, name, ...conditions].join('|');
    const values = entries.flatMap(([, value]) => boundValues(value));
    const parameters = [work.caller.companyId, ...values, ...more];
    return runCached(work.db, shape, parameters, () => build(this.#matching(work, match)));
  }

  /** Inserts 200 rows per statement, and lets other work run in between, like the other inserts. */
  async insert(work: WriteWork, rows: readonly NewRow<Name>[]): Promise<void> {
    await this.#insert(work, rows);
  }

  /** Returns the new ids in undefined order. */
  async insertReturningIds(work: WriteWork, rows: readonly NewRow<Name>[]): Promise<number[]> {
    return (await this.#insert<{ id: number }>(work, rows, RETURNING_ID)).map(({ id }) => id);
  }

  /** Returns new rows in undefined order. `onConflict` changes an existing row with the `key`, from `excluded`. */
  async insertReturning(
    work: WriteWork,
    rows: readonly NewRow<Name>[],
    onConflict?: { readonly key: readonly string[]; readonly changes: Changes<Name> },
  ): Promise<Row<Name>[]> {
    const clause = onConflict === undefined ? sql`` : conflictClause(onConflict);
    const name = onConflict === undefined ? 'returning all' : null;
    return await this.#insert(work, rows, { name, sql: sql`${clause} returning ${this.#columns}` });
  }

  /**
   * Sets `columns` of each row to its own values; other columns must be given, but are not changed. Returns the rows
   * in undefined order. As an INSERT in which each row conflicts, the statement knows the types of its values.
   */
  async updateEach(
    work: WriteWork,
    rows: readonly Omit<Written<Tables[Name]>, 'company_id'>[],
    columns: readonly (string & keyof Tables[Name])[],
  ): Promise<Row<Name>[]> {
    const changes = Object.fromEntries(columns.map((name) => [name, sql.ref(`excluded.${name}`)]));
    const clause = conflictClause({ key: ['id'], changes });
    return await this.#insert(work, rows, { name: null, sql: sql`${clause} returning ${this.#columns}` });
  }

  async #insert<R>(work: WriteWork, rows: readonly object[], ending = NO_ENDING): Promise<R[]> {
    const [only, ...others] = rows;
    if (only !== undefined && others.length === 0 && ending.name !== null && DRAWING_TABLES.has(this.table)) {
      const { companyId } = work.caller;
      const row = { ...only, company_id: companyId };
      return await insertDrawing<R>(work.db, { table: this.table, number: 'id', companyId }, row, ending);
    }
    const numbered = await this.#numbered(work, rows);
    const returned: R[][] = [];
    for (let start = 0; start < numbered.length; start += ROWS_PER_INSERT) {
      if (start > 0) await yieldToEventLoop();
      const part = numbered.slice(start, start + ROWS_PER_INSERT);
      const owned = part.map((row) => ({ ...row, company_id: work.caller.companyId }));
      returned.push(await insertRows<R>(work.db, this.table, owned, ending));
    }
    return returned.flat();
  }

  async #numbered(work: WriteWork, rows: readonly object[]): Promise<readonly object[]> {
    const [first] = rows;
    if (first === undefined || 'id' in first || !NUMBERED_TABLES.has(this.table)) return rows;
    const { companyId } = work.caller;
    const drawn = await drawIds(work.db, this.table, [{ companyId, count: rows.length }]);
    const id = drawn.get(companyId) ?? 0;
    return rows.map((row, index) => ({ id: id + index, ...row }));
  }

  /** Returns the changed rows. */
  async update(work: WriteWork, match: Match<Name>, changes: Changes<Name>): Promise<Row<Name>[]> {
    const { rows } = await sql<Row<Name>>`update ${sql.table(this.table)} set ${assignments(changes)}
      where ${ownedAnd(work.caller, match)} returning ${this.#columns}`.execute(work.db);
    return rows;
  }

  /** Returns the deleted rows. */
  async delete(work: WriteWork, match: Match<Name>): Promise<Row<Name>[]> {
    const matching = this.#matching(work, match);
    return (await sql<Row<Name>>`delete from ${matching} returning ${this.#columns}`.execute(work.db)).rows;
  }

  /** Deletes the matching rows, 250 per statement, and lets other work run in between. Returns the rows. */
  async deleteInParts(work: WriteWork, match: Match<Name>): Promise<Row<Name>[]> {
    const deleted: Row<Name>[] = [];
    for (;;) {
      const { rows } = await sql<Row<Name>>`delete from ${sql.table(this.table)}
        where company_id = ${work.caller.companyId}
          and id in (select id from ${this.#matching(work, match)} limit ${ROWS_PER_DELETE})
        returning ${this.#columns}`.execute(work.db);
      deleted.push(...rows);
      if (rows.length < ROWS_PER_DELETE) return deleted;
      await yieldToEventLoop();
    }
  }

  /** Sum of the bytes of a column in the matching rows. */
  async bytesOf(work: ReadWork, match: Match<Name>, column: string & keyof Tables[Name]): Promise<number> {
    const bytes = sql`coalesce(sum(octet_length(${textOf(column)})), 0)`;
    return await this.#total(work, `bytes of ${column}`, match, [], (matching) => {
      return sql`select ${bytes} as total from ${matching}`;
    });
  }

  #matching(work: ReadWork, match: Match<Name>): RawBuilder<unknown> {
    return sql`${sql.table(this.table)} where ${ownedAnd(work.caller, match)}`;
  }
}

/** The only place where rows of a company's table are restricted to the caller's company. */
function ownedAnd({ companyId }: Pick<Caller, 'companyId'>, match: object): RawBuilder<unknown> {
  const conditions = entriesOf(match).map(([column, value]) => conditionOf(sql.ref(column), value));
  return sql.join([sql`company_id = ${hiddenFromPlanner(companyId)}`, ...conditions], sql` and `);
}

function conditionOf(column: RawBuilder<unknown>, value: unknown): RawBuilder<unknown> {
  switch (kindOf(value)) {
    case 'null':
      return sql`${column} is null`;
    case 'value':
      return sql`${column} = ${hiddenFromPlanner(value)}`;
    case 'nothing':
      return sql`1 = 0`;
    case 'ids':
      return sql`${column} ${inList('integer', value as readonly unknown[])}`;
    case 'texts':
      return sql`${column} ${inList('text', value as readonly unknown[])}`;
  }
}

/** Form of a condition. `nothing` is an empty list, which no row matches. */
type Kind = 'null' | 'value' | 'nothing' | 'ids' | 'texts';

function kindOf(value: unknown): Kind {
  if (value === null) return 'null';
  if (!Array.isArray(value)) return 'value';
  switch (typeof value[0]) {
    case 'undefined':
      return 'nothing';
    case 'number':
      return 'ids';
    case 'string':
      return 'texts';
    default:
      throw new Error('Rows are not selected by lists of such values');
  }
}

/** The values that `conditionOf` binds. A list is one value, a JSON text. */
function boundValues(value: unknown): readonly unknown[] {
  const kind = kindOf(value);
  if (kind === 'null' || kind === 'nothing') return [];
  return [kind === 'value' ? value : boundList(value as readonly unknown[])];
}

function entriesOf(object: object): [string, unknown][] {
  return Object.entries(object) as [string, unknown][];
}

function assignments(changes: object): RawBuilder<unknown> {
  return sql.join(entriesOf(changes).map(([column, value]) => sql`${sql.ref(column)} = ${value}`));
}

function conflictClause({ key, changes }: { key: readonly string[]; changes: object }): RawBuilder<unknown> {
  return sql`on conflict (${sql.join(['company_id', ...key].map((column) => sql.ref(column)))})
    do update set ${assignments(changes)}`;
}

/** The only row of a result. Errors: an `Error` if there is none. */
export function only<T>([row]: readonly T[]): T {
  if (row === undefined) throw new Error('The statement returned no row: the record does not exist any more');
  return row;
}
