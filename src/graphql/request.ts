import type { Budget } from '../http/context.js';

/** What is known of a request besides who asks. */
export interface RequestFacts {
  /** The client's hourly budget; null where none is kept. */
  readonly budget: Budget | null;
  /** The client's word that a repeated mutation is the same one. */
  readonly idempotencyKey: string | null;
}

export const NO_FACTS: RequestFacts = { budget: null, idempotencyKey: null };

/** What is written down while a request is answered. */
export interface Tally {
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
