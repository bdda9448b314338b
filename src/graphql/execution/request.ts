import type { Budget } from '../../http/request-context.js';
import type { Caller } from '../../platform/caller.js';

/** An operation that goes on, event by event. */
export interface SubscriptionRequest {
  /** Who asks, as of now; what follows is executed for that caller. Errors: `unauthenticated`. */
  readonly caller: () => Promise<Caller>;
  /** Aborted when nobody takes the events any more. */
  readonly signal: AbortSignal;
  /** The last event that the client has, where its transport says so. */
  readonly lastSeen: number | null;
}

/** What is known of a request besides who asks. */
export interface RequestFacts {
  /** The client's hourly budget; null where none is kept. */
  readonly budget: Budget | null;
  /** The client's word that a repeated mutation is the same one. */
  readonly idempotencyKey: string | null;
  /** Null where there is one answer. */
  readonly lasting: SubscriptionRequest | null;
}

export const NO_FACTS: RequestFacts = { budget: null, idempotencyKey: null, lasting: null };

/** What is written down while a request is answered. */
export interface OperationCounters {
  /** Records answered. */
  nodes: number;
  /** Whether a mutation was answered from what was kept. */
  replayed: boolean;
}

/** The field of the mutation that is being executed. */
export interface MutationCall {
  readonly field: string;
  /** The field's name in the answer: tells two calls of one document apart. */
  readonly alias: string;
  /** Coerced, with uploads as promises. */
  readonly args: Readonly<Record<string, unknown>>;
}
