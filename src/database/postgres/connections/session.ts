import type { CompiledQuery, QueryResult, Transaction } from 'kysely';
import type { PoolClient, QueryConfig, QueryResult as PgResult } from 'pg';

import { DomainError, isStorageCode, type DomainCode } from '../../../platform/errors.js';
import type { Tables } from '../../../schema/schema.js';
import type { Scope } from '../../database.js';
import {
  LONG_COLUMNS,
  textCounter,
  type StatementEnd,
  type StatementListeners,
  tookTooLong,
} from '../../statements.js';
import { isLostConnection, stateOf, translate } from '../faults.js';
import type { Roles } from '../roles.js';
import { settingsSql, type Answers } from './pool.js';
import { handleOn, type StatementNames } from './statements.js';
import type { Turns } from './turns.js';

export interface Shared {
  readonly names: StatementNames;
  readonly answers: Answers;
  readonly roles: Roles;
  /** Called with each statement of a unit, except its begin and end; its result is called afterwards. */
  readonly onStatement: (sql: string) => StatementEnd | undefined;
  readonly onFault: (code: DomainCode, error: unknown) => void;
  readonly turns: Turns;
  readonly waits: StatementListeners;
  /** Called when a change could not begin, because another node was changing the company. */
  readonly onRefusedTurn: (companyId: number) => void;
}

/** SQLSTATE of a prepared statement that would return other columns than before. */
const CHANGED_COLUMNS = '0A000';

export class Session {
  #failed: Error | null = null;
  #isGivenUp = false;
  /** The settings outside of transactions (null if unknown), and those that the last reading unit needed. */
  #adopted: string | null = null;
  #lastWanted: string | null = null;

  constructor(
    readonly client: PoolClient,
    readonly shared: Shared,
  ) {
    // For a connection that is lost between two statements; without a listener, the process would end.
    client.on('error', (error) => {
      this.#failed ??= error;
    });
  }

  get isBroken(): boolean {
    return this.#failed !== null;
  }

  /** Closes the connection when it is released: its statement still runs, and nothing waits for it. */
  giveUp(): void {
    this.#isGivenUp = true;
    this.#failed ??= new Error('The unit took too long.');
  }

  /** True if the connection has the settings `wanted`: it keeps those that two units in succession need. */
  async adopt(wanted: string): Promise<boolean> {
    const isRepeated = wanted === this.#lastWanted;
    this.#lastWanted = wanted;
    if (wanted === this.#adopted) return true;
    if (!isRepeated) return false;
    // Until the answer arrives, the connection may have either settings.
    this.#adopted = null;
    await this.send(wanted);
    this.#adopted = wanted;
    return true;
  }

  async execute<R>({ sql: text, parameters }: CompiledQuery, isWriting: boolean): Promise<QueryResult<R>> {
    const ended = this.shared.onStatement(text);
    try {
      const name = this.shared.names.of(text);
      const query = { text, values: parameters as unknown[], ...(name === null ? {} : { name }) };
      const { rows, rowCount, command, fields } = await this.send(query);
      if (!isWriting && fields.some((column) => LONG_COLUMNS.has(column.name))) rows.forEach(textCounter());
      ended?.();
      const counted = command === 'SELECT' ? {} : { numAffectedRows: BigInt(rowCount ?? 0) };
      return { rows: rows as R[], ...counted };
    } catch (error) {
      ended?.(error);
      throw error;
    }
  }

  async send(query: QueryConfig | string): Promise<PgResult<object>> {
    try {
      return await this.shared.answers.wait(this.client, this.client.query<object>(query));
    } catch (error) {
      throw this.#explain(error);
    }
  }

  #explain(error: unknown): Error {
    if (isLostConnection(error)) this.#failed ??= error as Error;
    if (stateOf(error) === CHANGED_COLUMNS) this.shared.names.forget();
    const translated = translate(error);
    // The connection of a unit that took too long is closed: no fault of the database.
    const isFault = translated instanceof DomainError && !this.#isGivenUp;
    if (isFault) reportFault(this.shared, translated.code, error);
    return translated;
  }
}

/** Reports a fault of the database; errors of a single request are none. */
export function reportFault({ answers, onFault }: Shared, code: DomainCode, error: unknown): void {
  if (!isStorageCode(code)) return;
  answers.note(error);
  onFault(code, error);
}

/** First key of the advisory locks of companies that write, and of no other locks; the second is the id. */
const WRITERS = 0x5447;
const LOCK_MS = 4_000;
/** SQLSTATE of a lock that was not free in time. */
const NOT_FREE = '55P03';

/** SQLSTATE of statements in a transaction of which an earlier one has failed. */
const ABORTED = '25P02';

/** Locks companies in ascending order, like all units, so that no two wait for each other. 0 is above companies. */
const locksOf = (companyIds: readonly number[]): readonly string[] =>
  companyIds
    .toSorted((one, other) => one - other)
    .map((companyId) => `select pg_advisory_xact_lock(${WRITERS}, ${companyId})`);

