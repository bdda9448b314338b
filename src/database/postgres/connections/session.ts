import type { CompiledQuery, DatabaseConnection, QueryResult, Transaction } from 'kysely';
import type { PoolClient, QueryConfig } from 'pg';

import { DomainError, type DomainCode } from '../../../platform/errors.js';
import type { Tables } from '../../../schema/schema.js';
import type { Scope } from '../../database.js';
import type { StatementEnd } from '../../statements/statement-listener.js';
import { isLostConnection, isStorageFault, stateOf, translate } from '../faults.js';
import type { Roles } from '../roles.js';
import type { Answers } from './answers.js';
import { handleOf } from './handles.js';
import { PreparedStatements, type StatementNames } from './statement-names.js';
import { lastingSettingsOf, lockOf, scopeSettings, settingsOf, type UnitSettings } from './unit-settings.js';

/** Callbacks for the events of a connection. */
export interface Watcher {
  /**
   * Called with each statement, except those that begin and end transactions. Its result is called at the
   * end.
   */
  onStatement(sql: string): StatementEnd | undefined;
  /** Called when the database failed or cannot be reached. */
  onFault(code: DomainCode, error: unknown): void;
}

/** Maximum length of all texts in the rows of one statement outside a write transaction. */
const MAX_BYTES_READ = 32 * 1024 * 1024;
/** Columns whose values may be long; a few thousand rows of them may not fit into memory. */
const LONG_COLUMNS = new Set(['value', 'before', 'after', 'sent', 'received']);

/** SQLSTATE of statements in a transaction of which an earlier one has failed. */
const ABORTED = '25P02';
/** SQLSTATE of a prepared statement that would return other columns than before. */
const CHANGED_COLUMNS = '0A000';

/** One connection to PostgreSQL. */
export class Session {
  #failed: Error | null = null;
  #isWriting = false;
  #beginError: Error | null = null;
  /** Whether a read transaction is open. */
  #isRead = false;
  /** The settings outside of transactions (null if unknown), and those that the last reading unit needed. */
  #adopted: string | null = null;
  #lastWanted: string | null = null;
  readonly #prepared = new PreparedStatements();

  constructor(
    readonly client: PoolClient,
    private readonly names: StatementNames,
    private readonly watcher: Watcher,
    private readonly answers: Answers,
    private readonly roles: Roles,
  ) {
    // For a connection that is lost between two statements; without a listener, the process would end.
    client.on('error', (error) => {
      this.#failed ??= error;
    });
  }

  /** Whether the connection must not be used again. */
  get isBroken(): boolean {
    return this.#failed !== null;
  }

  /**
   * Closes the connection when it is released: its statement still runs, but nothing waits for it any more.
   */
  giveUp(): void {
    this.#failed ??= new Error('The unit took too long.');
  }

  /** A handle for one unit of work. */
  unit(settings: UnitSettings): Unit {
    return new Unit(this, settings);
  }

