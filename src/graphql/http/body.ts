import type { Request, RequestHandler, Response } from 'express';

import { hasBody, inviteBody, MAX_BODY_BYTES, problemOfLabels, readText } from '../../http/body/body.js';
import type { BodyRate } from '../../http/body/least-rate.js';
import { isMultipart, type HeldUpload, type UploadReader } from '../../http/body/multipart.js';
import { bearerToken } from '../../http/credential.js';
import { headerOf } from '../../http/headers.js';
import { requestContextOf } from '../../http/request-context.js';
import { demandScope } from '../../platform/caller.js';
import { operationRefused } from '../limits/limits.js';
import { graphqlContextOf, releaseAfterExecution } from './http-context.js';
import { parsedJson } from './json.js';
import { operationWithFile } from './upload.js';

export interface BodyOptions {
  readonly readUpload: UploadReader;
  readonly bodyRate: BodyRate;
}

/** Content types that other sites can send without a CORS preflight. Uploads have one of them. */
const SIMPLE_TYPES = ['application/x-www-form-urlencoded', 'multipart/form-data', 'text/plain'];
/** Headers that make a browser send a CORS preflight first. */
export const PREFLIGHT_HEADERS = ['apollo-require-preflight', 'x-apollo-operation-name'] as const;

/**
 * Refuses requests that a page of another site could send without a CORS preflight. A browser never adds a
 * bearer token by itself, so a request with a token is allowed. Must come before the authentication.
 */
export function refuseForgery(template: string, methods: readonly string[]): RequestHandler {
  return (request, response, next) => {
    requestContextOf(response).template = template;
    if (methods.includes(request.method) && couldBeForged(request)) {
      throw operationRefused(
        'CSRF_PREVENTED',
        `Send the token in Authorization: Bearer, or Content-Type: application/json, or one of the headers ${PREFLIGHT_HEADERS.join(' and ')}.`,
      );
    }
    next();
  };
}

/** Reads the body of an authenticated caller. */
export function readOperation({ readUpload, bodyRate }: BodyOptions): RequestHandler {
  return async (request, response, next) => {
    request.body = undefined;
    if (request.method === 'POST') {
      if (isMultipart(request)) {
        // Files are for mutations: without the scope, none is received.
        const { caller } = graphqlContextOf(response);
        demandScope(caller, 'write');
        inviteBody(request, response);
        const upload = await readUpload(request, caller);
        request.body = operationIn(upload);
        releaseAfterExecution(response, upload);
      } else {
        request.body = await readJson(request, response, bodyRate);
      }
    } else if (headerOf(request, 'content-type') !== undefined && !hasBody(request)) {
      // Apollo accepts only JSON, although the content type of an empty body has no meaning. `refuseForgery`
      // has checked the original type before.
      Object.assign(request.headers, { 'content-type': 'application/json' });
    }
    next();
  };
}

function operationIn(upload: HeldUpload): object {
  try {
    return operationWithFile(upload);
  } catch (error) {
    upload.release();
    throw error;
  }
}

function couldBeForged(request: Request): boolean {
  if (bearerToken(request) !== undefined) return false;
  const type = essenceOf(request);
  const isPreflighted = PREFLIGHT_HEADERS.some((name) => (headerOf(request, name)?.length ?? 0) > 0);
  return !isPreflighted && (type === undefined || SIMPLE_TYPES.includes(type));
}

function essenceOf(request: Request): string | undefined {
  return headerOf(request, 'content-type')?.split(';')[0]?.trim().toLowerCase();
}

async function readJson(request: Request, response: Response, rate: BodyRate): Promise<object> {
  if (essenceOf(request) !== 'application/json') {
    throw (
      problemOfLabels(request) ?? operationRefused('BAD_REQUEST', 'Send the operation as application/json.')
    );
  }
  inviteBody(request, response);
  const { text } = await readText(request, { rate, maxBytes: MAX_BODY_BYTES });
  const body = parsedJson(text);
  if (Array.isArray(body))
    throw operationRefused('BAD_REQUEST', 'Operation batching is disabled: send one operation.');
  if (typeof body !== 'object' || body === null) {
    throw operationRefused('BAD_REQUEST', 'The body must be a JSON object.');
  }
  return body;
}
