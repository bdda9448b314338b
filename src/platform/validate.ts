import { z } from 'zod';

import { timeZoneNamed, TIMESTAMP_EXAMPLE } from './clock.js';
import { DomainError, type FieldErrors } from './errors.js';
import type { RuleMessage } from './rules.js';

/** Message of an issue, to follow the name of its field: "is required", "must be a number". */
function describe(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'is required' : `must be ${NAMES[issue.expected] ?? issue.expected}`;
    case 'invalid_value':
      return `must be one of ${issue.values.map(String).join(', ')}`;
    case 'unrecognized_keys':
      return `has unknown fields: ${issue.keys.join(', ')}`;
    case 'invalid_key':
      return issue.issues.map(describe).join('; ');
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

z.config({ customError: (issue) => messageOfLimit(issue) });

/** Message of a number, text or list beyond a limit, where its model has none of its own. */
function messageOfLimit({ code, origin, maximum, minimum }: z.core.$ZodRawIssue): RuleMessage | undefined {
  const isNumber = origin === 'number' || origin === 'int';
  if (code === 'too_small') return isNumber ? `must be at least ${Number(minimum)}` : 'must not be empty';
  if (code !== 'too_big') return undefined;
  if (isNumber) return `must be at most ${Number(maximum)}`;
  return `must have at most ${Number(maximum)} ${origin === 'array' ? 'entries' : 'characters'}`;
}

/** The value as the schema transforms it. Errors: `invalid`, with the messages of every field that is not valid. */
export function parse<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const result = schema.safeParse(value, { reportInput: true });
  if (result.success) return result.data;
  throw new DomainError('invalid', 'Some fields are not valid.', { fields: fieldErrors(result.error) });
}

/** A problem of a value, and the names that lead to it. */
export interface Problem {
  readonly path: readonly string[];
  readonly message: string;
}

/** The value as the schema transforms it, or all of its problems. */
export function checked<S extends z.ZodType>(schema: S, value: unknown) {
  const { data, error } = schema.safeParse(value, { reportInput: true });
  const problems = error?.issues.map((issue): Problem => {
    return { path: issue.path.map(String), message: describe(issue) };
  });
  return { data, problems: problems ?? [] };
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

/** The id in a text; undefined unless in canonical form: SQLite would read "01" and "1e0" as 1. */
export function idFromText(text: string): number | undefined {
  if (!/^[1-9][0-9]{0,15}$/.test(text)) return undefined;
  const id = Number(text);
  return Number.isSafeInteger(id) ? id : undefined;
}

type Given<G> = Exclude<G, undefined>;

/**
 * A copy of `current` with the given fields: an absent one (undefined) keeps its value, null clears it. A
 * field that `current` does not have, or has with another type, does not compile.
 */
export function changed<
  T extends object,
  G extends { readonly [K in keyof G]: K extends keyof T ? T[K] | undefined : never },
>(current: T, given: G): T {
  return { ...current, ...withoutUndefined(given) };
}

/** The optional fields of a model whose value is never null: an absent one needs a default. */
type NeedsDefault<V> = {
  readonly [K in keyof V as undefined extends V[K] ? (null extends V[K] ? never : K) : never]-?: Given<V[K]>;
};

type Complete<V, D> = D & { readonly [K in keyof V]-?: Given<V[K]> };

/**
 * The values of a new record: the valid input, completed with `defaults`, and with null for a nullable field
 * that is in neither of them. Errors: `invalid`.
 */
export function newValues<S extends z.ZodObject, D extends NeedsDefault<z.output<S>>>(
  schema: S,
  input: unknown,
  defaults: D,
): Complete<z.output<S>, D> {
  const given = withoutUndefined(parse(schema, input));
  const nulls = Object.fromEntries(Object.keys(schema.shape).map((field) => [field, null]));
  return { ...nulls, ...defaults, ...given } as unknown as Complete<z.output<S>, D>;
}

export function withoutUndefined(object: object): object {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));
}

/** Audit fields of a record: its revision, and when, by whom and through which surface it was created. */
export interface Audit {
  /** Starts at 1 and grows with each change. Clients name it in If-Match (as an ETag) and `ifMatch`. */
  readonly revision: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  /** Id of the user who created it. */
  readonly createdBy: number;
  readonly createdVia: 'api' | 'interface';
}

/**
 * Optimistic locking, in the transaction of the change. `state` is that of the record, usually its `revision`;
 * `accepted` are those for which the client allows the change, null any. `current` is the record, for the error. Errors: `stale`.
 */
