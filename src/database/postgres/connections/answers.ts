import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool, PoolClient } from 'pg';

import { SECOND } from '../../../platform/clock.js';
import { isSilence, UNAVAILABLE } from '../faults.js';

/** Milliseconds to wait for an answer. Without one, the outcome is unknown, and the connection is closed. */
export const ANSWER_MS = 6_500;
const CHECK_MS = 500;
/** Milliseconds that a unit waits for the answer to the probe. */
const PROBE_WAIT_MS = SECOND;
const PROBE = { text: 'select 1', query_timeout: ANSWER_MS };

/** Unanswered statements of a connection, and checks since its last answer. */
interface Waiting {
  statements: number;
  checks: number;
}

/**
 * Closes connections that do not answer within `ANSWER_MS`. Each check counts as `CHECK_MS`, even if it runs
 * late: while this process was busy, answers may have arrived that it has not read. After a statement or a
 * connection without an answer, one probe at a time is sent, and units are refused until one is answered.
 * Otherwise a request with several units would wait for each of them, longer than the 10 s that it may take.
 */
export class Answers {
  readonly #waiting = new Map<PoolClient, Waiting>();
  readonly #timer = setInterval(() => this.#check(), CHECK_MS).unref();
  #isLost = false;
  #probe: Promise<boolean> | null = null;

  constructor(private readonly pool: Pool) {}

  /** Resolves to the answer to a statement; rejects when the connection is closed. */
  async wait<T>(client: PoolClient, answer: Promise<T>): Promise<T> {
    const waiting = this.#waiting.get(client) ?? { statements: 0, checks: 0 };
    this.#waiting.set(client, waiting);
    waiting.statements += 1;
    try {
      return await answer;
    } finally {
      waiting.checks = 0;
      waiting.statements -= 1;
      if (waiting.statements === 0) this.#waiting.delete(client);
    }
  }

  /** To be called with each storage error. */
  note(error: unknown): void {
    if (isSilence(error)) this.#isLost = true;
  }

  /** Errors: `storage_unavailable` while PostgreSQL does not answer. */
  async demand(): Promise<void> {
    if (!this.#isLost) return;
    this.#probe ??= this.#isAnswered().finally(() => (this.#probe = null));
    if (await Promise.race([this.#probe, sleep(PROBE_WAIT_MS, false, { ref: false })])) return;
    throw UNAVAILABLE(new Error('PostgreSQL does not answer.'));
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #check(): void {
    for (const [client, waiting] of this.#waiting) {
      waiting.checks += 1;
      if (waiting.checks * CHECK_MS < ANSWER_MS) continue;
      client.connection.stream.destroy(new Error('No answer in time'));
    }
  }

  async #isAnswered(): Promise<boolean> {
    try {
      await this.pool.query(PROBE);
      this.#isLost = false;
      return true;
    } catch {
      return false;
    }
  }
}
