import { z } from 'zod';

import { TIMESTAMP_EXAMPLE } from './encoding/timestamp.js';
import { DomainError, type FieldErrors } from './errors.js';

/** Message of an issue, to follow the name of its field: "is required", "must be a number". */
function describe(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'is required' : `must be ${NAMES[issue.expected] ?? issue.expected}`;
    case 'invalid_value':
      return `must be one of ${issue.values.map(String).join(', ')}`;
    case 'unrecognized_keys':
      return `has unknown fields: ${issue.keys.join(', ')}`;
    default:
      return issue.message;
  }
}

const NAMES: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
  record: 'an object',
  date: `a timestamp such as ${TIMESTAMP_EXAMPLE}`,
};

/**
 * The value as the schema transforms it. Errors: `invalid`, with the messages of every field that is not
 * valid.
 */
export function parse<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const result = schema.safeParse(value, { reportInput: true });
  if (result.success) return result.data;
  throw new DomainError('invalid', 'Some fields are not valid.', { fields: fieldErrors(result.error) });
}

function fieldErrors(error: z.ZodError): FieldErrors {
  const fields = new Map<string, string[]>();
  for (const issue of error.issues) {
    const [field = 'body', ...rest] = issue.path.map(String);
    const message = describe(issue);
    const known = fields.get(field) ?? [];
    known.push(rest.length === 0 ? message : `${rest.join('.')} ${message}`);
    fields.set(field, known);
  }
  return Object.fromEntries(fields);
}

/** A record's id: a whole number from 1 to 2^53 - 1. */
export const recordId = z
  .number()
  .refine((value) => Number.isSafeInteger(value) && value > 0, 'must be a positive whole number')
  .meta({ type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER });

export type Ids = readonly number[];

/** Ids of records; repeated ones are removed. */
export const recordIds = z
  .array(recordId)
  .max(1000, 'must have at most 1000 entries')
  .transform((ids) => [...new Set(ids)]);

/**
 * The id in a text; undefined unless it is in canonical form: "01" and "1e0", which SQLite would read as 1,
 * are refused.
 */
export function idFromText(text: string): number | undefined {
  if (!/^[1-9][0-9]{0,15}$/.test(text)) return undefined;
  const id = Number(text);
  return Number.isSafeInteger(id) ? id : undefined;
}
