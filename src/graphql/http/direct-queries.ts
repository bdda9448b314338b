import type { Request, Response } from 'express';
import {
  execute,
  getOperationAST,
  GraphQLError,
  OperationTypeNode,
  type ExecutionResult,
  type GraphQLSchema,
} from 'graphql';

import { headerOf } from '../../http/headers.js';
import { LongText, type SharedText } from '../../platform/encoding/long-text.js';
import type { Execution, GraphqlContext } from '../execution/context.js';
import { coerceLongLists } from '../execution/long-variables.js';
import { shareArguments } from '../execution/shared-arguments.js';
import { LIMITS } from '../limits/limits.js';
import { plannedText } from '../plan/plan.js';
import type { PluginOptions } from './apollo-plugin.js';
import { CheckedOperation, type Executed } from './checked-operation.js';
import { graphqlContextOf, hasUpload, type ResponseBody } from './http-context.js';
import { readOperationText, type OperationText } from './operation-text.js';

interface DirectOptions extends PluginOptions {
  readonly schema: GraphQLSchema;
}

/** Answers a request; false for what Apollo is to answer. */
export type AnswerQuery = (
  request: Request,
  response: Response,
  send: (body: ResponseBody) => void,
) => Promise<boolean>;

interface Answer extends Executed {
  readonly status: number;
  /** The JSON text of the data, instead of the data. */
  readonly text?: SharedText;
}

/** Media types of responses in Apollo's order of preference; the first one is the default. */
const TYPES = [
  'application/json; charset=utf-8',
  'application/graphql-response+json; charset=utf-8',
  'application/json; callbackSpec=1.0; charset=utf-8',
];

/**
 * Answers queries in POST requests without Apollo, whose steps for each request take longer than many
 * queries. Checks, results, errors and headers are the same; a test compares the bytes.
 */
export function directQueries(options: DirectOptions): AnswerQuery {
  return async (request, response, send) => {
    const type = responseType(request);
    const text = type === undefined ? null : textOf(request, response);
    if (type === undefined || text === null) return false;
    const checked = new CheckedOperation(options);
    const answer = await answerOf(options, checked, text, response);
    if (answer === null) return false;
    const sent = await bodyOf(checked, answer, graphqlContextOf(response));
    response.setHeader('content-type', type);
    response.statusCode = answer.status;
    send(sent);
    return true;
  };
}

async function bodyOf(
  checked: CheckedOperation,
  { text, ...executed }: Answer,
  context: GraphqlContext,
): Promise<ResponseBody> {
  if (text instanceof LongText) return checked.piecesOf(context, text);
  if (text !== undefined) return checked.textOf(context, text);
  const { data, errors, cost, measure } = await checked.respond(context, executed);
  const result = { errors, data, extensions: { cost } };
  return measure === null ? JSON.stringify(result) : await measure.text(result);
}

/** Media type of the response; undefined if the client accepts none. */
function responseType(request: Request): string | undefined {
  const accept = headerOf(request, 'accept');
  if (accept === undefined || accept === '' || accept === '*/*') return TYPES[0];
  const found = request.accepts(TYPES);
  return found === false ? undefined : found;
}

/** Null for persisted queries, and for files, which only mutations take. */
function textOf(request: Request, response: Response): OperationText | null {
  if (request.method !== 'POST' || hasUpload(response)) return null;
  const { extensions, ...sent } = request.body as Readonly<Record<string, unknown>>;
  const { persistedQuery } = (extensions ?? {}) as Readonly<Record<string, unknown>>;
  return persistedQuery == null ? readOperationText(sent) : null;
}

async function answerOf(
  { schema, admission }: DirectOptions,
  checked: CheckedOperation,
  { query, variables, operationName }: OperationText,
  response: Response,
): Promise<Answer | null> {
  const admitted = await checked.check(() => admission.admit(query));
  if (admitted === undefined) return refused(checked);
  const { document } = admitted;
  const operation = getOperationAST(document, operationName);
  if (operation?.operation !== OperationTypeNode.QUERY) return null;
  const context = graphqlContextOf(response);
  context.watched?.known({ type: operation.operation, name: operation.name?.value ?? null });
  try {
    await checked.check(async () => {
      const price = admission.price(admitted, variables, operationName);
      checked.requestedCost = price.nodes;
      await context.classify(price, operation.operation);
    });
  } catch (error) {
    const { message } = error as Error;
    return { status: 500, errors: [new GraphQLError(message, { originalError: error as Error })] };
  }
  if (checked.refusal !== null) return refused(checked);
  return await executed({ schema, document, operation, variables, context });
}

function refused({ refusal }: CheckedOperation): Answer {
  return { status: 400, errors: refusal?.errors };
}

async function executed(execution: Execution): Promise<Answer> {
  const text = await plannedText(execution);
  if (text !== null) return { status: 200, text };
  const { schema, operation, context } = execution;
  const { document, variables } = shareArguments(await coerceLongLists(execution));
  const result: ExecutionResult = await execute({
    ...{ schema, document, variableValues: variables, contextValue: context },
    operationName: operation.name?.value,
    options: { maxCoercionErrors: LIMITS.errors - 1 },
  });
  // `data` is undefined, not null, if the variables are invalid.
  return { status: result.data === undefined ? 400 : 200, ...result };
}
