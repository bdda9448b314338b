import type { Kysely, Transaction } from 'kysely';
import type { Pool, PoolClient } from 'pg';

import { DomainError } from '../../../platform/errors.js';
import type { Tables } from '../../../schema/schema.js';
import type { ExaminingLimits, ExaminingReads, Scope } from '../../database.js';
import { UNAVAILABLE } from '../faults.js';
import type { Roles } from '../roles.js';
import { Answers } from './answers.js';
import { Availability } from './availability.js';
import { Session, type Unit, type Watcher } from './session.js';
import type { StatementNames } from './statement-names.js';
import type { UnitSettings } from './unit-settings.js';
import { examiningSettings, turnsOf, type ExaminingSettings, type UnitTurns } from './unit-turns.js';

/** Milliseconds after which PostgreSQL ends a statement of an ordinary unit. */
const STATEMENT_MS = 5_000;
/** Key of the queue, and of the lock, for work above companies. */
const ABOVE = 0;

/**
 * Gives units of work their connections. Each kind of unit has its own share: a unit above companies may run
 * inside another unit, so it must not wait for a connection that this one holds. Companies are served
 * round-robin, and none can use all connections.
 */
export class Sessions {
  readonly #sessions = new WeakMap<PoolClient, Session>();
  readonly #transactions = new WeakMap<Transaction<Tables>, { unit: Unit; scope: Scope }>();
  readonly #names: StatementNames;
  readonly #roles: Roles;
  readonly #answers = new Answers();
  readonly #availability: Availability;
  readonly #watcher: Watcher;
  readonly #turns: UnitTurns;
  readonly #examining: ExaminingSettings;
  #exceeded = 0;
  #isClosed = false;

  constructor(
    private readonly pool: Pool,
    watcher: Watcher,
    {
      connections,
      examining,
      names,
      roles,
    }: {
      readonly connections: number;
      readonly examining: Partial<ExaminingLimits>;
      readonly names: StatementNames;
      readonly roles: Roles;
    },
  ) {
    this.#names = names;
    this.#roles = roles;
    this.#availability = new Availability(pool);
    this.#watcher = noting(watcher, this.#availability);
    this.#examining = examiningSettings(examining);
    this.#turns = turnsOf(connections, this.#examining);
  }

  get examining(): ExaminingReads {
    const { running, waiting } = this.#turns.examine;
    return { running, waiting, threads: running, exceeded: this.#exceeded, lostThreads: 0 };
  }

  /** Number of units that wait for a connection. */
  get waiting(): number {
    return Object.values(this.#turns).reduce((sum, { waiting }) => sum + waiting, 0);
  }

  async read<T>(scope: Scope, use: (db: Kysely<Tables>) => Promise<T>, isSingle = false): Promise<T> {
    this.#demandOpen();
    await this.#availability.demand();
    const release = await (scope === null
      ? this.#turns.above.acquire(ABOVE)
      : this.#turns.read.acquire(scope));
    try {
      const settings = { scope, locks: [], statementMs: STATEMENT_MS };
      return await this.#inSession((session) => readIn(session, settings, use, isSingle));
    } finally {
      release();
    }
  }

  async write<T>(scope: Scope, use: (db: Transaction<Tables>) => Promise<T>, ofCompany?: number): Promise<T> {
    const key = scope ?? ofCompany ?? ABOVE;
    await this.#availability.demand();
    const release = await this.#turns.write.acquire(key);
    try {
      return await this.#inSession(async (session) => {
        const unit = session.unit({ scope, locks: [key], statementMs: STATEMENT_MS });
        this.#transactions.set(unit.db, { unit, scope });
        return await unit.write(() => use(unit.db));
      });
    } finally {
      release();
    }
  }

  async aboveCompanies<T>(db: Transaction<Tables>, use: () => Promise<T>): Promise<T> {
    const known = this.#transactions.get(db);
    if (known === undefined) throw new Error('The transaction is not one of a unit of work.');
    await known.unit.change(null);
    const result = await use();
    // After an error, the transaction ends, so its scope is not restored.
    await known.unit.change(known.scope);
    return result;
  }

  async lockCompanies(db: Transaction<Tables>, companyIds: readonly number[]): Promise<void> {
    await this.#transactions.get(db)?.unit.lock(companyIds);
  }

  /** Ends at the deadline, whatever `use` does. A connection whose statement still runs then is closed. */
  async examine<T>(companyId: number, use: (db: Kysely<Tables>) => Promise<T>): Promise<T> {
    await this.#availability.demand();
    const release = await this.#turns.examine.acquire(companyId);
    const { deadlineMs } = this.#examining;
    const settings = { scope: companyId, locks: [], statementMs: deadlineMs };
    try {
      return await this.#inSession((session) =>
        readIn(session, settings, (db) => inTime(use(db), deadlineMs, () => session.giveUp())),
      );
    } catch (error) {
      if (!isDeadline(error)) throw error;
      this.#exceeded += 1;
      throw deadlineExceeded();
    } finally {
      release();
    }
  }

