import { z } from 'zod';

import {
  Days,
  HoursOfRule,
  KeptFilter,
  refineHours,
  refineThreshold,
  Threshold,
  timeOfRule,
} from '../../base/alert/alert.model.js';

/** The condition of alerts of silent terminals. */
export const Silence = z
  .object({
    /** All devices without it. */
    filter: KeptFilter,
    ...Threshold.shape,
    silentFor: timeOfRule(90),
    ...HoursOfRule.shape,
    /** Other days do not count as silence. */
    days: Days,
  })
  .superRefine(refineHours)
  .superRefine(refineThreshold());
export type Silence = z.output<typeof Silence>;
