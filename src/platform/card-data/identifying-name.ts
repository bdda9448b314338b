import type { z } from 'zod';

import { printableName } from '../encoding/text.js';
import { hasCardData } from './card-data.js';

/**
 * A name, number or serial number of up to `max` characters. Card data is refused instead of masked, because
 * a masked text no longer identifies.
 */
export function identifyingName(max: number): z.ZodType<string, string> {
  return printableName(max).refine(
    (name) => !hasCardData(name),
    'must not have a card number in it: use another one, or put letters before and after its digits',
  );
}
