import { z } from 'zod';

import { problemOfJson, type Json } from '../../platform/encoding/json.js';
import { printableName } from '../../platform/text.js';
import type { OwnedRecord } from '../owner/owner.model.js';

const MAX_VALUE_BYTES = 256 * 1024;

const key = printableName(255).describe('Key, unique for its owner.');
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
  // Depth first: a serializer overflows on what is nested too deep.
  const problem = problemOfJson(given);
  if (problem !== undefined) return problem;
  return Buffer.byteLength(JSON.stringify(given)) > MAX_VALUE_BYTES
    ? `must have at most ${MAX_VALUE_BYTES} bytes as JSON text`
    : undefined;
}

export const MetacontentCreate = z.object({ key, value });
export const MetacontentUpdate = z.object({ key: key.optional(), value: value.optional() });

export interface MetacontentValues {
  readonly key: string;
  readonly value: Json;
}

export interface Metacontent extends OwnedRecord, MetacontentValues {}
