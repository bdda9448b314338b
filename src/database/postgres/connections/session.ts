import type { CompiledQuery, QueryResult } from 'kysely';
import type { PoolClient, QueryConfig } from 'pg';

import { DomainError, type DomainCode } from '../../../platform/errors.js';
import { isStorageCode } from '../../database.js';
import { LONG_COLUMNS, textCounter, type StatementEnd } from '../../statements.js';
import { isLostConnection, stateOf, translate } from '../faults.js';
import type { Roles } from '../roles.js';
import type { Answers } from './answers.js';
import type { StatementNames } from './statements.js';

/** Parts and callbacks that the connections of a database share. */
export interface Shared {
  readonly names: StatementNames;
  readonly answers: Answers;
  readonly roles: Roles;
  /**
   * Called with each statement, except those that begin and end transactions. Its result is called at the
   * end.
   */
  readonly onStatement: (sql: string) => StatementEnd | undefined;
  /** Called when the database failed or cannot be reached. */
  readonly onFault: (code: DomainCode, error: unknown) => void;
}

/** SQLSTATE of a prepared statement that would return other columns than before. */
const CHANGED_COLUMNS = '0A000';

/** One connection to PostgreSQL. */
export class Session {
  #failed: Error | null = null;
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

  /**
   * Whether the connection has the settings `wanted` outside of transactions. It gets them when two units in
   * succession need the same ones: with few companies, units then need no statement for their settings.
   */
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

  /** Runs a statement of a unit. */
  async execute<R>({ sql, parameters }: CompiledQuery, isWriting: boolean): Promise<QueryResult<R>> {
    const ended = this.shared.onStatement(sql);
    try {
      const result = await this.#named<R>({ text: sql, values: parameters as unknown[] }, isWriting);
      ended?.();
      return result;
    } catch (error) {
      ended?.(error);
      throw error;
    }
  }

  async #named<R>(query: QueryConfig, isWriting: boolean): Promise<QueryResult<R>> {
    const name = this.shared.names.of(query.text);
    const named = name === null ? query : { ...query, name };
    const { rows, rowCount, command, fields } = await this.send<R>(named);
    if (!isWriting && fields.some(({ name: column }) => LONG_COLUMNS.has(column)))
      (rows as object[]).forEach(textCounter());
    if (command === 'SELECT') return { rows };
    return { rows, numAffectedRows: BigInt(rowCount ?? 0) };
  }

  async send<R>(query: QueryConfig | string): Promise<SentResult<R>> {
    try {
      const sent = this.client.query<Record<string, unknown>>(query);
      return (await this.shared.answers.wait(this.client, sent)) as unknown as SentResult<R>;
    } catch (error) {
      throw this.#explain(error);
    }
  }

  #explain(error: unknown): Error {
    if (isLostConnection(error)) this.#failed ??= error as Error;
    if (stateOf(error) === CHANGED_COLUMNS) this.shared.names.forget();
    const translated = translate(error);
    if (translated instanceof DomainError) reportFault(this.shared, translated.code, error);
    return translated;
  }
}

/** Reports a fault of the database; errors of a single request are none. */
export function reportFault({ answers, onFault }: Shared, code: DomainCode, error: unknown): void {
  if (!isStorageCode(code)) return;
  answers.note(error);
  onFault(code, error);
}

interface SentResult<R> {
  readonly rows: R[];
  readonly rowCount: number | null;
  readonly command: string;
  readonly fields: readonly { readonly name: string }[];
}
