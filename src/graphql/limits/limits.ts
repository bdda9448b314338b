import { GraphQLError } from 'graphql';

import { MANY_ROWS } from '../../database/company/company-rows.js';
import { isTurnOver, yieldToEventLoop } from '../../platform/concurrency/event-loop.js';
import { requestError } from '../schema/errors.js';

const MIB = 1024 * 1024;

interface Limit {
  readonly value: number;
  readonly meaning: string;
}

const limit = (value: number, meaning: string): Limit => ({ value, meaning });

/** Limits of an operation on every transport, printed in src/docs/reference/limits.md. Most are checked before it runs. */
export const DECLARED_LIMITS = {
  tokens: limit(5_000, 'lexical tokens of a document'),
  depth: limit(12, 'nesting of fields: 2 for `{ a { b } }`'),
  aliases: limit(30, 'fields with an alias, fragments expanded'),
  rootFields: limit(30, 'fields of the operation itself'),
  selections: limit(1_000, 'fields and fragments in the document'),
  expandedSelections: limit(10_000, 'fields and fragments in the document, fragments expanded'),
  sensitiveMutations: limit(1, 'mutations that create or revoke a secret'),
  variableDepth: limit(50, 'nesting of objects and lists in variables'),
  /** Reading 15,000 objects takes about 30 ms. */
  variableObjects: limit(15_000, 'objects and lists in variables'),
  variableValues: limit(100_000, 'values in variables'),
  cost: limit(10_000, 'records that the response can have: the product of page sizes'),
  searched: limit(
    MANY_ROWS,
    'records of the lists that the payload of a mutation with an `Idempotency-Key` searches or counts',
  ),
  unpagedEntries: limit(
    10_000,
    'entries of lists without pages, such as `effectiveParameters`; a parameter of a group counts for each of its logical numbers',
  ),
  readBytes: limit(32 * MIB, 'bytes of the records that the operation reads from lists that may be large'),
  answerBytes: limit(16 * MIB, 'bytes of a response without contents of files, which have `MAX_FILE_BYTES`'),
  errors: limit(5, 'entries of `errors` in a response; later ones are left out'),
  message: limit(500, 'characters of the message of an error; the rest is cut off'),
} as const;

type LimitName = keyof typeof DECLARED_LIMITS;

export const LIMITS = Object.fromEntries(
  Object.entries(DECLARED_LIMITS).map(([name, { value }]) => [name, value]),
) as Readonly<Record<LimitName, number>>;

/** Bytes of a response after which the event loop runs other work: they take about 5 ms. */
export const LONG_RESPONSE = 256 * 1024;

/** Refuses an operation before it runs. Over HTTP: status 400. */
export class OperationRefused extends Error {
  override readonly name = 'OperationRefused';

  constructor(readonly errors: readonly [GraphQLError, ...GraphQLError[]]) {
    super(errors[0].message);
  }
}

/** `details` become extensions beside the code, for example `{ limit, maximum, actual }`. */
export function operationRefused(code: string, message: string, details: object = {}): OperationRefused {
  const extensions = { code, ...details, http: { status: 400 } };
  return new OperationRefused([new GraphQLError(message, { extensions })]);
}

/** The operation exceeds a limit, for example "The operation is nested too deeply: 13, at most 12." */
export function beyondLimit(
  limit: LimitName,
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

export function tooLarge(limit: 'readBytes' | 'answerBytes', actual: number): GraphQLError {
  const maximum = LIMITS[limit];
  const what =
    limit === 'readBytes' ? 'The operation reads too many bytes' : 'The response has too many bytes';
  const message = `${what}: ${actual}, at most ${maximum}. Ask for fewer records.`;
  return requestError(message, { limit, maximum, actual });
}

/** Larger numbers are shown as `more than 1000000000`. */
const LARGEST_SHOWN = 1_000_000_000;

function rounded(actual: number): string {
  return actual > LARGEST_SHOWN ? `more than ${LARGEST_SHOWN}` : String(actual);
}

/** Approximate bytes of a value as JSON, at least its characters. What is there twice is measured once. */
export const approximateJsonBytes = (value: unknown): number => new JsonMeasure().of(value);

/** Bytes of a number, a boolean or null, and of the punctuation around a value. */
const SMALL = 4;
/** JSON texts of this size are made at once, longer ones in parts. */
const PART_BYTES = 64 * 1024;

/** Measures values, and makes their JSON text. */
export class JsonMeasure {
  readonly #measured = new Map<object, number>();

  of(value: unknown): number {
    if (typeof value === 'string') return value.length + SMALL;
    if (typeof value !== 'object' || value === null) return SMALL;
    const measured = this.#measured.get(value);
    if (measured !== undefined) return measured;
    let size = SMALL;
    if (Array.isArray(value) || value instanceof Map) {
      for (const part of value) size += this.of(part);
    } else {
      for (const name in value) {
        size += name.length + SMALL + this.of((value as Record<string, unknown>)[name]);
      }
    }
    this.#measured.set(value, size);
    return size;
  }

  /** The text that `JSON.stringify` makes, in parts: yields to the event loop between them. */
  async text(value: unknown): Promise<string> {
    if (typeof value !== 'object' || value === null || this.of(value) <= PART_BYTES) {
      if (isTurnOver()) await yieldToEventLoop();
      return JSON.stringify(value);
    }
    // Added to each other, the parts are copied once, when the whole text is sent: `join` would copy them at each level.
    let text = '';
    if (Array.isArray(value)) {
      for (const entry of value) {
        const part = await this.text(entry ?? null);
        text += text === '' ? part : `,${part}`;
      }
      return `[${text}]`;
    }
    for (const [name, entry] of Object.entries(value)) {
      if (entry === undefined) continue;
      const part = `${JSON.stringify(name)}:${await this.text(entry)}`;
      text += text === '' ? part : `,${part}`;
    }
    return `{${text}}`;
  }
}

/** Concurrent exports of one company: each reads as fast as its client. */
export const EXPORTS_OF_COMPANY = 4;
