import { z } from 'zod';

import { KeptFilter, refineThreshold, Threshold } from '../../base/alert/alert.model.js';

/** The condition of alerts of batteries and signals. */
export const Level = z
  .object({
    /** All devices without it. */
    filter: KeptFilter,
    below: z.number().int().min(1).max(100),
    ...Threshold.shape,
  })
  .superRefine(refineThreshold());
export type Level = z.output<typeof Level>;
