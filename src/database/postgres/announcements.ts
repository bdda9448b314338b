import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg, { type Client, type Pool } from 'pg';

import { SECOND } from '../../platform/clock.js';
import type { CommittedChange, Database } from '../database.js';
import { ANSWER_MS, clientConfig, SESSION_SETTINGS, settingsSql } from './connections/pool.js';

const CHANNEL = 'terminal_gateway';
/** Milliseconds for which committed changes are collected, to be announced together. */
const COLLECT_MS = 10;
/** Maximum length of a payload; PostgreSQL takes less than 8,000 bytes. */
const MAX_PAYLOAD = 7_500;
/** Pause before the next attempt to listen, and interval of the check whether the connection is alive. */
const RETRY_MS = SECOND / 2;
const CHECK_MS = 5 * SECOND;
/** PostgreSQL ends a session that was not checked for so long: a frozen node must not keep the locks of its tasks. */
const FROZEN = settingsSql({ idle_session_timeout: 12 * SECOND }, false);
/** Keys of the advisory locks for tasks that one node does at a time. */
const TASKS = { class: 0x5448, housekeeping: 1, steps: 2, retention: 3, alerts: 4, exports: 5 } as const;

/** Types of changed records by company, `[node, [[17, ["group"]]]]`, or `[node, null]` if that is too long. */
type Message = readonly [string, null | readonly (readonly [number | null, readonly string[]])[]];

/** Changes and tasks of nodes, by a connection of its own, which has the locks (decisions.md#announcements). */
export class Announcements {
  readonly #node = randomUUID();
  readonly #listeners: Parameters<Database['onAnnounced']>[0][] = [];
  readonly #waiting = new Map<number | null, Set<string>>();
  /** The connection that listens; null while it is lost. */
  #client: Client | null = null;
  #sendTimer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(
    private readonly url: string,
    private readonly pool: Pool,
  ) {}

  readonly onAnnounced: Database['onAnnounced'] = (listener) => void this.#listeners.push(listener);

  readonly announce: Database['announce'] = (changes) => {
    for (const { companyId, entityType } of changes) {
      const types = this.#waiting.get(companyId) ?? new Set();
      this.#waiting.set(companyId, types.add(entityType));
    }
    if (changes.length === 0) return;
    this.#sendTimer ??= setTimeout(() => void this.#send(), COLLECT_MS);
  };

  readonly alone: Database['alone'] = async (task, use) => {
    const client = this.#client;
    if (client === null) return false;
    const keys = [TASKS.class, TASKS[task]];
    const query = client.query<{ taken: boolean }>('select pg_try_advisory_lock($1, $2) as taken', keys);
    // Without the connection, nothing is known of other nodes, so the task does not run now.
    if (!(await query.then(({ rows }) => rows[0]?.taken === true).catch(() => false))) return false;
    try {
      await use();
    } finally {
      await client.query('select pg_advisory_unlock($1, $2)', keys).catch(() => undefined);
    }
    return true;
  };

  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#sendTimer !== undefined) await this.#send();
    await this.#client?.end().catch(() => undefined);
  }

  async #send(): Promise<void> {
    clearTimeout(this.#sendTimer);
    this.#sendTimer = undefined;
    const changes = [...this.#waiting].map(([companyId, types]) => [companyId, [...types]] as const);
    this.#waiting.clear();
    const whole = JSON.stringify([this.#node, changes] satisfies Message);
    const payload = whole.length > MAX_PAYLOAD ? JSON.stringify([this.#node, null] satisfies Message) : whole;
    // Changes in a lost notification are found by polling: see `POLL_MS` of subscriptions and `CACHED_MS` of
    // tokens.
    const statement = { text: 'select pg_notify($1, $2)', query_timeout: ANSWER_MS };
    await this.pool.query(statement, [CHANNEL, payload]).catch(() => undefined);
  }

  /** Begins to listen. If PostgreSQL cannot be reached now, tries again later. */
  async start(): Promise<void> {
    await new Promise<void>((resolve) => {
      void this.#listen(resolve)
        .finally(resolve)
        .then(() => this.#listenAgain());
    });
  }

  async #listenAgain(): Promise<void> {
    for (;;) {
      await sleep(RETRY_MS * (0.5 + Math.random()), undefined, { ref: false });
      if (this.#isClosed) return;
      await this.#listen(() => this.#tell(null));
    }
  }

  /** Listens on one connection until it is lost, or its server does not answer any more. Never rejects. */
  async #listen(onListening: () => void): Promise<void> {
    const client = new pg.Client(clientConfig(this.url));
    const lost = Promise.withResolvers<unknown>();
    client.on('error', lost.resolve).on('end', () => lost.resolve(undefined));
    client.on('notification', ({ payload }) => this.#receive(payload ?? ''));
    const check = (): void => void client.query('select 1').catch(lost.resolve);
    let timer: NodeJS.Timeout | undefined;
    try {
      await client.connect();
      await client.query(`${SESSION_SETTINGS}; ${FROZEN}`);
      await client.query(`listen ${CHANNEL}`);
      if (this.#isClosed) return;
      this.#client = client;
      timer = setInterval(check, CHECK_MS).unref();
      onListening();
      await lost.promise;
    } catch {
      // Tried again later.
    } finally {
      clearInterval(timer);
      this.#client = null;
      void client.end().catch(() => undefined);
    }
  }

  #receive(payload: string): void {
    const [node, changes] = JSON.parse(payload) as Message;
    if (node === this.#node) return;
    const each = changes?.flatMap(([companyId, types]) =>
      types.map((entityType) => ({ companyId, entityType })),
    );
    this.#tell(each ?? null);
  }

  #tell(changes: readonly CommittedChange[] | null): void {
    for (const listener of this.#listeners) listener(changes);
  }
}
