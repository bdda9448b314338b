import type { ReadWork } from '../../database/work.js';
import { isTurnOver, yieldToEventLoop } from '../../platform/concurrency/event-loop.js';
import type { Variables } from '../limits/cost.js';
import { LIMITS } from '../limits/limits.js';

/** Ends a plan: the resolvers execute the operation instead. Its message is never shown. */
export class Unplanned extends Error {
  override readonly name = 'Unplanned';
}

/**
 * Characters of a text that a plan makes in one go: the resolvers make longer ones, in parts. What the limit of a response
 * measures is at most twice as much.
 */
const MAX_CHARACTERS = LIMITS.answerBytes / 4;

/** One execution of a plan. */
export class PlanRun {
  /** Records in the response: `extensions.cost.actual`. */
  nodes = 0;

  constructor(
    readonly work: ReadWork,
    /** Coerced. */
    readonly variables: Variables,
  ) {}

  /** To be awaited between parts. */
  async pause(): Promise<void> {
    if (isTurnOver()) await yieldToEventLoop();
  }
}

/** Errors: `Unplanned`. */
export function demandShort(text: string): void {
  if (text.length > MAX_CHARACTERS) throw new Unplanned('A long response');
}

/** A JSON list. Errors: `Unplanned` for a long one. */
export function listText(entries: readonly string[]): string {
  let text = '[';
  for (const entry of entries) {
    text += text.length === 1 ? entry : `,${entry}`;
    demandShort(text);
  }
  return `${text}]`;
}