export function demandUnchanged<State>(
  state: State,
  accepted: readonly State[] | null,
  message: string,
  current?: object,
): void {
  if (accepted === null || accepted.includes(state)) return;
  throw new DomainError('stale', message, current === undefined ? {} : { current });
}

/** Schema of the name of a time zone. */
export const TimeZone = z
  .string()
  .refine(
    (zone) => timeZoneNamed(zone) !== undefined,
    'must be an IANA time zone, for instance America/Sao_Paulo',
  );

/** Control, format and surrogate characters, line separators, and letters without a visible form. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u034f\u115f\u1160\u3164\uffa0]/u;
const UNSTORABLE = /[\0\p{Cs}]/u;
const codePoints = (text: string): number => Array.from(text).length;

/** Longer than any name. To compose a long run of combining marks takes quadratic time. */
const MAX_COMPOSED = 2048;

/** NFC form, so that a name has one spelling. Longer text than any name is returned unchanged. */
export function normalized(text: string): string {
  return text.length > MAX_COMPOSED ? text : text.normalize('NFC');
}

/** False for text that cannot be the name of a record, for example text with a control character. */
export const isNameLike = (text: string): boolean => !INVISIBLE.test(text);

export const NOT_STORABLE = 'must not contain NUL or unpaired surrogates';

export const isStorable = (text: string): boolean => !UNSTORABLE.test(text);

/** A refinement that reports the message returned by `problemOf`; undefined accepts the text. */
function refusedBy(problemOf: (text: string) => RuleMessage | undefined) {
  return (text: string, context: z.RefinementCtx): void => {
    const message = problemOf(text);
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  };
}

/** A name, number or serial number: NFC, 1 to `max` printable characters, no space at either end. */
export function printableName(max: number): z.ZodType<string, string> {
  return z
    .string()
    .meta({ minLength: 1, maxLength: max })
    .transform(normalized)
    .superRefine(refusedBy((text) => problemOfName(text, max)));
}

function problemOfName(text: string, max: number): RuleMessage | undefined {
  if (text.length === 0) return 'must not be empty';
  if (codePoints(text) > max) return `must have at most ${max} characters`;
  if (INVISIBLE.test(text)) return 'must not contain control or invisible characters';
  if (text.trim() !== text) return 'must not begin or end with a space';
  // HTTP clients remove these two path segments before they send a URL.
  if (text === '.' || text === '..') return 'must not be "." or ".."';
  return undefined;
}

/** Text of up to `max` characters, line breaks included; NUL and unpaired surrogates are refused. */
export function freeText(max: number): z.ZodType<string, string> {
  return z
    .string()
    .meta({ maxLength: max })
    .superRefine(refusedBy((text) => problemOfText(text, codePoints(text), max, 'characters')));
}

/** Text of up to `max` bytes of UTF-8. */
export function boundedBytes(max: number): z.ZodType<string, string> {
  return z
    .string()
    .meta({ description: `At most ${max} bytes of UTF-8.` })
    .superRefine(refusedBy((text) => problemOfText(text, Buffer.byteLength(text), max, 'bytes')));
}

function problemOfText(
  text: string,
  size: number,
  max: number,
  unit: 'characters' | 'bytes',
): RuleMessage | undefined {
  if (size > max) return `must have at most ${max} ${unit}`;
  return isStorable(text) ? undefined : NOT_STORABLE;
}

/** Type of `camelCase(name)`: `'serialNumber'` for `'serial_number'`. */
export type CamelCase<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Name;

/** Converts `serial_number` to `serialNumber`. */
export function camelCase(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** Converts `serialNumber` to `serial_number`. */
export function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Fields of a model by their names in rows and bodies: `serialNumber` by `serial_number`. */
export const fieldsBySnakeCase = ({ shape }: { readonly shape: object }): ReadonlyMap<string, string> =>
  new Map(Object.keys(shape).map((name) => [snakeCase(name), name]));

/** Words that stand for a boolean, in lower case. */
export const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ...['true', '1', 'on', 'yes', 't'].map((text) => [text, true] as const),
  ...['false', '0', 'off', 'no', 'f'].map((text) => [text, false] as const),
]);

/** The result of a function, or the domain error that it throws. */
export function orProblem<T>(make: () => T): T | DomainError {
  try {
    return make();
  } catch (error) {
    if (error instanceof DomainError) return error;
    throw error;
  }
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value of a JSON text; undefined for any other text. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
