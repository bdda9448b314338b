import addFormats from 'ajv-formats';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';

import { createRoutes, surfacesOf } from '../../src/app/routes.js';
import { createTerminalRoutes } from '../../src/app/terminals.js';
import {
  createOpenApi,
  type OpenApiDocument,
  type OpenApiOperation,
} from '../../src/rest/openapi/openapi.js';
import type { Route, RouteBase } from '../../src/rest/route.js';

export const ROUTES: readonly Route[] = createRoutes(() =>
  Promise.reject(new Error('These routes are for their descriptions only.')),
);
/** Nothing waits: the routes of terminals are for their descriptions only. */
const SURFACES = surfacesOf(ROUTES, createTerminalRoutes(null as never));
/** The routes of /terminal/v1, /ingest/v1 and /export/v1, with their whole paths. */
export const OTHERS: readonly RouteBase[] = SURFACES.slice(1).flatMap(({ prefix, routes }) =>
  routes.map((route) => ({ ...route, path: `${prefix}${route.path}` })),
);
export const DOCUMENT: OpenApiDocument = createOpenApi(SURFACES);

/** Schemas of records that do not have the name of the type in GraphQL, since browsers have interfaces of that name. */
const SCHEMA_NAMES: Readonly<Record<string, string>> = {
  File: 'StoredFile',
  Notification: 'PushNotification',
};

/** Fields of a record that REST documents, by its type in GraphQL; undefined for a type that is no record of REST. */
export function documentedProperties(typeName: string): Readonly<Record<string, unknown>> | undefined {
  return DOCUMENT.components.schemas[SCHEMA_NAMES[typeName] ?? typeName]?.properties;
}

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

/** Throws if a response of a path of the API does not match the OpenAPI document. */
export function expectDocumented(received: ReceivedResponse): void {
  const { method, url, status } = received;
  if (!/^\/((terminal|ingest|export)\/)?v1\//.test(url.pathname)) return;
  if (method === 'OPTIONS' && status === 204) return;
  // HEAD is GET without a body.
  const path = url.pathname.replaceAll(/\/+/g, '/');
  const found = operationAt(method === 'HEAD' ? 'GET' : method, path);
  const type = received.contentType.split(';')[0] ?? '';
  const pointer = found === undefined ? undefined : schemaPointer(found, status, type);
  if (pointer === undefined && (found !== undefined || !UNDOCUMENTED.includes(status))) {
    throw mismatch(
      received,
      found === undefined
        ? 'the path is not documented'
        : 'the status, or its content type, is not documented',
    );
  }
  if (method === 'HEAD' || status === 304) return;
  for (const value of valuesOf(received, type)) {
    const problems = problemsOf(pointer ?? '/components/schemas/Error', value);
    if (problems.length > 0) throw mismatch(received, problems.join('\n  '));
  }
}

/** Problems of a value by the schema at a JSON pointer in the document. */
export function problemsOf(pointer: string, value: unknown): readonly string[] {
  const validate = validatorOf(pointer);
  if (validate(value)) return [];
  return (validate.errors ?? []).map(
    ({ instancePath, message = '', params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
  );
}

/** Values that the schema of a content type describes: the content, each line, or the data of each event. */
function valuesOf({ body, text }: ReceivedResponse, type: string): readonly unknown[] {
  if (type === 'application/json') return [body];
  if (type === 'application/x-ndjson')
    return text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown);
  if (type === 'text/event-stream') {
    return [...text.matchAll(/^data: (.*)$/gm)].map(([, data = '']) => JSON.parse(data) as unknown);
  }
  return [text];
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

/** Paths with fewer placeholders come first: `/groups/all` before `/groups/{group_name}`. */
const PATHS = Object.keys(DOCUMENT.paths)
  .sort((a, b) => a.split('{').length - b.split('{').length)
  .map((path) => {
    const pattern = path.replaceAll('.', '[.]').replace(/\{[^}]+\}/g, '[^/]+');
    return [path, new RegExp(`^${pattern}/?$`)] as const;
  });

/** Whether the document has the path: servers of tests may have routes of their own. */
export const hasPath = (pathname: string): boolean => PATHS.some(([, pattern]) => pattern.test(pathname));

function operationAt(method: string, pathname: string): Found | undefined {
  const [path = ''] = PATHS.find(([, pattern]) => pattern.test(pathname)) ?? [];
  const operation = DOCUMENT.paths[path]?.[method.toLowerCase()];
  return operation && { operation, pointer: `/paths/${escaped(path)}/${method.toLowerCase()}` };
}

/** Undefined if the document has no such status, or not with this content type. */
function schemaPointer({ pointer, operation }: Found, status: number, type: string): string | undefined {
  const response = operation.responses[status];
  if (response === undefined) return undefined;
  if ('$ref' in response) {
    return type === 'application/json'
      ? `${response.$ref.slice(1)}/content/application~1json/schema`
      : undefined;
  }
  // 304 has no content.
  if (response.content !== undefined && type !== '' && !(type in response.content)) return undefined;
  return `${pointer}/responses/${status}/content/${escaped(type)}/schema`;
}

export function escaped(segment: string): string {
  return encodeURIComponent(segment.replaceAll('~', '~0').replaceAll('/', '~1'));
}

let ajv: Ajv2020 | undefined;

/** The validator of a part of the document, compiled when it is needed first. */
function validatorOf(pointer: string): ValidateFunction {
  if (ajv === undefined) {
    ajv = new Ajv2020({ strict: false, allErrors: true });
    addFormats.default(ajv);
    ajv.addSchema(DOCUMENT, 'document');
  }
  const validate = ajv.getSchema(`document#${pointer}`);
  if (validate === undefined) throw new Error(`The document has no ${pointer}`);
  return validate;
}
