import { z } from 'zod';

import { problemOfJson, type Json } from '../../../platform/encoding/json.js';
import { printableName } from '../../../platform/encoding/text.js';
import type { OwnedRecord } from '../owner/owner.model.js';

const MAX_VALUE_BYTES = 256 * 1024;

const value = z
  .unknown()
  .transform((given, context): Json => {
    const problem = problemOfValue(given);
    if (problem === undefined) return given as Json;
    context.addIssue({ code: 'custom', message: problem });
    return z.NEVER;
  })
  .describe('Any JSON, up to 256 KiB as text.');

function problemOfValue(given: unknown): string | undefined {
  if (given === undefined) return 'is required';
  // The depth is checked first: JSON.stringify overflows the stack on values that are nested too deep.
  const problem = problemOfJson(given);
  if (problem !== undefined) return problem;
  return Buffer.byteLength(JSON.stringify(given)) > MAX_VALUE_BYTES
    ? `must have at most ${MAX_VALUE_BYTES} bytes as JSON text`
    : undefined;
}

/** Fields of a metacontent that clients set. */
const MetacontentFields = z.object({
  key: printableName(255).describe('Key, unique for its owner.'),
  value,
});

export const MetacontentCreate = MetacontentFields;
export const MetacontentUpdate = MetacontentFields.partial();

export interface Metacontent extends OwnedRecord, Readonly<z.output<typeof MetacontentFields>> {}
