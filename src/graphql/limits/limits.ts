import { GraphQLError, type ASTNode } from 'graphql';

/** What an operation may be, checked before anything of it runs, over HTTP and over sockets alike. */
export const LIMITS = {
  /** Lexical tokens of a document. */
  tokens: 5_000,
  /** Fields within fields; `{ a { b } }` is 2 deep. */
  depth: 12,
  /** Fields under another name, counted wherever a fragment brings them. */
  aliases: 30,
  /** Fields of the operation itself. */
  rootFields: 30,
  /** Fields and fragments as written. */
  selections: 1_000,
  /** The same with every fragment written out where it is used. */
  expandedSelections: 10_000,
  /** Mutations that make or end a secret. */
  sensitiveMutations: 1,
  /** Objects and lists within each other in variables. */
  variableDepth: 50,
  /** Records that could be answered: the product of page sizes; see cost.ts. */
  cost: 10_000,
  /** Of the records that are read for an operation. */
  readBytes: 32 * 1024 * 1024,
  /** Of an answer; contents of files have a limit of their own. */
  answerBytes: 16 * 1024 * 1024,
  /** Entries of `errors` in an answer. */
  errors: 5,
  /** Characters of an error's message. */
  message: 500,
} as const;

/** At most once in a document, so that aliases are no way to guess or to multiply. */
export const SENSITIVE_MUTATIONS: readonly string[] = ['apiTokenCreate', 'apiTokenRevoke'];

/** An operation that is refused before it runs; over HTTP it is a 400. */
export class OperationRefused extends Error {
  override readonly name = 'Refusal';

  constructor(readonly errors: readonly [GraphQLError, ...GraphQLError[]]) {
    super(errors[0].message);
  }
}

/** An error that refuses a whole request: its code, and what else a program may want to know. */
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

/** Names the wall, its number and the operation's. */
export function beyondLimit(
  limit: keyof typeof LIMITS,
  actual: number,
  what: string,
  code = 'GRAPHQL_VALIDATION_FAILED',
): OperationRefused {
  const maximum = LIMITS[limit];
  return operationRefused(code, `${what}: ${shown(actual)}, at most ${maximum}.`, { limit, maximum, actual });
}

/** Known only once it runs: what is asked for is more than others should wait for. */
export function tooLarge(limit: 'readBytes' | 'answerBytes', bytes: number): GraphQLError {
  const maximum = LIMITS[limit];
  const what = limit === 'readBytes' ? 'The operation reads too many bytes' : 'The answer has too many bytes';
  return new GraphQLError(`${what}: ${bytes}, at most ${maximum}. Ask for fewer records at once.`, {
    extensions: { code: 'BAD_USER_INPUT', limit, maximum, actual: bytes },
  });
}

/** Beyond this, nobody needs the exact number. */
const MANY = 1_000_000_000;

function shown(actual: number): string {
  return actual > MANY ? `more than ${MANY}` : String(actual);
}
