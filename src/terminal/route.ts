import type { z } from 'zod';

import type { WriteWork } from '../database/work.js';

/** A route below /terminal/v1. `T` is a terminal that may use the service. */
export interface TerminalRoute<T> {
  readonly method: 'POST';
  /** Below /terminal/v1, for example `/report`. */
  readonly path: string;
  /** Fields of the JSON body, in the model's names; others are ignored. */
  readonly body: z.ZodObject;
  /** Resolves to the body of the response. */
  write(work: WriteWork, terminal: T, input: Readonly<Record<string, unknown>>): Promise<object>;
}
