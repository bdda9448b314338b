import type { WaitingSince } from '../../http/monitoring/operations.js';
import type { Budget } from '../../http/request.js';
import type { Caller } from '../../platform/caller.js';

/** The connection of a subscription. */
export interface SubscriptionRequest {
  /** Authenticates again. Each event is executed for the caller returned here. Errors: `unauthenticated`. */
  readonly caller: () => Promise<Caller>;
  /** Aborted when the client has left. */
  readonly signal: AbortSignal;
  /** `Last-Event-ID`: the last event that the client received; null if its transport does not report it. */
  readonly lastSeen: number | null;
  /** Makes the subscriber's delay part of the metrics, until the returned function is called. */
  readonly track: (waitingSince: WaitingSince) => () => void;
}

/** Facts of a request besides its caller. */
export interface RequestFacts {
  /** The client's hourly request budget; null if requests are not limited. */
  readonly budget: Budget | null;
  /** The client's Idempotency-Key; null if it sent none. */
  readonly idempotencyKey: string | null;
  /** Null for queries and mutations. */
  readonly subscription: SubscriptionRequest | null;
}

export const NO_FACTS: RequestFacts = { budget: null, idempotencyKey: null, subscription: null };

/** Counts what an operation does while it runs. */
export interface OperationCounters {
  /** Records in the response: `extensions.cost.actual`. */
  nodes: number;
  /** Whether a mutation was answered from its stored payload. */
  replayed: boolean;
  /** Whether it began to change something. */
  hasChanged: boolean;
}
