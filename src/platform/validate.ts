import { z } from 'zod';

import { DomainError, invalidFields } from './errors.js';
import {
  type BrokenRule,
  type FieldMessage,
  type Problem,
  problemOf,
  problemOfPart,
  type RecordMessage,
  rule,
} from './rules.js';
import { timeZoneNamed, TIMESTAMP_EXAMPLE } from './timestamps.js';

/** The problems of an issue: several only for the name of a value in a record. */
function problemsOf(issue: z.core.$ZodIssue): readonly Problem[] {
  switch (issue.code) {
    case 'invalid_type':
      return [issue.input === undefined ? problemOf(rule('is required')) : wrongType(issue.expected)];
    case 'invalid_value':
      return [problemOf(rule('must be one of {values}', { values: issue.values.map(String).join(', ') }))];
    case 'unrecognized_keys':
      return [problemOf(rule('has unknown fields: {fields}', { fields: issue.keys.join(', ') }))];
    case 'invalid_key':
      return issue.issues.flatMap(problemsOf);
    case 'custom':
      return [problemOf(issue)];
    default:
      return [problemOf({ message: issue.message, params: issue })];
  }
}

const wrongType = (expected: string): Problem =>
  problemOf(TYPES[expected] ?? { message: `must be ${expected}` });

const TYPES: Readonly<Record<string, BrokenRule>> = {
  string: rule('must be a string'),
  number: rule('must be a number'),
  int: rule('must be a whole number'),
  boolean: rule('must be true or false'),
  array: rule('must be an array'),
  object: rule('must be an object'),
  record: rule('must be an object'),
  date: rule('must be a timestamp such as {example}', { example: TIMESTAMP_EXAMPLE }),
};

z.config({ customError: (issue) => messageOfLimit(issue) });

/** Message of a number, text or list beyond a limit, where its model has none of its own. */
function messageOfLimit({ code, origin }: z.core.$ZodRawIssue): FieldMessage | undefined {
  const isNumber = origin === 'number' || origin === 'int';
  if (code === 'too_small') return isNumber ? 'must be at least {minimum}' : 'must not be empty';
  if (code !== 'too_big') return undefined;
  if (isNumber) return 'must be at most {maximum}';
  return `must have at most {maximum} ${origin === 'array' ? 'entries' : 'characters'}`;
}

/** The value as the schema transforms it. Errors: `invalid`, with the problems of every field that is not valid. */
export function parse<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const { data, problems } = checked(schema, value);
  if (problems.length === 0) return data as z.output<S>;
  const placed = problems.map(({ path: [field = 'body', ...rest], ...problem }) => {
    return { field, problem: rest.length === 0 ? problem : problemOfPart(rest.join('.'), problem) };
  });
  const byField = Map.groupBy(placed, ({ field }) => field);
  const fields = Array.from(byField, ([field, own]) => [field, own.map(({ problem }) => problem)] as const);
  throw invalidFields(Object.fromEntries(fields));
}

/** A problem of a value, and the names that lead to it. */
export interface PlacedProblem extends Problem {
  readonly path: readonly string[];
}

/** The value as the schema transforms it, or all of its problems. */
export function checked<S extends z.ZodType>(schema: S, value: unknown) {
  const { data, error } = schema.safeParse(value, { reportInput: true });
  const problems = error?.issues.flatMap((issue): readonly PlacedProblem[] => {
    const path = issue.path.map(String);
    return problemsOf(issue).map((problem) => ({ path, ...problem }));
  });
  return { data, problems: problems ?? [] };
}

/** A record's id: a whole number from 1 to 2^53 - 1. */
export const recordId = z
  .number()
  .refine((value) => Number.isSafeInteger(value) && value > 0, rule('must be a positive whole number'))
  .meta({ type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER });

export type Ids = readonly number[];

/** Ids of records; repeated ones are removed. */
export const recordIds = z
  .array(recordId)
  .max(1000)
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
export function requireUnchanged<State>(
  state: State,
  accepted: readonly State[] | null,
  message: string | BrokenRule<RecordMessage>,
  current?: object,
): void {
  if (accepted === null || accepted.includes(state)) return;
  throw new DomainError('stale', message, current === undefined ? {} : { current });
}

export const TimeZone = z
  .string()
  .refine(
    (zone) => timeZoneNamed(zone) !== undefined,
    rule('must be an IANA time zone, for instance {example}', { example: 'America/Sao_Paulo' }),
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

export const isStorable = (text: string): boolean => !UNSTORABLE.test(text);

/** The rule by which a text cannot be stored; undefined if it can. */
export const brokenByStoring = (text: string): BrokenRule | undefined =>
  isStorable(text) ? undefined : rule('must not contain NUL or unpaired surrogates');

/** A refinement that reports the rule that a value breaks; undefined accepts it. */
export function refusedBy<Value>(brokenBy: (value: Value) => BrokenRule | undefined) {
  return (value: Value, context: z.RefinementCtx): void => {
    const broken = brokenBy(value);
    if (broken !== undefined) context.addIssue({ code: 'custom', ...broken });
  };
}

/** A name, number or serial number: NFC, 1 to `max` printable characters, no space at either end. */
export function printableName(max: number): z.ZodType<string, string> {
  return z
    .string()
    .meta({ minLength: 1, maxLength: max })
    .transform(normalized)
    .superRefine(refusedBy((text) => brokenByName(text, max)));
}

function brokenByName(text: string, maximum: number): BrokenRule | undefined {
  if (text.length === 0) return rule('must not be empty');
  if (codePoints(text) > maximum) return rule('must have at most {maximum} characters', { maximum });
  if (INVISIBLE.test(text)) return rule('must not contain control or invisible characters');
  if (text.trim() !== text) return rule('must not begin or end with a space');
  // HTTP clients remove these two path segments before they send a URL.
  if (text === '.' || text === '..') return rule('must not be "." or ".."');
  return undefined;
}

/** Text of up to `max` characters, line breaks included; NUL and unpaired surrogates are refused. */
export const freeText = (max: number): z.ZodType<string, string> =>
  boundedText(z.string().meta({ maxLength: max }), max, codePoints, 'characters');

/** Text of up to `max` bytes of UTF-8. */
export const boundedBytes = (max: number): z.ZodType<string, string> =>
  boundedText(
    z.string().describe(`At most ${max} bytes of UTF-8.`),
    max,
    (text) => Buffer.byteLength(text),
    'bytes',
  );

const boundedText = (
  model: z.ZodString,
  maximum: number,
  sizeOf: (text: string) => number,
  unit: 'characters' | 'bytes',
): z.ZodString =>
  model.superRefine(
    refusedBy((text) =>
      sizeOf(text) > maximum
        ? rule(`must have at most {maximum} ${unit}`, { maximum })
        : brokenByStoring(text),
    ),
  );

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
