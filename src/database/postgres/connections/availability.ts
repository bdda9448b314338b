import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';

import { SECOND } from '../../../platform/clock.js';
import { isSilence, UNAVAILABLE } from '../faults.js';
import { ANSWER_MS } from './answers.js';

/** Milliseconds that a unit waits for the answer to the probe. */
const PROBE_WAIT_MS = SECOND;
const PROBE = { text: 'select 1', query_timeout: ANSWER_MS };

/**
 * Whether PostgreSQL answers. After a statement or a connection without an answer, one probe at a time is
 * sent, and units are refused until one is answered. Otherwise a request with several units would wait for
 * each of them, longer than the 10 s that it may take.
 */
export class Availability {
  #isLost = false;
  #probe: Promise<boolean> | null = null;

  constructor(private readonly pool: Pool) {}

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
