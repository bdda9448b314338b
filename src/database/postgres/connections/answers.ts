import type { PoolClient } from 'pg';

/** An answer that has not come by then is an outcome that is not known: the connection is given up. */
export const ANSWER_MS = 6_500;
const CHECK_MS = 500;

/** Statements of a connection that are not answered, and the checks since the last answer. */
interface Waiting {
  statements: number;
  checks: number;
}

/**
 * Closes connections that do not answer within `ANSWER_MS`. A check counts as `CHECK_MS`, however long it was late: when
 * this process was busy, answers may have arrived that it has not read.
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
