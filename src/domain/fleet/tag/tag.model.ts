import { z } from 'zod';

import { rule } from '../../../platform/rules.js';
import { freeText, printableName } from '../../../platform/validate.js';

export const MAX_TAGS = 20;

const Tag = printableName(40)
  .transform((tag) => tag.toLowerCase())
  .refine((tag) => !/[\s,;]/.test(tag), rule('must not contain spaces, commas or semicolons'));

/** A tag is in lower case, so that it is the same however people write it. Repeated ones are removed. */
const Tags = z
  .array(Tag)
  .max(MAX_TAGS)
  .transform((tags) => [...new Set(tags)]);

/** Fields that people describe devices and logical numbers with; `/v1` does not have them. */
export const Described = z.object({
  tags: Tags.describe(
    'Words by which people find records again, in lower case: each of at most 40 characters, without spaces, commas and semicolons.',
  ),
  notes: freeText(2_000).nullable().describe('What people should know, in their own words.'),
});

/** Tags that many records get, and lose. */
export const TagChange = z.object({ addTags: Tags.optional(), removeTags: Tags.optional() });
export type TagChange = Readonly<z.output<typeof TagChange>>;
