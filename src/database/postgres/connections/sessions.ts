import type { Pool, PoolClient } from 'pg';

import { Semaphore } from '../../../platform/concurrency/semaphore.js';
import { DomainError } from '../../../platform/errors.js';
import {
  databaseBusy,
  examiningOf,
  type Database,
  type ExaminingLimits,
  type Scope,
} from '../../database.js';
import type { ReadDatabase } from '../../work.js';
import { UNAVAILABLE } from '../faults.js';
import { reportFault, Session, Unit, type Shared } from './session.js';

const STATEMENT_MS = 5_000;
/** Milliseconds after its deadline at which PostgreSQL cancels a statement that nothing waits for any more. */
const CANCEL_MS = 1_000;
/** Key of the queue, and of the lock, for work above companies. */
const ABOVE = 0;

/** Milliseconds that a unit waits for others of its company to write (decisions.md#company-writers). */
const WRITE_WAIT_MS = 8_000;

/**
 * Gives units of work their connections. Each kind of unit has its own queue, and its share of the
 * connections: a unit above companies may run inside another unit, so it must not wait for a connection that
 * this one holds. Companies are served round-robin, and none can use all connections.
 */
export class Sessions {
  readonly #sessions = new WeakMap<PoolClient, Session>();
  readonly #units = new WeakMap<ReadDatabase, Unit>();
  readonly #queues: ReturnType<typeof queuesOf> & { readonly examine: Semaphore<number> };
  readonly #deadlineMs: number;
  #exceeded = 0;
  #isClosed = false;

  constructor(
    private readonly pool: Pool,
    private readonly shared: Shared,
    connections: number,
    examining: Partial<ExaminingLimits> = {},
  ) {
    const { limits, turns } = examiningOf(Math.max(2, Math.floor(connections / 6)), examining);
    this.#deadlineMs = limits.deadlineMs;
    // One connection listens.
    this.#queues = { ...queuesOf(connections - 1 - limits.threads), examine: turns };
  }

  readonly examining: Database['examining'] = () => {
    const { running, waiting } = this.#queues.examine;
    return { running, waiting, threads: running, exceeded: this.#exceeded, lostThreads: 0 };
  };

  get waiting(): number {
    return Object.values(this.#queues).reduce((sum, { waiting }) => sum + waiting, 0);
  }

  readonly snapshot: Database['snapshot'] = async (scope, use) => {
    const queue = scope === null ? this.#queues.above : this.#queues.read;
    return await this.#inTurn(queue, scope ?? ABOVE, (session) =>
      this.#unit(session, scope, STATEMENT_MS).read(use),
    );
  };

  readonly write: Database['write'] = async (scope, use, ofCompany) => {
    const key = scope ?? ofCompany ?? ABOVE;
    return await this.#inTurn(this.#queues.write, key, (session) =>
      this.#unit(session, scope, STATEMENT_MS).write(key, use),
    );
  };

  readonly everywhere: Database['everywhere'] = (db) => this.#unitOf(db).everywhere();

  readonly acrossCompanies: Database['acrossCompanies'] = async (db, use) => {
    const unit = this.#unitOf(db);
    await unit.change(null);
    const result = await use();
    // After an error, the transaction ends, so its scope is not restored.
    await unit.change(unit.scope);
    return result;
  };

  readonly lockCompanies: Database['lockCompanies'] = async (db, companyIds) =>
    this.#unitOf(db).lock(companyIds);

  #unit(session: Session, scope: Scope, statementMs: number): Unit {
    const unit = new Unit(session, scope, statementMs);
    this.#units.set(unit.db, unit);
    return unit;
  }

  #unitOf(db: ReadDatabase): Unit {
    const unit = this.#units.get(db);
    if (unit === undefined) throw new Error('The handle is not one of a unit of work.');
    return unit;
  }

  /** Ends at the deadline, whatever `use` does. The connection of such a unit is closed. */
  readonly examine: Database['examine'] = async (companyId, use) => {
    const deadlineMs = this.#deadlineMs;
    try {
      return await this.#inTurn(this.#queues.examine, companyId, (session) =>
        this.#unit(session, companyId, deadlineMs + CANCEL_MS).readUntil(deadlineMs, use),
      );
    } catch (error) {
      if (error instanceof DomainError && error.code === 'deadline_exceeded') this.#exceeded += 1;
      throw error;
    }
  };

  /** Waits for units that have begun or are queued, then for `last`, which may still use the connections. */
  async close(last: () => Promise<void>): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const { examine, write, read, above } = this.#queues;
    examine.close();
    await Promise.all([write.finish(), read.finish(), above.finish()]);
    await last();
    await this.pool.end();
    this.shared.answers.close();
  }

  async #inTurn<T>(queue: Semaphore<number>, key: number, use: (session: Session) => Promise<T>): Promise<T> {
    await this.#requireAvailable();
    const { waits } = this.shared;
    const release = await waits.during('queue', () => queue.acquire(key));
    try {
      const session = await waits.during('connection', () => this.#connect());
      try {
        return await use(session);
      } finally {
        session.client.release(session.isBroken);
      }
    } finally {
      release();
    }
  }

  async #requireAvailable(): Promise<void> {
    if (this.pool.ending) throw UNAVAILABLE(new Error('The server is stopping.'));
    await this.shared.answers.demand();
  }

  async #connect(): Promise<Session> {
    await this.#requireAvailable();
    try {
      for (;;) {
        const client = await this.pool.connect();
        const session = this.#sessions.get(client) ?? new Session(client, this.shared);
        this.#sessions.set(client, session);
        if (!session.isBroken) return session;
        // The last unit failed at its end, for which nothing waited.
        client.release(true);
      }
    } catch (error) {
      const unavailable = UNAVAILABLE(error as Error);
      reportFault(this.shared, unavailable.code, error);
      throw unavailable;
    }
  }
}

/** Queues of ordinary units, which share so many connections. */
function queuesOf(connections: number) {
  const above = Math.max(1, Math.floor(connections / 4));
  const write = Math.max(2, Math.floor(connections / 3));
  const read = Math.max(2, connections - above - write);
  const common = { maxWaiting: 2_000, maxWaitingOfKey: 1_000, maxWaitMs: 5_000, busy: databaseBusy };
  return {
    read: new Semaphore<number>({ ...common, places: read, placesOfKey: read - 1 }),
    write: new Semaphore<number>({ ...common, places: write, placesOfKey: 1, maxWaitMs: WRITE_WAIT_MS }),
    above: new Semaphore<number>({ ...common, places: above, placesOfKey: above }),
  };
}
