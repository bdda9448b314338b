import pg, { type Pool } from 'pg';

import { SECOND } from '../../../platform/clock.js';
import { clientConfig, sessionSettings } from '../connections/pool.js';
import { stateOf } from '../faults.js';
import { SESSION_AS_SYSTEM } from '../roles.js';

/** A row of `rate_limits`: the events of one window, and its end (`expire`) in milliseconds since 1970. */
export interface WindowRow {
  readonly key: string;
  readonly points: number;
  readonly expire: number;
}

/** A statement that failed without an answer, and that may have been committed. */
export class UnknownOutcome extends Error {}

const DELETED_AT_ONCE = 5_000;

/**
 * Adds events to windows, starts windows that are new or have ended, and returns these and the windows of $5.
 * $4 is the current time. Rows are locked in the order of their keys, which the caller sorts, so that
 * statements of different nodes never wait for each other.
 */
const EXCHANGE = `with written as (
  insert into rate_limits as known (key, points, expire)
  select * from unnest($1::text[], $2::integer[], $3::bigint[])
  on conflict (key) do update set
    points = case when known.expire <= $4 then excluded.points
      else least(known.points::bigint + excluded.points, 2147483647)::integer end,
    expire = case when known.expire <= $4 then excluded.expire else known.expire end
  returning key, points, expire)
select key, points, expire from written
union all select key, points, expire from rate_limits where key = any($5::text[]) and expire > $4`;

const DELETE = `delete from rate_limits where key in (
  select key from rate_limits where expire < $1 limit $2 for update skip locked)`;

/** The table `rate_limits`. Has one connection of its own, so that units of work do not delay it. */
export class RateLimitRows {
  readonly #pool: Pool;

  /** `maxMs`: PostgreSQL ends a statement that takes longer. */
  constructor(url: string, maxMs: number) {
    this.#pool = new pg.Pool({
      ...clientConfig(url),
      query_timeout: 2 * maxMs,
      idleTimeoutMillis: 60 * SECOND,
      allowExitOnIdle: true,
      max: 1,
      onConnect: sessionSettings(`set statement_timeout = ${maxMs}; ${SESSION_AS_SYSTEM}`),
    });
    this.#pool.on('error', () => undefined);
    // A connection that is lost during a statement fails the statement too.
    this.#pool.on('connect', (client) => client.on('error', () => undefined));
  }

  /**
   * Adds `counted` to their windows. Resolves to the state of these windows, and of those in `asked` that
   * have not ended.
   */
  async exchange(
    counted: readonly WindowRow[],
    asked: readonly string[],
    now: number,
  ): Promise<readonly WindowRow[]> {
    const sorted = counted.toSorted((one, other) => (one.key < other.key ? -1 : 1));
    const { rows } = await this.#query<WindowRow>(EXCHANGE, [
      sorted.map(({ key }) => key),
      sorted.map(({ points }) => points),
      sorted.map(({ expire }) => Math.ceil(expire)),
      now,
      asked,
    ]);
    return rows;
  }

  /** Deletes a batch of windows that ended before a time. True if there may be more. */
  async deleteEnded(before: number): Promise<boolean> {
    const { rowCount } = await this.#query(DELETE, [before, DELETED_AT_ONCE]);
    return rowCount === DELETED_AT_ONCE;
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }

  /** Errors: `UnknownOutcome`; another error if nothing was changed. */
  async #query<R extends object>(text: string, values: unknown[]): Promise<pg.QueryResult<R>> {
    const client = await this.#pool.connect();
    let failed = false;
    try {
      return await client.query<R>(text, values);
    } catch (error) {
      failed = true;
      if (stateOf(error) !== null) throw error;
      throw new UnknownOutcome((error as Error).message, { cause: error });
    } finally {
      client.release(failed);
    }
  }
}
