import { z } from 'zod';

import { jsonObject } from '../../../platform/encoding/json.js';
import { type Audit, printableName } from '../../../platform/validate.js';
import type { RecordOf } from '../../../schema/schema.js';

/** Lists with filters that can be saved, by the types of their records. */
export const FILTER_KINDS = [
  'app',
  'app_version',
  'device',
  'file',
  'group',
  'job',
  'logical_number',
  'metacontent',
  'notification',
  'parameter',
  'transaction',
  'unknown_terminal',
] as const;
export type FilterKind = (typeof FILTER_KINDS)[number];

const MAX_FILTER = 16 * 1024;

const SavedFilterFields = z.object({
  name: printableName(100).describe('Name, unique among the filters of the person for the same list.'),
  kind: z.enum(FILTER_KINDS).describe('The list that it filters.'),
  filter: jsonObject(MAX_FILTER).describe(
    `The filter as the list takes it, at most ${MAX_FILTER} bytes as JSON text.`,
  ),
  shared: z.boolean().describe('Whether all members of the company see and use it.'),
});

export const SavedFilterCreate = SavedFilterFields.extend({
  shared: SavedFilterFields.shape.shared.default(false),
});
export const SavedFilterUpdate = SavedFilterFields.omit({ kind: true }).partial();

/** A filter of a list, saved under a name. `filter` is as clients write it, so that it is checked each time it is used. */
export type SavedFilter = RecordOf<'saved_filters', Audit & z.output<typeof SavedFilterFields>>;