/** The statements of one unit. After its end they are refused: its connection serves other units. */
export class Unit {
  readonly db: Transaction<Tables> = handleOn((query) => this.#execute(query));
  /** Runs each query as the system, and nothing else meanwhile: the connection keeps the order of what is sent. */
  readonly everywhere = (): Transaction<Tables> =>
    handleOn(async <R>(query: CompiledQuery) => {
      const entered = this.change(null);
      const result = this.#execute<R>(query);
      const left = this.change(this.scope);
      // After an error, the transaction ends, and its rights with it: the error of the query comes first.
      await Promise.allSettled([result, entered, left]);
      const found = await result;
      await Promise.all([entered, left]);
      return found;
    });
  #isOpen = true;
  #isWriting = false;
  #beginError: unknown;
  /** Rejects at the deadline of the unit; null without one. */
  #late: PromiseWithResolvers<never> | null = null;
  #lateError: Error | null = null;

  constructor(
    private readonly session: Session,
    readonly scope: Scope,
    private readonly statementMs: number,
  ) {}

  /** A transaction with the lock of a company, rolled back if `use` rejects. Errors: also a refused commit. */
  async write<T>(lock: number, use: (db: Transaction<Tables>) => Promise<T>): Promise<T> {
    this.#isWriting = true;
    try {
      await this.#begin(lock);
      const result = await use(this.db);
      this.#isOpen = false;
      const { command } = await this.session.shared.waits.during('commit', () => this.session.send('commit'));
      // PostgreSQL answers COMMIT with ROLLBACK if a statement of the transaction had failed.
      if (command !== 'COMMIT') throw new Error('The transaction was rolled back.');
      return result;
    } catch (error) {
      this.#isOpen = false;
      // After a lock timeout, too, the connection is in a failed transaction, and the next unit could not begin.
      await this.session.send('rollback').catch(() => undefined);
      throw error;
    }
  }

  async #begin(lock: number): Promise<void> {
    const { onRefusedTurn, turns, waits } = this.session.shared;
    const statements = ['begin', settingsSql(this.#settings, true), ...locksOf([lock])];
    const ended = turns.wait(lock);
    try {
      await waits.during('company', () => this.session.send(statements.join('; ')));
    } catch (error) {
      if (error instanceof DomainError && stateOf(error.details.cause) === NOT_FREE) onRefusedTurn(lock);
      throw error;
    } finally {
      ended();
    }
  }

  /**
   * Runs a transaction that only reads. Does not wait for the answers to its begin, whose error the next statement
   * reports, and to its end, but after an error: a statement that was to be prepared does not exist then, and the
   * next unit must not use its name.
   */
  async read<T>(use: (db: Transaction<Tables>) => Promise<T>): Promise<T> {
    const isSet = await this.session.adopt(settingsSql(this.#settings, false));
    const begin = 'begin isolation level repeatable read read only';
    const own = isSet ? '' : `; ${settingsSql(this.#settings, true)}`;
    this.session.send(`${begin}${own}`).catch((error: unknown) => (this.#beginError = error));
    let isFailed = true;
    try {
      const result = await use(this.db);
      isFailed = false;
      return result;
    } finally {
      this.#isOpen = false;
      const ended = this.session.send('rollback').catch(() => undefined);
      if (isFailed && !this.session.isBroken) await ended;
    }
  }

  /**
   * Reads until the deadline. It then rejects with it, and so do all statements, also one that still runs: several reads
   * may share a unit, and each of them reports its own error.
   */
  async readUntil<T>(deadlineMs: number, use: (db: Transaction<Tables>) => Promise<T>): Promise<T> {
    const late = (this.#late = Promise.withResolvers<never>());
    late.promise.catch(() => undefined);
    const timer = setTimeout(() => {
      this.session.giveUp();
      this.#lateError = tookTooLong();
      late.reject(this.#lateError);
    }, deadlineMs);
    try {
      return await this.read((db) => Promise.race([use(db), late.promise]));
    } finally {
      clearTimeout(timer);
    }
  }

  async change(scope: Scope): Promise<void> {
    this.#requireOpen();
    await this.session.send(settingsSql(this.#rights(scope), true));
  }

  async lock(companyIds: readonly number[]): Promise<void> {
    if (companyIds.length > 0) await this.session.send(locksOf(companyIds).join('; '));
  }

  #requireOpen(): void {
    if (!this.#isOpen) throw this.#lateError ?? new Error('The unit of work has ended.');
  }

  get #settings(): Readonly<Record<string, string | number>> {
    return { ...this.#rights(this.scope), statement_timeout: this.statementMs, lock_timeout: LOCK_MS };
  }

  #rights(scope: Scope): Readonly<Record<string, string | number>> {
    const { company, system } = this.session.shared.roles;
    return { role: scope === null ? system : company, 'app.company_id': scope ?? '' };
  }

  async #execute<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    this.#requireOpen();
    try {
      const result = this.session.execute<R>(query, this.#isWriting);
      return await (this.#late === null ? result : Promise.race([result, this.#late.promise]));
    } catch (error) {
      throw stateOf(error) === ABORTED ? (this.#beginError ?? error) : error;
    }
  }
}
