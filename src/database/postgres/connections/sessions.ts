import type { Kysely, Transaction } from 'kysely';
import type { Pool, PoolClient } from 'pg';

import { Turns, type TurnLimits } from '../../../platform/concurrency/turns.js';
import { DomainError } from '../../../platform/errors.js';
import type { ExaminingLimits, ExaminingReads, Scope } from '../../database.js';
import type { Tables } from '../../tables/tables.js';
import { Availability } from './availability.js';
import { isLostConnection, translate, UNAVAILABLE } from '../faults.js';
import { Session, type Unit, type UnitSettings, type Watcher } from './session.js';
import type { StatementNames } from './statement-names.js';

/** After which PostgreSQL ends a statement of an ordinary unit. */
const STATEMENT_MS = 5_000;
/** Key of the turns, and of the lock, of work above companies. */
const ABOVE = 0;

/** Writers of a company take turns, so they wait longer than readers; with the statement itself, less than 10 s. */
const WRITE_WAIT_MS = 8_000;

const EXAMINING = { deadlineMs: 5_000, maxWaitMs: 5_000, maxWaiting: 1_000, maxWaitingOfCompany: 200 };

/**
 * Gives units of work their connections. Each kind of unit has a share of them: a unit above companies may run inside
 * another one, so it never waits for a connection that this one holds. Companies take turns, and none can take all.
 */
export class Sessions {
  readonly #sessions = new WeakMap<PoolClient, Session>();
  readonly #transactions = new WeakMap<Transaction<Tables>, { unit: Unit; scope: Scope }>();
  readonly #names: StatementNames;
  readonly #availability: Availability;
  readonly #watcher: Watcher;
  readonly #turns: Readonly<Record<'read' | 'write' | 'above' | 'examine', Turns<number>>>;
  readonly #examining: typeof EXAMINING;
  #exceeded = 0;
  #isClosed = false;

  constructor(
    private readonly pool: Pool,
    watcher: Watcher,
    {
      connections,
      examining,
      names,
    }: {
      readonly connections: number;
      readonly examining: Partial<ExaminingLimits>;
      readonly names: StatementNames;
    },
  ) {
    this.#names = names;
    this.#availability = new Availability(pool);
    this.#watcher = noting(watcher, this.#availability);
    const share = sharesOf(connections, examining.threads);
    this.#examining = { ...EXAMINING, ...examining };
    const { maxWaitMs, maxWaiting, maxWaitingOfCompany } = this.#examining;
    this.#turns = {
      read: turns({ places: share.read, placesOfKey: share.read - 1 }),
      write: turns({ places: share.write, placesOfKey: 1, maxWaitMs: WRITE_WAIT_MS }),
      above: turns({ places: share.above, placesOfKey: share.above }),
      examine: turns({
        ...{ places: share.examine, placesOfKey: Math.max(1, share.examine - 1), maxWaitMs, maxWaiting },
        ...{ maxWaitingOfKey: maxWaitingOfCompany, busy: examiningBusy },
      }),
    };
  }

  get examining(): ExaminingReads {
    const { running, waiting } = this.#turns.examine;
    return { running, waiting, threads: running, exceeded: this.#exceeded, lostThreads: 0 };
  }

  /** Units that wait for a connection. */
  get waiting(): number {
    return Object.values(this.#turns).reduce((sum, { waiting }) => sum + waiting, 0);
  }

  async read<T>(scope: Scope, use: (db: Kysely<Tables>) => Promise<T>): Promise<T> {
    this.#demandOpen();
    await this.#availability.demand();
    const release = await (scope === null
      ? this.#turns.above.acquire(ABOVE)
      : this.#turns.read.acquire(scope));
    try {
      const settings = { scope, locks: [], statementMs: STATEMENT_MS };
      return await this.#inSession((session) => readIn(session, settings, use));
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
        return await unit.db.transaction().execute((db) => {
          this.#transactions.set(db, { unit, scope });
          return use(db);
        });
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
    // After an error, the transaction ends.
    await known.unit.change(known.scope);
    return result;
  }

  async lockCompanies(db: Transaction<Tables>, companyIds: readonly number[]): Promise<void> {
    await this.#transactions.get(db)?.unit.lock(companyIds);
  }

  /** Ends at the deadline, whatever `use` does; a connection whose statement still runs then is closed. */
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

  /** A connection for work above companies outside of units, until `release`. */
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
        const session = this.#sessions.get(client) ?? new Session(client, this.#names, this.#watcher);
        this.#sessions.set(client, session);
        if (!session.isBroken) return session;
        // Nothing waited for the end of its last unit, which failed.
        client.release(true);
      }
    } catch (error) {
      const translated = isLostConnection(error) ? UNAVAILABLE(error as Error) : translate(error);
      if (translated instanceof DomainError) this.#watcher.onFault(translated.code, error);
      throw translated;
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
): Promise<T> {
  const unit = session.unit(settings);
  unit.beginRead();
  try {
    return await use(unit.db);
  } finally {
    unit.endRead();
  }
}

interface Shares {
  readonly read: number;
  readonly write: number;
  readonly above: number;
  readonly examine: number;
}

/** One connection more is used to listen. */
function sharesOf(connections: number, examine = Math.max(2, Math.floor(connections / 6))): Shares {
  const rest = connections - 1 - examine;
  const above = Math.max(1, Math.floor(rest / 4));
  const write = Math.max(2, Math.floor(rest / 3));
  return { examine, above, write, read: Math.max(2, rest - above - write) };
}

const LIMITS = { maxWaiting: 2_000, maxWaitingOfKey: 1_000, maxWaitMs: 5_000, busy };

function turns(limits: Pick<TurnLimits, 'places' | 'placesOfKey'> & Partial<TurnLimits>): Turns<number> {
  return new Turns({ ...LIMITS, ...limits });
}

function busy(): DomainError {
  return new DomainError('busy', 'The database is busy; try again in a second.', { retryAfter: 1 });
}

function examiningBusy(): DomainError {
  return new DomainError('busy', 'Too many requests examine many records at the same time; try again.', {
    retryAfter: 1,
  });
}

/** PostgreSQL has ended a statement, or the unit itself has taken too long. */
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
