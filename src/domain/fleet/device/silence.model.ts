import { z } from 'zod';

import { jsonObject } from '../../../platform/encoding/json.js';
import { rule } from '../../../platform/rules.js';
import { TimeZone } from '../../../platform/validate.js';
import { timeOfRule } from '../../base/alert/alert.model.js';

const HOURS = ['fromHour', 'toHour', 'timeZone'] as const;

/** The condition of alerts of silent terminals. */
export const Silence = z
  .object({
    /** As clients write it; all devices without it. */
    filter: jsonObject(16 * 1024).nullish(),
    percent: z.number().int().min(1).max(100),
    silentFor: timeOfRule(90),
    fromHour: z.number().int().min(0).max(23).nullish(),
    toHour: z.number().int().min(1).max(24).nullish(),
    timeZone: TimeZone.nullish(),
  })
  .superRefine((given, context) => {
    const missing = HOURS.filter((name) => given[name] == null);
    if (missing.length % HOURS.length === 0) return;
    const broken = rule('is required: {advice}', { advice: `hours have ${HOURS.join(', ')}` });
    for (const name of missing) context.addIssue({ code: 'custom', path: [name], ...broken });
  });
export type Silence = z.output<typeof Silence>;
