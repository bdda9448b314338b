import {
  getOperationAST,
  GraphQLError,
  NoSchemaIntrospectionCustomRule,
  parse,
  specifiedRules,
  validate,
  type DocumentNode,
  type GraphQLSchema,
} from 'graphql';
import { LRUCache } from 'lru-cache';

import { operationHash, type OperationList } from '../../platform/config/parsing.js';
import { costOf, type Cost, type Variables } from './cost.js';
import { beyondLimit, LIMITS, operationRefused, OperationRefused } from './limits.js';
import { checkStructure } from './structure.js';

/** A valid document within all limits that do not depend on variables. */
export interface AdmittedDocument {
  readonly document: DocumentNode;
  /** Prices that do not depend on variables, by operation name (empty for an unnamed operation). */
  readonly prices: Map<string, Price>;
}

/** The maximum cost of an operation, see cost.ts. */
export type Price = Omit<Cost, 'fixed'>;

/** Records that operations may show without a place. */
const FEW_RECORDS = 200;

/** True for an operation that takes a place: it may show many records, or large ones. */
export const isHeavy = ({ nodes, isLarge }: Price): boolean => isLarge || nodes > FEW_RECORDS;

export interface AdmissionOptions {
  readonly schema: GraphQLSchema;
  readonly development: boolean;
  /** The only documents that may run; null for any. */
  readonly allowList: OperationList | null;
  readonly sensitiveMutations: readonly string[];
}

/** Cached documents, by their texts. A parsed one takes up to 150 bytes per character of its text. */
const CACHED = { max: 500, maxSize: 512 * 1024, maxEntrySize: 64 * 1024 };

/** The checks before execution, equal for every transport. Methods throw `OperationRefused`. */
export class Admission {
  readonly #cache = new LRUCache<string, AdmittedDocument>({
    ...CACHED,
    sizeCalculation: (_admitted, text) => text.length,
  });

  constructor(private readonly options: AdmissionOptions) {}

  /** Parses and validates a document. Recent ones are cached. */
  admit(text: string): AdmittedDocument {
    const cached = this.#cache.get(text);
    if (cached !== undefined) return cached;
    const { allowList } = this.options;
    if (allowList !== null && !allowList.has(operationHash(text))) throw notInList();
    const admitted = { document: this.#validated(text), prices: new Map<string, Price>() };
    this.#cache.set(text, admitted);
    return admitted;
  }

  /** The text of an allowed document by its id in the list, or by its SHA-256, also as `sha256:…`. Errors: not in the list. */
  documentOf(id: unknown): string {
    const text = typeof id === 'string' ? this.options.allowList?.get(id.replace(/^sha256:/, '')) : undefined;
    if (text === undefined) throw notInList();
    return text;
  }

  price(admitted: AdmittedDocument, variables: Variables, operationName: string | null): Price {
    checkVariables(variables);
    const price = priceOf(this.options.schema, admitted, variables, operationName);
    if (price.nodes <= LIMITS.cost) return price;
    throw beyondLimit('cost', price.nodes, 'The operation could answer too many records');
  }

  #validated(text: string): DocumentNode {
    const { schema, development, sensitiveMutations } = this.options;
    const document = parseDocument(text);
    checkStructure(document, sensitiveMutations);
    const rules = development ? specifiedRules : [...specifiedRules, NoSchemaIntrospectionCustomRule];
    const errors = validate(schema, document, rules, {
      // One less than the limit, because graphql-js adds an entry that says there are more.
      maxErrors: LIMITS.errors - 1,
      hideSuggestions: !development,
    });
    const [first, ...others] = errors.map(invalidDocument);
    if (first !== undefined) throw new OperationRefused([first, ...others]);
    return document;
  }
}

const notInList = (): OperationRefused =>
  operationRefused(
    'PERSISTED_QUERY_NOT_IN_LIST',
    'The operation is not in the list of allowed operations of this server.',
  );

function parseDocument(text: string): DocumentNode {
  try {
    return parse(text, { maxLexicalTokens: LIMITS.tokens });
  } catch (error) {
    if (error instanceof GraphQLError) {
      const { message, source, positions } = error;
      if (message.includes(TOO_LONG)) throw tooManyTokens();
      throw new OperationRefused([
        new GraphQLError(message, {
          source,
          positions,
          extensions: { code: 'GRAPHQL_PARSE_FAILED', http: { status: 400 } },
        }),
      ]);
    }
    // The parser is recursive: brackets within brackets overflow the stack before they reach the token limit.
    if (error instanceof RangeError) {
      throw operationRefused('GRAPHQL_PARSE_FAILED', 'Syntax Error: the document is nested too deeply.');
    }
    throw error;
  }
}

/** Part of the message of graphql-js for too many tokens. graphql-js does not count the rest. */
const TOO_LONG = 'Parsing aborted.';

function tooManyTokens(): OperationRefused {
  const maximum = LIMITS.tokens;
  const message = `Syntax Error: the document has too many tokens: at most ${maximum}.`;
  return operationRefused('GRAPHQL_PARSE_FAILED', message, { limit: 'tokens', maximum });
}

/** The message of graphql-js when comparing fields with the same name takes too long. */
const ABORTED = 'Validation aborted.';

function invalidDocument({ message, nodes }: GraphQLError): GraphQLError {
  const text = message === ABORTED ? 'The document selects the same fields too often.' : message;
  const extensions = { code: 'GRAPHQL_VALIDATION_FAILED', http: { status: 400 } };
  return new GraphQLError(text, { nodes: nodes ?? null, extensions });
}

/** Zero for an unknown operation name, which execution refuses. */
function priceOf(
  schema: GraphQLSchema,
  { document, prices }: AdmittedDocument,
  variables: Variables,
  operationName: string | null,
): Price {
  const known = prices.get(operationName ?? '');
  if (known !== undefined) return known;
  const operation = getOperationAST(document, operationName);
  if (operation == null) return { nodes: 0, searches: [], isLarge: false };
  const { fixed, ...price } = costOf(schema, document, operation, variables);
  if (fixed) prices.set(operationName ?? '', price);
  return price;
}

/** Limits the depth of variables, since their readers are recursive, and the number of values. */
function checkVariables(variables: Variables): void {
  let level: readonly unknown[] = Object.values(variables);
  let [objects, values] = [0, 0];
  for (let depth = 1; level.length > 0; depth += 1) {
    requireFewVariables('variableDepth', depth, 'The variables are nested too deeply');
    values += level.length;
    requireFewVariables('variableValues', values, 'The variables have too many values');
    const outer = level.filter((value) => typeof value === 'object' && value !== null);
    objects += outer.length;
    requireFewVariables('variableObjects', objects, 'The variables have too many objects and lists');
    level = outer.flatMap(valuesIn);
  }
}

function requireFewVariables(
  limit: 'variableDepth' | 'variableValues' | 'variableObjects',
  actual: number,
  what: string,
): void {
  if (actual > LIMITS[limit]) throw beyondLimit(limit, actual, what, 'BAD_USER_INPUT');
}

function valuesIn(value: unknown): readonly unknown[] {
  return typeof value === 'object' && value !== null ? (Object.values(value) as unknown[]) : [];
}
