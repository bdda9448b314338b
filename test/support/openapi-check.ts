import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

import {
  createOpenApi,
  type OpenApiDocument,
  type OpenApiOperation,
} from '../../src/rest/openapi/openapi.js';
import type { Route } from '../../src/rest/route.js';
import { createRoutes } from '../../src/app/routes.js';

export const ROUTES: readonly Route[] = createRoutes(() =>
  Promise.reject(new Error('These routes are for their descriptions only.')),
);
export const DOCUMENT: OpenApiDocument = createOpenApi(ROUTES);

/** A response to check. */
export interface ReceivedResponse {
  readonly method: string;
  readonly url: URL;
  readonly status: number;
  readonly contentType: string;
  readonly body: unknown;
  readonly text: string;
}

/** Statuses allowed for a path that is not in the document. */
const UNDOCUMENTED = [400, 404, 405, 429];

/** Throws if a response below /v1 does not match the OpenAPI document. */
export function expectDocumented(received: ReceivedResponse): void {
  const { method, url, status } = received;
  if (!url.pathname.startsWith('/v1/')) return;
  if (method === 'OPTIONS' && status === 204) return;
  // HEAD is GET without a body.
  const found = operationAt(method === 'HEAD' ? 'GET' : method, url.pathname);
  const pointer = found === undefined ? undefined : schemaPointer(found, status);
  if (pointer === undefined && (found !== undefined || !UNDOCUMENTED.includes(status))) {
    throw mismatch(
      received,
      found === undefined ? 'the path is not documented' : 'the status is not documented',
    );
  }
  if (method === 'HEAD' || status === 304) return;
  if (!received.contentType.startsWith('application/json'))
    throw mismatch(received, 'the content type is not JSON');
  const validate = validatorOf(pointer ?? '/components/schemas/Error');
  if (validate(received.body)) return;
  const problems = (validate.errors ?? []).map(
    ({ instancePath, message = '', params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
  );
  throw mismatch(received, problems.join('\n  '));
}

function mismatch({ method, url, status, text }: ReceivedResponse, problem: string): Error {
  return new Error(
    `${method} ${url.pathname} responded ${status}, which does not match the document:\n  ${problem}\n  ${text.slice(0, 600)}`,
  );
}

interface Found {
  readonly pointer: string;
  readonly operation: OpenApiOperation;
}

function operationAt(method: string, pathname: string): Found | undefined {
  const segments = pathname.replace(/\/$/, '').split('/');
  const path = PATHS.find(
    ({ parts }) =>
      parts.length === segments.length &&
      parts.every(
        (part, index) => part === segments[index] || (part.startsWith('{') && segments[index] !== ''),
      ),
  )?.path;
  if (path === undefined) return undefined;
  const operation = DOCUMENT.paths[path]?.[method.toLowerCase()];
  if (operation === undefined) return undefined;
  return { operation, pointer: `/paths/${escaped(path)}/${method.toLowerCase()}` };
}

/** Paths with fewer placeholders come first: `/groups/all` before `/groups/{group_name}`. */
const PATHS = Object.keys(DOCUMENT.paths)
  .map((path) => ({ path, parts: path.split('/') }))
  .sort((a, b) => a.path.split('{').length - b.path.split('{').length);

function schemaPointer({ pointer, operation }: Found, status: number): string | undefined {
  const response = operation.responses[status];
  if (response === undefined) return undefined;
  const path = '$ref' in response ? response.$ref.slice(1) : `${pointer}/responses/${status}`;
  return `${path}/content/application~1json/schema`;
}

function escaped(segment: string): string {
  return encodeURIComponent(segment.replaceAll('~', '~0').replaceAll('/', '~1'));
}

const validators = new Map<string, ValidateFunction>();
let ajv: Ajv2020 | undefined;

function documentValidator(): Ajv2020 {
  if (ajv !== undefined) return ajv;
  ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  ajv.addSchema(DOCUMENT, 'document');
  return ajv;
}

function validatorOf(pointer: string): ValidateFunction {
  const compiled = validators.get(pointer);
  if (compiled !== undefined) return compiled;
  const validate = documentValidator().compile({ $ref: `document#${pointer}` });
  validators.set(pointer, validate);
  return validate;
}
