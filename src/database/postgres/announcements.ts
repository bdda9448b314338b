import { randomUUID } from 'node:crypto';
import pg, { type Client, type Pool } from 'pg';

import { SECOND } from '../../platform/clock.js';
import type { CommittedChange, Database } from '../database.js';
import { ANSWER_MS } from './connections/answers.js';
import { clientConfig, SESSION_SETTINGS } from './connections/pool.js';

const CHANNEL = 'terminal_gateway';
/** Milliseconds for which committed changes are collected, to be announced together. */
const COLLECT_MS = 10;
/** Maximum length of a payload; PostgreSQL takes less than 8,000 bytes. */
const MAX_PAYLOAD = 7_500;
/** Pause before the next attempt to listen, and interval of the check whether the connection is alive. */
const RETRY_MS = SECOND / 2;
const CHECK_MS = 5 * SECOND;
/** Keys of the advisory locks for tasks that one node does at a time. */
const TASKS = { class: 0x5448, housekeeping: 1, steps: 2, retention: 3 } as const;

type Listener = (changes: readonly CommittedChange[] | null) => void;

/**
 * Payload: the types of changed records by company, `[node, [[17, ["group", "device"]]]]`, or `[node, null]`
 * if that is too long.
 */
type Message = readonly [string, null | readonly (readonly [number | null, readonly string[]])[]];

/**
 * Messages between nodes through PostgreSQL: which changes were committed, and which node does a task. Has
 * its own connection, since notifications and locks belong to a connection (decisions.md#announcements).
 */
export class Announcements {
  readonly #node = randomUUID();
  readonly #listeners: Listener[] = [];
  readonly #waiting = new Map<number | null, Set<string>>();
  #client: Client | null = null;
  readonly #lostClients = new WeakSet<Client>();
  #timer: NodeJS.Timeout | undefined;
  #sendTimer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(
    private readonly url: string,
    private readonly pool: Pool,
  ) {}

  onAnnounced(listener: Listener): void {
    this.#listeners.push(listener);
  }

  announce(changes: readonly CommittedChange[]): void {
    for (const { companyId, entityType } of changes) {
      const types = this.#waiting.get(companyId) ?? new Set();
      this.#waiting.set(companyId, types.add(entityType));
    }
    if (changes.length === 0) return;
    this.#sendTimer ??= setTimeout(() => void this.#send(), COLLECT_MS);
  }

  /** See `Database.alone`. */
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
    clearTimeout(this.#timer);
    if (this.#sendTimer !== undefined) await this.#send();
    const client = this.#client;
    this.#client = null;
    await client?.end().catch(() => undefined);
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
    const client = new pg.Client(clientConfig(this.url));
    const lost = (): void => this.#lost(client);
    client.on('error', lost);
    client.on('end', lost);
    client.on('notification', ({ payload }) => this.#receive(payload ?? ''));
    try {
      await client.connect();
      await client.query(SESSION_SETTINGS);
      await client.query(`listen ${CHANNEL}`);
    } catch {
      this.#lost(client);
      return;
    }
    this.#client = client;
    this.#timer = setTimeout(() => void this.#check(client), CHECK_MS).unref();
  }

  /** Treats a connection whose server does not answer any more as lost. */
  async #check(client: Client): Promise<void> {
    try {
      await client.query('select 1');
      if (this.#client !== client) return;
      this.#timer = setTimeout(() => void this.#check(client), CHECK_MS).unref();
    } catch {
      this.#lost(client);
    }
  }

  #lost(client: Client): void {
    if (this.#lostClients.has(client)) return;
    this.#lostClients.add(client);
    void client.end().catch(() => undefined);
    if (this.#isClosed || (this.#client !== null && this.#client !== client)) return;
    this.#client = null;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#startAgain(), RETRY_MS * (0.5 + Math.random())).unref();
  }

  async #startAgain(): Promise<void> {
    await this.start();
    if (this.#client !== null) this.#tell(null);
  }

  #receive(payload: string): void {
    const [node, changes] = JSON.parse(payload) as Message;
    if (node === this.#node) return;
    this.#tell(
      changes?.flatMap(([companyId, types]) => types.map((entityType) => ({ companyId, entityType }))) ??
        null,
    );
  }

  #tell(changes: readonly CommittedChange[] | null): void {
    for (const listener of this.#listeners) listener(changes);
  }
}
