import type { PoolClient } from 'pg';

/** Milliseconds to wait for an answer. Without one, the outcome is unknown, and the connection is closed. */
export const ANSWER_MS = 6_500;
const CHECK_MS = 500;

/** Unanswered statements of a connection, and checks since its last answer. */
interface Waiting {
  statements: number;
  checks: number;
}

/**
 * Closes connections that do not answer within `ANSWER_MS`. Each check counts as `CHECK_MS`, even if it runs
 * late: while this process was busy, answers may have arrived that it has not read.
 */
export class Answers {
  readonly #waiting = new Map<PoolClient, Waiting>();
  readonly #timer = setInterval(() => this.#check(), CHECK_MS).unref();

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
}
