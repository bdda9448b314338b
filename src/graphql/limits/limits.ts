import { GraphQLError, type ASTNode } from 'graphql';

/** Limits of an operation, the same over HTTP, sockets and streams. Most are checked before it runs. */
export const LIMITS = {
  /** Lexical tokens of a document. */
  tokens: 5_000,
  /** Nesting of fields: 2 for `{ a { b } }`. */
  depth: 12,
  /** Fields with an alias, fragments expanded. */
  aliases: 30,
  /** Fields of the operation itself. */
  rootFields: 30,
  /** Fields and fragments in the document. */
  selections: 1_000,
  /** The same with fragments expanded. */
  expandedSelections: 10_000,
  /** Mutations that create or revoke a secret. */
  sensitiveMutations: 1,
  /** Nesting of objects and lists in variables. */
  variableDepth: 50,
  /** Objects and lists in variables, and all values in them: reading 15,000 objects takes about 30 ms. */
  variableObjects: 15_000,
  variableValues: 100_000,
  /** Records that the response can have at most: the product of page sizes, see cost.ts. */
  cost: 10_000,
  /**
   * Values that an operation may examine: comparisons in the rows that no index bounds, see examined.ts. They take about
   * a second.
   */
  examined: 20_000_000,
  /** The same for what must be read at once: for an event, or while a mutation with an Idempotency-Key is not committed. */
  examinedTogether: 200_000,
  /** Entries of lists without pages, such as the effective parameters of logical numbers, that are merged and shown. */
  unpagedEntries: 10_000,
  /** Bytes of the records that an operation reads from lists that may be large. */
  readBytes: 32 * 1024 * 1024,
  /** Bytes of a response, without contents of files, which have their own limit. */
  answerBytes: 16 * 1024 * 1024,
  /** Entries of `errors` in a response. */
  errors: 5,
  /** Characters of an error's message. */
  message: 500,
} as const;

/** Bytes of a response: measuring it, or making its text, takes about 5 ms. After each, others run. */
export const LONG_RESPONSE = 256 * 1024;

/** Refuses an operation before it runs. Over HTTP: status 400. */
export class OperationRefused extends Error {
  override readonly name = 'OperationRefused';

  constructor(readonly errors: readonly [GraphQLError, ...GraphQLError[]]) {
    super(errors[0].message);
  }
}

/** `details` become extensions beside the code, for example `{ limit, maximum, actual }`. */
export function operationRefused(
  code: string,
  message: string,
  details: Readonly<Record<string, unknown>> = {},
): OperationRefused {
  return new OperationRefused([requestRefused(code, message, details)]);
}

export function requestRefused(
  code: string,
  message: string,
  details: Readonly<Record<string, unknown>> = {},
  nodes?: readonly ASTNode[],
): GraphQLError {
  return new GraphQLError(message, {
    nodes: nodes ?? null,
    extensions: { code, ...details, http: { status: 400 } },
  });
}

/** The operation exceeds a limit, for example "The operation is nested too deeply: 13, at most 12." */
export function beyondLimit(
  limit: keyof typeof LIMITS,
  actual: number,
  what: string,
  code = 'GRAPHQL_VALIDATION_FAILED',
): OperationRefused {
  const maximum = LIMITS[limit];
  return operationRefused(code, `${what}: ${rounded(actual)}, at most ${maximum}.`, {
    limit,
    maximum,
    actual,
  });
}

const NARROW =
  'Use fewer comparisons, or narrow the records: by a unique field such as serialNumber, or by an interval of startedAt.';

type ExaminedLimit = 'examined' | 'examinedTogether';

/** The operation could examine more than a limit. */
export function beyondExamined(limit: ExaminedLimit, actual: number): OperationRefused {
  const maximum = LIMITS[limit];
  return operationRefused(
    'GRAPHQL_VALIDATION_FAILED',
    `The operation could examine too many values ${whereOf(limit)}: ${rounded(actual)}, at most ${maximum}. ${NARROW}`,
    { limit, maximum, actual },
  );
}

/** The same, found while the operation runs. */
export function examinedTooMuch(limit: ExaminedLimit): GraphQLError {
  const maximum = LIMITS[limit];
  return new GraphQLError(
    `The operation examines too many values ${whereOf(limit)}: at most ${maximum}. ${NARROW}`,
    { extensions: { code: 'BAD_USER_INPUT', limit, maximum } },
  );
}

/** The operation shows more entries of lists without pages than the limit; found while it runs. */
export function tooManyEntries(): GraphQLError {
  const maximum = LIMITS.unpagedEntries;
  return new GraphQLError(
    `The operation shows too many entries of lists without pages: at most ${maximum}. Ask for fewer records.`,
    { extensions: { code: 'BAD_USER_INPUT', limit: 'unpagedEntries', maximum } },
  );
}

function whereOf(limit: ExaminedLimit): string {
  const parts = 'in filters and counts';
  return limit === 'examined' ? parts : `${parts} of an event, or of a mutation with an Idempotency-Key`;
}

/** The error of an operation that exceeds a limit of bytes while it runs. */
export function tooLarge(limit: 'readBytes' | 'answerBytes', bytes: number): GraphQLError {
  const maximum = LIMITS[limit];
  const what =
    limit === 'readBytes' ? 'The operation reads too many bytes' : 'The response has too many bytes';
  return new GraphQLError(`${what}: ${bytes}, at most ${maximum}. Ask for fewer records.`, {
    extensions: { code: 'BAD_USER_INPUT', limit, maximum, actual: bytes },
  });
}

/** Larger numbers are not shown exactly. */
const LARGEST_SHOWN = 1_000_000_000;

function rounded(actual: number): string {
  return actual > LARGEST_SHOWN ? `more than ${LARGEST_SHOWN}` : String(actual);
}
