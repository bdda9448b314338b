import * as g from '../../../graphql/index.js';

/** Fields of devices and logical numbers. */
export const DESCRIBED_FIELDS = {
  tags: g.text.list('Words by which people find records again, in lower case. At most 20.'),
  notes: g.text.orNull('What people should know, in their own words. Null if there is nothing.'),
};

export const TAGS_FILTER =
  'Condition on the tags: one of them must match, whatever the case of its letters. `isNull: true` selects records without tags.';
