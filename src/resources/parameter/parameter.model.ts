import { z } from 'zod';

import type { DomainError } from '../../platform/errors.js';
import { boundedBytes, freeText, printableName } from '../../platform/text.js';
import type { OwnedRecord } from '../owner/owner.model.js';

const key = printableName(255).describe('Key, unique for its owner.');
const value = boundedBytes(64 * 1024).describe('Value, up to 64 KiB.');
const description = freeText(4096).nullable().describe('What the parameter is for.');

export const ParameterCreate = z.object({ key, value, description: description.optional() });
export const ParameterUpdate = z.object({
  key: key.optional(),
  value: value.optional(),
  description: description.optional(),
});

export interface ParameterValues {
  readonly key: string;
  readonly value: string;
  readonly description: string | null;
}

export interface Parameter extends OwnedRecord, ParameterValues {}

/** A parameter as the terminals of a logical number get it. */
export interface EffectiveParameter extends ParameterValues {
  readonly source: 'LOGICAL_NUMBER' | 'GROUP';
  /** The group's, where the logical number has its own of the same key. */
  readonly overridden: Parameter | null;
}

/** One row of a batch; what is wrong with it is what setting it alone would have thrown. */
export interface ParameterRow {
  /** Place in the batch, from 0. */
  readonly index: number;
  /** Null where it was not set, for a problem of its own or of other rows. */
  readonly parameter: Parameter | null;
  readonly problem: DomainError | null;
}
