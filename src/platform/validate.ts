import { z } from 'zod';

import { DomainError, type FieldErrors } from './errors.js';

/** What a value must be, in words for the person who sent it. */
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
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};

/** The value in the model's form; otherwise an `invalid` error that names every field at fault. */
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

/** A record's id: a positive whole number that a double holds exactly. */
export const recordId = z
  .number()
  .refine((value) => Number.isSafeInteger(value) && value > 0, 'must be a positive whole number')
  .meta({ type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER });

/** A list of ids, each once. */
export const recordIds = z
  .array(recordId)
  .max(1000, 'must have at most 1000 entries')
  .transform((ids) => [...new Set(ids)]);

/** Whether a text from outside is the one canonical form of an id: SQLite would take "01" and "1e0" for 1. */
export function idFromText(text: string): number | undefined {
  if (!/^[1-9][0-9]{0,15}$/.test(text)) return undefined;
  const id = Number(text);
  return Number.isSafeInteger(id) ? id : undefined;
}
