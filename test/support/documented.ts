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

/** An answer as it came, on the way to being believed. */
export interface Answered {
  readonly method: string;
  readonly url: URL;
  readonly status: number;
  readonly contentType: string;
  readonly body: unknown;
  readonly text: string;
}

/** What a path that is not in the document may be answered with. */
const UNDOCUMENTED = [400, 404, 405, 429];

/** Throws, in words, where an answer below /v1 is not what the document promises. */
export function demandDocumented(answered: Answered): void {
  const { method, url, status } = answered;
  if (!url.pathname.startsWith('/v1/')) return;
  const found = operationAt(method, url.pathname);
  const pointer = found === undefined ? undefined : schemaPointer(found, status);
  if (pointer === undefined && (found !== undefined || !UNDOCUMENTED.includes(status))) {
    throw complaint(answered, found === undefined ? 'the path is not documented' : 'no such status');
  }
  if (method === 'HEAD') return;
  if (!answered.contentType.startsWith('application/json')) throw complaint(answered, 'it is no JSON');
  const validate = validatorOf(pointer ?? '/components/schemas/Error');
  if (validate(answered.body)) return;
  const problems = (validate.errors ?? []).map(
    ({ instancePath, message = '', params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
  );
  throw complaint(answered, problems.join('\n  '));
}

function complaint({ method, url, status, text }: Answered, problem: string): Error {
  return new Error(
    `${method} ${url.pathname} answered ${status}, not as documented:\n  ${problem}\n  ${text.slice(0, 600)}`,
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
        (part, place) => part === segments[place] || (part.startsWith('{') && segments[place] !== ''),
      ),
  )?.path;
  if (path === undefined) return undefined;
  const operation = DOCUMENT.paths[path]?.[method.toLowerCase()];
  if (operation === undefined) return undefined;
  return { operation, pointer: `/paths/${escaped(path)}/${method.toLowerCase()}` };
}

/** Fixed segments before placeholders. */
const PATHS = Object.keys(DOCUMENT.paths)
  .map((path) => ({ path, parts: path.split('/') }))
  .sort((a, b) => a.path.split('{').length - b.path.split('{').length);

function schemaPointer({ pointer, operation }: Found, status: number): string | undefined {
  const answer = operation.responses[status];
  if (answer === undefined) return undefined;
  const place = '$ref' in answer ? answer.$ref.slice(1) : `${pointer}/responses/${status}`;
  return `${place}/content/application~1json/schema`;
}

function escaped(segment: string): string {
  return encodeURIComponent(segment.replaceAll('~', '~0').replaceAll('/', '~1'));
}

const validators = new Map<string, ValidateFunction>();
let known: Ajv2020 | undefined;

function documented(): Ajv2020 {
  if (known !== undefined) return known;
  known = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(known);
  known.addSchema(DOCUMENT, 'document');
  return known;
}

function validatorOf(pointer: string): ValidateFunction {
  const compiled = validators.get(pointer);
  if (compiled !== undefined) return compiled;
  const validate = documented().compile({ $ref: `document#${pointer}` });
  validators.set(pointer, validate);
  return validate;
}
