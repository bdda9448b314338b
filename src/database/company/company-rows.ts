/** Statements on a table whose rows belong to companies. All of them see only the company of the unit of work. */
import { sql, type Insertable } from 'kysely';

import { inParts, yieldToEventLoop } from '../../platform/concurrency/event-loop.js';
import { type Caller, offsetOf, type PageRequest } from '../../platform/requests.js';
import { columnNames, type Row, type Tables, type Written } from '../../schema/schema.js';
import {
  drawIds,
  DRAWING_TABLES,
  insertDrawing,
  NUMBERED_TABLES,
  insertRows,
  NO_ENDING,
  runCached,
  type Ending,
} from '../statements.js';
import { boundList, inList, hiddenFromPlanner, textOf, type Sql } from '../storage.js';
import type { CompanyWriteWork, ReadDatabase, SystemReadWork, SystemWriteWork } from '../work.js';

/** A unit of work of one company: that of its caller, or the one given to `inCompany`. */
export type OfCompany<Work> = Work & { readonly caller: Pick<Caller, 'companyId'> };
type ReadWork = OfCompany<SystemReadWork>;
type WriteWork = OfCompany<SystemWriteWork>;

export function inCompany<Work extends SystemReadWork>(work: Work, companyId: number): OfCompany<Work> {
  return { ...work, caller: { companyId } };
}

/** The unit with a handle whose queries no policy of PostgreSQL changes: each must compare the company itself. */
export const everywhere = <Work extends SystemReadWork>(
  work: Work,
): Work & { readonly db: ReadDatabase } => ({
  ...work,
  db: work.everywhere(),
});

/** Rows that a read may examine in the event loop; one of more is a search (decisions.md#many-rows). */
export const MANY_ROWS = 5_000;

/** More rows than any table has. */
export const UNLIMITED = 2 ** 40;

/** Rows that a unit may examine. */
export const mostRows = ({ examines }: Pick<ReadWork, 'examines'>): number =>
  examines === true ? UNLIMITED : MANY_ROWS;

/** Rows per statement: more would hold the event loop for too long. */
const ROWS_PER_INSERT = 200;
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
    | Sql<Written<Tables[Name]>[Column]>;
};

interface Selection<Name extends CompanyTableName> {
  /** Columns to order by, ascending. Without them the order is undefined. */
  readonly orderBy?: readonly (string & keyof Tables[Name])[];
  readonly page?: PageRequest;
}

export class CompanyRows<Name extends CompanyTableName> {
  /** SQL of all columns: `*` would fail in prepared statements of PostgreSQL when another node adds a column. */
  readonly #columns: Sql;

  constructor(readonly table: Name) {
    this.#columns = sql.join(columnNames(table).map((name) => sql.ref(name)));
  }

