import type { NextFunction, Request, RequestHandler, Response } from 'express';

import type { HeldUpload } from '../../http/body/multipart.js';
import { readToken } from '../../http/credential.js';
import { headerOf } from '../../http/headers.js';
import type { WatchOperation } from '../../http/monitoring/operation-watch.js';
import {
  holdBytes,
  holdChanged,
  sendBuffers,
  sendInPieces,
  sendText,
  STREAM_BYTES,
} from '../../http/pieces.js';
import { malformed, readQuery } from '../../http/query.js';
import { requestContextOf } from '../../http/request-context.js';
import { enterCompany } from '../../http/server/requests.js';
import { companyOwner, enterEventLoop, workFor } from '../../platform/concurrency/event-loop.js';
import { PIECE_BYTES } from '../../platform/encoding/long-text.js';
import type { HeldBytes } from '../../platform/limits/waiting-bytes.js';
import { isIdempotencyKey } from '../../platform/requests/idempotency.js';
import type { GraphqlContext } from '../execution/context.js';
import { NO_FACTS } from '../execution/request.js';
import type { Authenticate } from './authentication.js';
import { sentBy } from './operation-text.js';

/** Authenticates a request before its body is read. */
export function authenticateRequest(authenticate: Authenticate, template = '/graphql'): RequestHandler {
  return async (request, response, next) => {
    const requestContext = requestContextOf(response);
    requestContext.template = template;
    const token = readToken(request, readQuery(request.originalUrl));
    const { budget } = requestContext;
    const facts = { ...NO_FACTS, budget, idempotencyKey: idempotencyKeyOf(request) };
    const context = await authenticate(token, requestContext, facts);
    enterCompany(response, context.caller);
    response.locals.graphql = context;
    workFor(companyOwner(context.caller), next);
  };
}

export function graphqlContextOf(response: Response): GraphqlContext {
  return response.locals.graphql as GraphqlContext;
}

/** Releases an upload after the execution, even if the client reads the response slowly. */
export function releaseAfterExecution(response: Response, upload: HeldUpload): void {
  response.locals.upload = upload;
}

export function hasUpload(response: Response): boolean {
  return response.locals.upload !== undefined;
}

function releaseUpload(request: Request, response: Response): void {
  request.body = undefined;
  (response.locals.upload as HeldUpload | undefined)?.release();
  delete response.locals.upload;
}

/** A text, or the bytes of a long one. */
export type ResponseBody = string | readonly Buffer[];

/** Executes an operation, and gives the body of its response to `send`. */
export type RunOperation = (
  request: Request,
  response: Response,
  next: NextFunction,
  send: (body: ResponseBody) => void,
) => void | Promise<void>;

/**
 * Executes an operation with `run`, which `watch` follows. Contents in the response are read while it is
 * sent. Errors: `busy`, before anything is executed or instead of a response that would have to wait.
 */
export function operate(run: RunOperation, watch: WatchOperation): RequestHandler {
  return async (request, response, next) => {
    const held = holdBytes(response, PIECE_BYTES);
    const { contents, caller } = graphqlContextOf(response);
    const { waiting } = requestContextOf(response).limits;
    const asked = (): string => JSON.stringify(sentBy(request));
    await enterEventLoop();
    waiting.demandRoom(caller.companyId, asked);
    let sending: Promise<void> | undefined;
    contents.allowStreaming();
    const send = (body: ResponseBody): void => {
      const isStreamed = contents.hasPlaceholders;
      const bytes = bytesOf(body);
      waiting.expect(caller.companyId, asked, bytes);
      if (!admit(response, held, isStreamed ? bytes + STREAM_BYTES : bytes)) return;
      if (typeof body !== 'string') sending = sendPieces(response, [...body], held);
      else if (isStreamed) sending = sendInPieces(response, contents.fill(body));
      else sending = sendText(response, body, held, graphqlContextOf(response).counters.hasChanged);
    };
    try {
      await watch(async (operation) => {
        graphqlContextOf(response).watched = operation;
        await run(request, response, next, send);
      });
    } finally {
      graphqlContextOf(response).finish();
      releaseUpload(request, response);
    }
    await sending;
  };
}

function bytesOf(body: ResponseBody): number {
  if (typeof body === 'string') return Buffer.byteLength(body);
  return body.reduce((sum, piece) => sum + piece.length, 0);
}

async function sendPieces(response: Response, pieces: Buffer[], held: HeldBytes): Promise<void> {
  response.setHeader('Content-Length', bytesOf(pieces));
  await sendBuffers(response, pieces, held);
}

/** Counts a response. False if the connection was closed instead. Errors: `busy`. */
function admit(response: Response, held: HeldBytes, bytes: number): boolean {
  if (graphqlContextOf(response).counters.hasChanged) return holdChanged(response, held, bytes);
  held.resize(bytes);
  return true;
}

function idempotencyKeyOf(request: Request): string | null {
  const key = headerOf(request, 'idempotency-key');
  if (key === undefined || request.method !== 'POST') return null;
  if (typeof key !== 'string' || !isIdempotencyKey(key)) {
    throw malformed('An Idempotency-Key has 1 to 255 printable ASCII characters and no spaces.');
  }
  return key;
}