  /**
   * Begins a read transaction without waiting for the answer; the next statement reports its error. A single
   * statement needs no transaction if the connection has its settings.
   */
  async beginRead(settings: UnitSettings, isSingle = false): Promise<void> {
    this.#isWriting = false;
    this.#beginError = null;
    const isSet = await this.#adopt(settings);
    this.#isRead = !(isSingle && isSet);
    if (!this.#isRead) return;
    const own = isSet ? '' : `; ${settingsOf(settings, this.roles)}`;
    this.#send(`begin isolation level repeatable read read only${own}`).catch((error: unknown) => {
      this.#beginError = error as Error;
    });
  }

  /** Ends a read transaction without waiting. */
  endRead(): void {
    if (this.#isRead) this.#rollback();
    this.#isRead = false;
  }

  /** Does not wait for the answer. */
  #rollback(): void {
    void this.#send('rollback').catch(() => undefined);
  }

  /**
   * Whether the connection has these settings outside of transactions. It gets them when two units in
   * succession need the same ones: with few companies, units then need no statement for their settings.
   */
  async #adopt(settings: UnitSettings): Promise<boolean> {
    const wanted = lastingSettingsOf(settings, this.roles);
    const isRepeated = wanted === this.#lastWanted;
    this.#lastWanted = wanted;
    if (wanted === this.#adopted) return true;
    if (!isRepeated) return false;
    // Until the answer arrives, the connection may have either settings.
    this.#adopted = null;
    await this.#send(wanted);
    this.#adopted = wanted;
    return true;
  }

  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    const ended = this.watcher.onStatement(sql);
    try {
      const result = await this.#execute<R>(sql, parameters);
      ended?.();
      return result;
    } catch (error) {
      ended?.(error);
      throw error;
    }
  }

  async #execute<R>(sql: string, parameters: readonly unknown[]): Promise<QueryResult<R>> {
    const query: QueryConfig = { text: sql, values: parameters as unknown[] };
    const send = (name: string | null) => this.#send<R>(name === null ? query : { ...query, name });
    const { rows, rowCount, command, fields } = await this.names.use(sql, (name) =>
      name === null ? send(null) : this.#prepared.use(name, send),
    );
    if (!this.#isWriting && fields.some(({ name: column }) => LONG_COLUMNS.has(column))) demandFewBytes(rows);
    if (command === 'SELECT') return { rows };
    return { rows, numAffectedRows: BigInt(rowCount ?? 0) };
  }

  async begin(settings: UnitSettings, isReadOnly = false): Promise<void> {
    this.#isWriting = true;
    try {
      await this.#send(`begin${isReadOnly ? ' read only' : ''}; ${settingsOf(settings, this.roles)}`);
    } catch (error) {
      // After a lock timeout the connection is in a failed transaction, and the next unit could not begin.
      this.#rollback();
      throw error;
    }
  }

  /** Locks companies, as `begin` does. */
  async lock(companyIds: readonly number[]): Promise<void> {
    await this.#send(companyIds.map(lockOf).join('; '));
  }

  /** Changes the scope whose rows the transaction sees. */
  async change(scope: Scope): Promise<void> {
    await this.#send(`select ${scopeSettings(scope, this.roles)}`);
  }

  /** Ends the transaction. Errors: also if PostgreSQL rolled back instead of committing. */
  async end(command: 'commit' | 'rollback'): Promise<void> {
    const result = await this.#send(command);
    // PostgreSQL answers COMMIT with ROLLBACK if a statement of the transaction had failed.
    if (result.command.toLowerCase() !== command) throw new Error('The transaction was rolled back.');
  }

  async #send<R>(query: QueryConfig | string) {
    try {
      const sent = this.client.query<Record<string, unknown>>(query);
      const result = await this.answers.wait(this.client, sent);
      return result as unknown as SentResult<R>;
    } catch (error) {
      throw stateOf(error) === ABORTED && this.#beginError !== null ? this.#beginError : this.#explain(error);
    }
  }

  #explain(error: unknown): Error {
    if (isLostConnection(error)) this.#failed ??= error as Error;
    if (stateOf(error) === CHANGED_COLUMNS) this.names.forget();
    const translated = translate(error);
    if (translated instanceof DomainError && isStorageFault(translated.code)) {
      this.watcher.onFault(translated.code, error);
    }
    return translated;
  }
}

/**
 * The statements of one unit. After its end, its connection serves other units, so that further statements
 * are refused, for example those of a parallel part after another part has failed.
 */
export class Unit implements DatabaseConnection {
  readonly db: Transaction<Tables>;
  #isOpen = true;
  #isSingle = false;
  #hasRun = false;

  constructor(
    private readonly session: Session,
    private readonly settings: UnitSettings,
  ) {
    this.db = handleOf(this);
  }

  /** Runs a transaction: commits the changes of `use`, or rolls all of them back if it rejects. */
  async write<T>(use: () => Promise<T>): Promise<T> {
    await this.session.begin(this.settings);
    try {
      const result = await use();
      await this.#end('commit');
      return result;
    } catch (error) {
      await this.#end('rollback').catch(() => undefined);
      throw error;
    }
  }

  /** See `Session.beginRead`. */
  async beginRead(isSingle: boolean): Promise<void> {
    this.#isSingle = isSingle;
    await this.session.beginRead(this.settings, isSingle);
  }

  endRead(): void {
    this.#isOpen = false;
    this.session.endRead();
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    if (!this.#isOpen) throw new Error('The unit of work has ended.');
    if (this.#isSingle) {
      if (this.#hasRun) throw new Error('The unit of work is a single statement.');
      this.#hasRun = true;
    }
    return await this.session.executeQuery<R>(query);
  }

  streamQuery(): never {
    throw new Error('This connection does not stream rows: read them in pages.');
  }

  /** Changes the scope of the transaction. */
  async change(scope: Scope): Promise<void> {
    if (!this.#isOpen) throw new Error('The unit of work has ended.');
    await this.session.change(scope);
  }

  /** Locks companies in ascending order, like all units, so that no two wait for each other. */
  async lock(companyIds: readonly number[]): Promise<void> {
    if (companyIds.length > 0) await this.session.lock(companyIds.toSorted((one, other) => one - other));
  }

  async #end(command: 'commit' | 'rollback'): Promise<void> {
    this.#isOpen = false;
    await this.session.end(command);
  }
}

interface SentResult<R> {
  readonly rows: R[];
  readonly rowCount: number | null;
  readonly command: string;
  readonly fields: readonly { readonly name: string }[];
}

/** Errors: `malformed`. */
function demandFewBytes(rows: readonly unknown[]): void {
  let bytes = 0;
  for (const row of rows)
    for (const value of Object.values(row as object)) if (typeof value === 'string') bytes += value.length;
  if (bytes > MAX_BYTES_READ) {
    throw new DomainError(
      'malformed',
      `The records have more than ${MAX_BYTES_READ} bytes: request fewer at once.`,
    );
  }
}
