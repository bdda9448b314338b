import type { GraphQLFormattedError } from 'graphql';

import type { Units, WriteWork } from '../../database/work.js';
import type { StoredResponses } from '../../http/send.js';
import type { Caller } from '../../platform/caller.js';
import { SECOND } from '../../platform/clock.js';
import { DomainError } from '../../platform/errors.js';
import type { IdempotencyKey } from '../../platform/requests.js';
import type { Content } from './contents.js';
import type { RequestLoaders } from './reading.js';

/** The response of one mutation field as it is stored, as JSON. */
export interface StoredPayload {
  /** `{ [alias]: payload }` with placeholders for bytes; null if an error made it null. */
  readonly data: Readonly<Record<string, unknown>> | null;
  readonly errors: readonly GraphQLFormattedError[];
  readonly recordCount: number;
  readonly contents: readonly (Content & { readonly placeholder: string })[];
}

/** Thrown instead of changing anything: the same request has a stored payload. */
export class StoredPayloadFound extends Error {
  /** @param text a `StoredPayload` as JSON. */
  constructor(readonly text: string) {
    super('The mutation was executed before.');
  }
}

/** Maximum time to render a payload: other writes wait meanwhile, and give up after 5 seconds. */
const RENDER_MS = 2 * SECOND;
const SUCCESS = 200;

/**
 * The change of one mutation field with an Idempotency-Key. Its transaction stays open while the payload is
 * rendered, and stores the payload before it commits: after a crash, either both exist or neither. Rendering
 * after the commit would hold the write lock for a shorter time, but a crash in between would leave an effect
 * without its payload (decisions.md#idempotency).
 */
export class RepeatableChange {
  readonly #rendered = Promise.withResolvers<StoredPayload>();
  #transaction: Promise<void> | null = null;
  #isOpen = false;

  constructor(
    private readonly key: IdempotencyKey,
    private readonly responses: StoredResponses,
    private readonly loaders: RequestLoaders,
  ) {}

  /** Whether the change was made and `commit` is expected. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /**
   * Makes the change, and leaves its transaction open for the reads of the operation. Errors: those of `use`,
   * which roll back, `idempotency_mismatch`, and `StoredPayloadFound`.
   */
  run<T>(units: Pick<Units, 'write'>, caller: Caller, use: (work: WriteWork) => Promise<T>): Promise<T> {
    if (this.#transaction !== null) throw new Error('A mutation makes one change.');
    return new Promise((resolve, reject) => {
      this.#transaction = units.write(caller, async (work) => {
        await this.#refuseStored(work);
        const result = await use(work);
        this.loaders.enterTransaction(work);
        this.#isOpen = true;
        resolve(result);
        await this.#store(work, await this.#renderedInTime());
      });
      this.#transaction.catch(reject);
    });
  }

  /**
   * Refuses a repeated request before a change in several units of work; `run` makes the last one. Errors:
   * `idempotency_mismatch`, and `StoredPayloadFound`.
   */
  async refuseRepeated(units: Pick<Units, 'write'>, caller: Caller): Promise<void> {
    await units.write(caller, (work) => this.#refuseStored(work));
  }

  /** Stores the payload and commits. Errors: those of the commit, and `busy` if rendering took too long. */
  async commit(payload: StoredPayload): Promise<void> {
    await this.loaders.leaveTransaction();
    this.#isOpen = false;
    this.#rendered.resolve(payload);
    await this.#transaction;
  }

  /** Rolls back if the transaction is open. */
  async abandon(): Promise<void> {
    if (!this.#isOpen) return;
    await this.loaders.leaveTransaction();
    this.#isOpen = false;
    this.#rendered.reject(new Error('The payload was not rendered.'));
    await this.#transaction?.catch(() => undefined);
  }

  async #refuseStored(work: WriteWork): Promise<void> {
    const stored = await this.responses.find(work, this.key);
    if (stored !== undefined) throw new StoredPayloadFound(stored.answer);
  }

  /** A stored response protects one content from deletion. Further contents need a stored response each. */
  async #store(work: WriteWork, payload: StoredPayload): Promise<void> {
    const [first, ...more] = new Set(payload.contents.map(({ id }) => id));
    const answer = JSON.stringify(payload);
    await this.responses.store(work, this.key, { status: SUCCESS, contentId: first ?? null, answer });
    for (const contentId of more) {
      const key = { ...this.key, call: `${this.key.call} content ${contentId}` };
      // Deletes an expired one.
      await this.responses.find(work, key);
      await this.responses.store(work, key, { status: SUCCESS, contentId, answer: '' });
    }
  }

  async #renderedInTime(): Promise<StoredPayload> {
    const timeout = setTimeout(() => this.#rendered.reject(tooSlow()), RENDER_MS);
    try {
      return await this.#rendered.promise;
    } finally {
      clearTimeout(timeout);
    }
  }
}

function tooSlow(): DomainError {
  return new DomainError(
    'busy',
    `Nothing was changed: reading the payload took more than ${RENDER_MS} ms. Select less of it, or send no Idempotency-Key.`,
    { retryAfter: 1 },
  );
}
