import type { Client } from 'pg';

/**
 * Maximum number of named statements. PostgreSQL plans such a statement once per connection, instead of each
 * time.
 */
const MAX_NAMES = 1_000;
/**
 * Maximum length of a text with a name. Longer texts are batches of varying length: rarely repeated, and
 * large when prepared.
 */
const MAX_TEXT_LENGTH = 8_192;
/**
 * Key of the advisory lock that nodes share while they use names, and that a node which migrates holds alone.
 */
export const NAMES_LOCK = '(21574, 4)';

/**
 * Names of statements by their text. A text gets a name at its second use, if it is one of the first
 * thousand. A prepared `select *` fails when its table gets a column, so no names are used while a node
 * migrates.
 */
export class StatementNames {
  readonly #names = new Map<string, string | null>();
  #count = 0;
  #isAllowed = false;
  #running = 0;
  #onIdle: (() => void) | null = null;

  /** Calls `run` with the name of the text, or with null. */
  async use<T>(text: string, run: (name: string | null) => Promise<T>): Promise<T> {
    const name = this.#of(text);
    if (name === null) return await run(null);
    this.#running += 1;
    try {
      return await run(name);
    } finally {
      this.#running -= 1;
      if (this.#running === 0) this.#onIdle?.();
    }
  }

  allow(): void {
    this.#isAllowed = true;
  }

  /** Stops the use of names. Resolves when all statements sent with a name have been answered. */
  async forbid(): Promise<void> {
    this.#isAllowed = false;
    this.forget();
    if (this.#running > 0) await new Promise<void>((resolve) => (this.#onIdle = resolve));
  }

  /** To be called when tables have changed: statements get other names. */
  forget(): void {
    this.#names.clear();
  }

  #of(text: string): string | null {
    if (!this.#isAllowed || text.length > MAX_TEXT_LENGTH) return null;
    const known = this.#names.get(text);
    if (typeof known === 'string') return known;
    if (known === undefined) {
      if (this.#names.size < MAX_NAMES) this.#names.set(text, null);
      return null;
    }
    this.#count += 1;
    const name = `s${this.#count}`;
    this.#names.set(text, name);
    return name;
  }
}

/**
 * Names of the statements that one connection has prepared. Until the first use of a name is answered, other
 * statements of the same text are sent without a name: the first one may fail, for example in an aborted
 * transaction, and would make the others fail.
 */
export class PreparedStatements {
  readonly #prepared = new Set<string>();
  readonly #unanswered = new Set<string>();

  /**
   * Calls `send` with the name or with null, at once, so that answers stay in the order of the statements.
   */
  use<T>(name: string, send: (name: string | null) => Promise<T>): Promise<T> {
    if (this.#prepared.has(name)) return send(name);
    if (this.#unanswered.has(name)) return send(null);
    this.#unanswered.add(name);
    const sent = send(name);
    const isAnswered = (): boolean => this.#unanswered.delete(name);
    void sent.then(() => isAnswered() && this.#prepared.add(name), isAnswered);
    return sent;
  }
}

/**
 * The lock that a node needs for the use of names, on one connection. Calls take effect one after the other.
 */
export class NamesPermit {
  #isHeld = false;
  #isEnded = false;
  #last = Promise.resolve();

  constructor(
    private readonly client: Client,
    private readonly names: StatementNames,
  ) {}

  /** Allows names, unless a node is migrating. Never rejects. */
  async take(): Promise<void> {
    await this.#next(async () => {
      if (this.#isHeld) return;
      const taken = `select pg_try_advisory_lock_shared${NAMES_LOCK} as taken`;
      this.#isHeld = (await this.client.query<{ taken: boolean }>(taken)).rows[0]?.taken ?? false;
      if (this.#isHeld && !this.#isEnded) this.names.allow();
    });
  }

  /** Never rejects. */
  async release(): Promise<void> {
    await this.#next(async () => {
      if (!this.#isHeld) return;
      await this.names.forbid();
      this.#isHeld = false;
      await this.client.query(`select pg_advisory_unlock_shared${NAMES_LOCK}`);
    });
  }

  /** Called when the connection is lost, and the lock with it. */
  end(): void {
    this.#isEnded = true;
    void this.names.forbid();
  }

  async #next(use: () => Promise<void>): Promise<void> {
    this.#last = this.#last.then(use).catch(() => undefined);
    await this.#last;
  }
}
