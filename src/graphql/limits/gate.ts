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

import { operationHash, type OperationList } from '../../platform/config/operation-list.js';
import { costOf, type Variables } from './cost.js';
import { beyondLimit, LIMITS, operationRefused, OperationRefused, requestRefused } from './limits.js';
import { Lru } from './lru.js';
import { checkStructure } from './structure.js';

/** A document that may run, as far as it does not depend on variables. */
export interface Admitted {
  readonly document: DocumentNode;
  /** Of the operations whose cost no variable changes, by name. */
  readonly costs: Map<string, number>;
}

/** The walls around execution, the same for every transport. */
export interface Gate {
  /** Parses and validates a text once. Throws a `Refusal`. */
  admit(text: string): Admitted;
  /** What the operation costs at most, in records. Throws a `Refusal` where that is too much, or the variables are. */
  price(admitted: Admitted, variables: Variables, operationName: string | null | undefined): number;
}

export interface GateOptions {
  readonly schema: GraphQLSchema;
  /** Opens introspection and suggestions. */
  readonly development: boolean;
  /** The only documents that may run; null for any. */
  readonly allowList: OperationList | null;
}

const KEPT_DOCUMENTS = 500;
const KEPT_CHARACTERS = 64 * 1024;
/** Of all kept documents together: what is read takes up to 150 times as many bytes. */
const KEPT_TOGETHER = 512 * 1024;

export function createGate({ schema, development, allowList }: GateOptions): Gate {
  const documents = new Lru<Admitted>(KEPT_DOCUMENTS, KEPT_TOGETHER);
  const rules = development ? specifiedRules : [...specifiedRules, NoSchemaIntrospectionCustomRule];
  const read = (text: string): Admitted => {
    const document = parseDocument(text);
    checkStructure(document);
    const errors = validate(schema, document, rules, {
      // The last entry then says that there are more.
      maxErrors: LIMITS.errors - 1,
      hideSuggestions: !development,
    });
    const [first, ...others] = errors.map(invalidDocument);
    if (first !== undefined) throw new OperationRefused([first, ...others]);
    return { document, costs: new Map() };
  };
  return {
    admit: (text) => {
      const known = documents.get(text);
      if (known !== undefined) return known;
      if (allowList !== null && !allowList.has(operationHash(text))) {
        throw operationRefused(
          'PERSISTED_QUERY_NOT_IN_LIST',
          'This server runs the operations of its list only.',
        );
      }
      const admitted = read(text);
      if (text.length <= KEPT_CHARACTERS) documents.set(text, admitted);
      return admitted;
    },
    price: (admitted, variables, operationName) => {
      checkVariables(variables);
      const nodes = priceOf(schema, admitted, variables, operationName ?? null);
      if (nodes > LIMITS.cost)
        throw beyondLimit('cost', nodes, 'The operation could answer too many records');
      return nodes;
    },
  };
}

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
    // The parser calls itself for each level; its tokens are counted, so that this needs a document of nothing else.
    if (error instanceof RangeError) {
      throw operationRefused('GRAPHQL_PARSE_FAILED', 'Syntax Error: the document is nested too deeply.');
    }
    throw error;
  }
}

/** What the library says of a document with more tokens than it may have; it does not count them all. */
const TOO_LONG = 'Parsing aborted.';

function tooManyTokens(): OperationRefused {
  const maximum = LIMITS.tokens;
  const message = `Syntax Error: the document has too many tokens: at most ${maximum}.`;
  return operationRefused('GRAPHQL_PARSE_FAILED', message, { limit: 'tokens', maximum });
}

/** What the library says when comparing fields that have the same name takes too long. */
const ABORTED = 'Validation aborted.';

function invalidDocument({ message, nodes }: GraphQLError): GraphQLError {
  const words = message === ABORTED ? 'The document asks for the same fields too often.' : message;
  return requestRefused('GRAPHQL_VALIDATION_FAILED', words, {}, nodes);
}

/** An operation that there is not costs nothing: execution says that there is none. */
function priceOf(
  schema: GraphQLSchema,
  { document, costs }: Admitted,
  variables: Variables,
  operationName: string | null,
): number {
  const known = costs.get(operationName ?? '');
  if (known !== undefined) return known;
  const operation = getOperationAST(document, operationName);
  if (operation == null) return 0;
  const { nodes, fixed } = costOf(schema, document, operation, variables);
  if (fixed) costs.set(operationName ?? '', nodes);
  return nodes;
}

/** What reads them calls itself for each level. */
function checkVariables(variables: Variables): void {
  let level: readonly unknown[] = Object.values(variables);
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > LIMITS.variableDepth) {
      const what = 'The variables are nested too deeply';
      throw beyondLimit('variableDepth', depth, what, 'BAD_USER_INPUT');
    }
    level = level.flatMap(valuesIn);
  }
}

function valuesIn(value: unknown): readonly unknown[] {
  return typeof value === 'object' && value !== null ? (Object.values(value) as unknown[]) : [];
}