  /** Takes a connection for work above companies outside of units, until `release`. */
  async take(kind: 'read' | 'write'): Promise<TakenSession> {
    this.#demandOpen();
    await this.#availability.demand();
    const leave = await (kind === 'read' ? this.#turns.above : this.#turns.write).acquire(ABOVE);
    try {
      const session = await this.#connect();
      const settings = { scope: null, locks: kind === 'read' ? [] : [ABOVE], statementMs: STATEMENT_MS };
      return {
        session,
        begin: () => session.begin(settings, kind === 'read'),
        release: () => {
          session.client.release(session.isBroken);
          leave();
        },
      };
    } catch (error) {
      leave();
      throw error;
    }
  }

  /** Waits for units that have begun or are queued, then for `last`, which may still use the connections. */
  async close(last: () => Promise<void>): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#turns.examine.close();
    await Promise.all([this.#turns.write.finish(), this.#turns.read.finish(), this.#turns.above.finish()]);
    await last();
    await this.pool.end();
    this.#answers.close();
  }

  #demandOpen(): void {
    if (this.pool.ending) throw UNAVAILABLE(new Error('The server is stopping.'));
  }

  async #inSession<T>(use: (session: Session) => Promise<T>): Promise<T> {
    const session = await this.#connect();
    try {
      return await use(session);
    } finally {
      session.client.release(session.isBroken);
    }
  }

  async #connect(): Promise<Session> {
    if (this.pool.ending) throw UNAVAILABLE(new Error('The server is stopping.'));
    await this.#availability.demand();
    try {
      for (;;) {
        const client = await this.pool.connect();
        const session =
          this.#sessions.get(client) ??
          new Session(client, this.#names, this.#watcher, this.#answers, this.#roles);
        this.#sessions.set(client, session);
        if (!session.isBroken) return session;
        // The last unit failed at its end, for which nothing waited.
        client.release(true);
      }
    } catch (error) {
      const unavailable = UNAVAILABLE(error as Error);
      this.#watcher.onFault(unavailable.code, error);
      throw unavailable;
    }
  }
}

function noting(watcher: Watcher, availability: Availability): Watcher {
  return {
    ...watcher,
    onFault: (code, error) => {
      availability.note(error);
      watcher.onFault(code, error);
    },
  };
}

export interface TakenSession {
  readonly session: Session;
  readonly begin: () => Promise<void>;
  readonly release: () => void;
}

async function inTime<T>(use: Promise<T>, deadlineMs: number, onLate: () => void): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    onLate();
    late.reject(deadlineExceeded());
  }, deadlineMs);
  try {
    return await Promise.race([use, late.promise]);
  } finally {
    clearTimeout(timer);
    use.catch(() => undefined);
  }
}

async function readIn<T>(
  session: Session,
  settings: UnitSettings,
  use: (db: Kysely<Tables>) => Promise<T>,
  isSingle = false,
): Promise<T> {
  const unit = session.unit(settings);
  await unit.beginRead(isSingle);
  try {
    return await use(unit.db);
  } finally {
    unit.endRead();
  }
}

/** Whether PostgreSQL has ended a statement, or the unit itself has taken too long. */
function isDeadline(error: unknown): boolean {
  if (!(error instanceof DomainError)) return false;
  const { code } = (error.details.cause ?? {}) as { readonly code?: unknown };
  return error.code === 'deadline_exceeded' || code === '57014';
}

function deadlineExceeded(): DomainError {
  return new DomainError(
    'deadline_exceeded',
    'Reading this took too long, because too many records had to be examined. Narrow it down, for example to a shorter time or with fewer conditions.',
    { retryAfter: 10 },
  );
}
