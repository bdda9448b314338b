import { z } from 'zod';

import { boundedBytes, freeText, printableName } from '../../../platform/encoding/text.js';
import type { OwnedRecord } from '../owner/owner.model.js';

/** Fields of a parameter that clients set. */
const ParameterFields = z.object({
  key: printableName(255).describe('Key, unique for its owner.'),
  value: boundedBytes(64 * 1024).describe('Value, up to 64 KiB.'),
  description: freeText(4096).nullable().describe('What the parameter is for.'),
});

export const ParameterUpdate = ParameterFields.partial();
export const ParameterCreate = ParameterFields.partial({ description: true });

export type ParameterValues = Readonly<z.output<typeof ParameterFields>>;

export interface Parameter extends OwnedRecord, ParameterValues {}

/** A parameter as terminals of a logical number receive it. */
export interface EffectiveParameter extends ParameterValues {
  readonly source: 'LOGICAL_NUMBER' | 'GROUP';
  /** The group's parameter with the same key, if the logical number has its own. */
  readonly overridden: Parameter | null;
}