  async select(work: ReadWork, match: Match<Name>, selection: Selection<Name> = {}): Promise<Row<Name>[]> {
    const { orderBy = [], page } = selection;
    const range = page === undefined ? [] : [page.perPage, offsetOf(page)];
    return await this.#run(work, `select ${orderBy.join()} ${range.length}`, match, range, (matching) => {
      const columns = orderBy.map((name) => sql.ref(name));
      const order = columns.length === 0 ? sql`` : sql`order by ${sql.join(columns)}`;
      const [limit, offset] = range.map(hiddenFromPlanner);
      const part = limit === undefined ? sql`` : sql`limit ${limit} offset ${offset}`;
      return sql`select ${this.#columns} from ${matching} ${order} ${part}`;
    });
  }

  async find(work: ReadWork, match: Match<Name>): Promise<Row<Name> | undefined> {
    return (await this.select(work, match))[0];
  }

  async exists(work: ReadWork, match: Match<Name>): Promise<boolean> {
    const first = (matching: Sql) => sql`select 1 from ${matching} limit 1`;
    return (await this.#run(work, 'exists', match, [], first)).length > 0;
  }

  /** Number of the matching rows, up to `most`; no more are read. */
  async count(work: ReadWork, match: Match<Name>, most = UNLIMITED): Promise<number> {
    const count = (matching: Sql) =>
      sql`select count(*) as total from (select 1 from ${matching} limit ${most}) as found`;
    return await this.#total(work, 'count', match, [most], count);
  }

  async #total(
    work: ReadWork,
    name: string,
    match: Match<Name>,
    more: readonly unknown[],
    build: (matching: Sql) => Sql,
  ): Promise<number> {
    return (await this.#run<{ total: number }>(work, name, match, more, build))[0]?.total ?? 0;
  }

  /** Runs a query on the matching rows, compiled once for each combination of columns. */
  #run<R = Row<Name>>(
    work: ReadWork,
    name: string,
    match: Match<Name>,
    more: readonly unknown[],
    build: (matching: Sql) => Sql,
  ): Promise<R[]> {
    const shape = [this.table, name];
    const values: unknown[] = [work.caller.companyId];
    for (const entry of entriesOf(match)) {
      const condition = conditionOf(entry);
      shape.push(`${entry[0]} ${condition.form}`);
      values.push(...condition.values);
    }
    return runCached(work.db, shape.join('|'), [...values, ...more], () =>
      build(this.#matching(work, match)),
    );
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
    onConflict?: { readonly key: readonly string[]; readonly changes: object },
  ): Promise<Row<Name>[]> {
    const clause = onConflict === undefined ? sql`` : conflictClause(onConflict);
    const name = onConflict === undefined ? 'returning all' : null;
    return await this.#insert(work, rows, { name, sql: sql`${clause} returning ${this.#columns}` });
  }

  async #insert<R>(work: WriteWork, rows: readonly object[], ending = NO_ENDING): Promise<R[]> {
    const [only, ...others] = rows;
    if (only !== undefined && others.length === 0 && ending.name !== null && DRAWING_TABLES.has(this.table)) {
      const { companyId } = work.caller;
      const row = { ...only, company_id: companyId };
      return await insertDrawing<R>(work.db, { table: this.table, number: 'id', companyId }, row, ending);
    }
    const returned: R[][] = [];
    for await (const part of inParts(await this.#numbered(work, rows), ROWS_PER_INSERT)) {
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

  async update(work: WriteWork, match: Match<Name>, changes: Changes<Name>): Promise<Row<Name>[]> {
    const { rows } = await sql<Row<Name>>`update ${sql.table(this.table)} set ${assignments(changes)}
      where ${ownedAnd(work.caller, match)} returning ${this.#columns}`.execute(work.db);
    return rows;
  }

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

  #matching(work: ReadWork, match: Match<Name>): Sql {
    return sql`${sql.table(this.table)} where ${ownedAnd(work.caller, match)}`;
  }
}

/** The only place where rows of a company's table are restricted to the caller's company. */
function ownedAnd({ companyId }: Pick<Caller, 'companyId'>, match: object): Sql {
  const conditions = entriesOf(match).map((entry) => conditionOf(entry).sql());
  return sql.join([sql`company_id = ${hiddenFromPlanner(companyId)}`, ...conditions], sql` and `);
}

/** A condition: its form, the values that it binds (a list is one, a JSON text) and its SQL. */
function conditionOf([name, value]: readonly [string, unknown]) {
  const column = sql.ref(name);
  if (value === null) return { form: 'null', values: [], sql: () => sql`${column} is null` };
  if (!Array.isArray(value)) {
    return { form: 'value', values: [value], sql: () => sql`${column} = ${hiddenFromPlanner(value)}` };
  }
  const list: readonly unknown[] = value;
  if (list.length === 0) return { form: 'nothing', values: [], sql: () => sql`1 = 0` };
  const form = typeof list[0] === 'number' ? 'integer' : 'text';
  return { form, values: [boundList(list)], sql: () => sql`${column} ${inList(form, list)}` };
}

const entriesOf = (object: object): [string, unknown][] => Object.entries(object);

/** Sets columns to the values of the row to insert, for `insertReturning`. */
export const excluded = (columns: readonly string[]): object =>
  Object.fromEntries(columns.map((name) => [name, sql.ref(`excluded.${name}`)]));

function assignments(changes: object): Sql {
  return sql.join(entriesOf(changes).map(([column, value]) => sql`${sql.ref(column)} = ${value}`));
}

function conflictClause({ key, changes }: { key: readonly string[]; changes: object }): Sql {
  return sql`on conflict (${sql.join(['company_id', ...key].map((column) => sql.ref(column)))})
    do update set ${assignments(changes)}`;
}

/** The only row of a result. Errors: an `Error` if there is none. */
export function only<T>([row]: readonly T[]): T {
  if (row === undefined) throw new Error('The statement returned no row: the record does not exist any more');
  return row;
}

/** Draws the position of a change among all changes of the company that `name` counts in `counters`. */
export async function drawPosition({ db, caller }: WriteWork, name: string): Promise<number> {
  const { companyId } = caller;
  return (await drawIds(db, name, [{ companyId, count: 1 }])).get(companyId) ?? 0;
}

/**
 * The only way to run SQL written by hand in a repository. The statement must itself compare `company_id` with
 * `companyId` in every company table that it names. `test/database/special-sql.test.ts` counts the uses.
 */
export function specialSql<Db extends ReadDatabase>(
  work: { readonly db: Db } & Pick<CompanyWriteWork, 'caller'>,
): { readonly db: Db; readonly companyId: number };
export function specialSql<Db extends ReadDatabase>(work: { readonly db: Db }): { readonly db: Db };
export function specialSql({
  db,
  caller,
}: Pick<ReadWork, 'db'> & Partial<Pick<CompanyWriteWork, 'caller'>>): object {
  return caller === undefined ? { db } : { db, companyId: caller.companyId };
}
