import { pathPattern, placeholders, readsRecord, type Route } from '../route.js';
import { describedOperation, type DescribedRoute } from './described.js';
import {
  API_TOKEN,
  COMMON_HEADERS,
  HEADERS,
  oneOf,
  scopeText,
  TERMINAL_TOKEN,
  type OpenApiOperation,
} from './operation.js';
import {
  ErrorSchema,
  problemReference,
  problemResponses,
  problemStatuses,
  type ResponseObject,
  type Header,
} from './problems.js';
import { bodyOf, parametersOf } from './request.js';
import { responseSchema, type Schema, type Schemas } from './schema.js';

export type OpenApiDocument = ReturnType<typeof createOpenApi>;

const ETAG: Header = { description: 'For If-Match and If-None-Match.', schema: { type: 'string' } };

const NOT_MODIFIED: ResponseObject = {
  description: 'The record still has the ETag in If-None-Match. No body.',
  headers: { ...COMMON_HEADERS, ETag: ETAG },
};

/** The OpenAPI document, generated from the routes of /v1 and the others. */
export function createOpenApi(routes: readonly Route[], others: readonly DescribedRoute[]) {
  const schemas: Schemas = { Error: ErrorSchema };
  /** By path, then by method in lower case. */
  const paths: Record<string, Record<string, OpenApiOperation>> = {};
  for (const route of routes) {
    const path = documentPath(route, routes);
    const operations = (paths[path] ??= {});
    operations[route.method.toLowerCase()] = operationOf(route, path, schemas);
  }
  for (const route of others) {
    const operations = (paths[route.path] ??= {});
    operations[route.method.toLowerCase()] = describedOperation(route, schemas);
  }
  return {
    openapi: '3.1.0',
    info: { title: 'terminal-gateway', version: 'v1', description: INTRODUCTION },
    servers: [{ url: '/' }],
    security: oneOf(API_TOKEN),
    tags: [...new Set([...routes.map(tagOf), ...others.map(({ tag }) => tag)])].map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: { ...API_TOKEN, ...TERMINAL_TOKEN },
      headers: HEADERS,
      schemas,
      responses: problemResponses(COMMON_HEADERS),
    },
  };
}

/**
 * The path of a route in the document. Methods of one path may name a placeholder differently; there the names are
 * joined: `/v1/devices/{device_id_or_serial_number}`.
 */
function documentPath({ path }: Route, routes: readonly Route[]): string {
  const pattern = pathPattern(path);
  const samePath = routes.filter((other) => pathPattern(other.path) === pattern);
  const names = placeholders(path).map((_, index) =>
    [...new Set(samePath.map((other) => placeholders(other.path)[index]))].join('_or_'),
  );
  return `/v1${pattern}`.replace(/\{\}/g, () => `{${names.shift() ?? ''}}`);
}

function operationOf(route: Route, path: string, schemas: Schemas): OpenApiOperation {
  const requestBody = bodyOf(route);
  const problems = problemStatuses(route).map((status) => [status, problemReference(status)] as const);
  return {
    operationId: idOf(route),
    tags: [tagOf(route)],
    summary: route.summary,
    description: [route.description, scopeText(route.scope)]
      .filter((text) => text !== undefined)
      .join('\n\n'),
    parameters: parametersOf(route, path),
    ...(requestBody === undefined ? {} : { requestBody }),
    responses: Object.fromEntries<ResponseObject | { readonly $ref: string }>([
      [route.status ?? 200, successOf(route, schemas)],
      ...(readsRecord(route) ? [[304, NOT_MODIFIED] as const] : []),
      ...problems,
    ]),
    ...(route.scope === null ? { security: [] } : { 'x-scope': route.scope }),
  };
}

function successOf(route: Route, schemas: Schemas): ResponseObject {
  const schema = responseSchema(route.response, schemas);
  return {
    description: route.status === 201 ? 'Created.' : 'Success.',
    headers: {
      ...COMMON_HEADERS,
      ...(isRecord(schema) ? { ETag: ETAG } : {}),
      ...('write' in route
        ? {
            'X-Warning': {
              description:
                'What to check about the change, which was made all the same: the field and a sentence. Mostly absent.',
              schema: { type: 'string' },
            },
          }
        : {}),
      ...('write' in route && route.method === 'POST'
        ? {
            'Idempotent-Replayed': {
              description:
                '`true` if this is the stored response of an earlier request with this Idempotency-Key.',
              schema: { type: 'string' },
            },
          }
        : {}),
    },
    content: { 'application/json': { schema } },
  };
}

/** Whether the response is a single record, `{ "device": … }`, which has an ETag. */
function isRecord({ anyOf, properties = {} }: Schema): boolean {
  if (anyOf !== undefined) return anyOf.every(isRecord);
  const [record, ...others] = Object.values(properties);
  return record?.$ref !== undefined && others.length === 0;
}

/** `app versions` for `/apps/{app_id}/versions`, `users` for `/users/token`. */
function tagOf({ path }: Route): string {
  const [first = '', ...rest] = path.split('/').filter((segment) => segment !== '');
  return rest.includes('versions') ? `${first.slice(0, -1)} versions` : first.replaceAll('_', ' ');
}

const VERBS = { GET: 'get', POST: 'create', PUT: 'update', DELETE: 'delete' } as const;

/** In lowerCamelCase, unique for each method and path: `listDevices`, `createDevice`, `updateAppVersion`. */
function idOf({ method, path, paged }: Route): string {
  const words = path
    .replace(/\{[^}]+\}/g, '')
    .split('/')
    .filter((segment) => segment !== '')
    .map((segment) => segment.replace(/s$/, ''))
    .flatMap((segment) => segment.split('_'))
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1));
  return paged === true ? `list${words.join('')}s` : `${VERBS[method]}${words.join('')}`;
}

/** Introduction of the document: paragraphs with `code` and **strong** words. */
const INTRODUCTION = [
  'JSON over HTTP for payment terminals and the software they run: devices, logical numbers, groups, applications with their versions, files, parameters, metacontents, users, push notifications and transactions.',
  '**Token.** Every call except `POST /v1/users/token` needs an API token: `?access_token=…`, or `Authorization: Bearer …`, which keeps it out of URLs. A token gives access to the records of one company; any other record is 404.',
  '**Methods.** HEAD is GET without a body, OPTIONS lists the methods of a path in `Allow`.',
  '**Bodies.** Any method may carry one, GET and DELETE too. A JSON object is read as JSON whatever its Content-Type says; otherwise a form is read. Booleans are true and false, 1 and 0, on and off, yes and no, t and f in any letter case, as JSON or text; an empty text and null count as absent. Enumerations may be in any letter case. A number counts as its text where text is expected, digits as the integer where an integer is expected. Lists in forms are `file_ids[]=1&file_ids[]=2`, a repeated name, or `file_ids=1,2`. Unknown and read-only fields are ignored. JSON and forms are limited to 1 MiB besides the bytecode of an application version, and must be uncompressed UTF-8.',
  '**Paths** are exact and case-sensitive; names in them are percent-encoded; a trailing slash is accepted.',
  '**Lists** are paged: `page` from 1, `per_page` up to 100 (default 30). They are ascending by id; transactions are newest first. Pages are positions: while records are added or deleted, a record can appear on two pages or move to a page that was read already. A list of transactions with `until` stands still. The cursors of GraphQL never repeat a record.',
  '**Errors** are objects with `message`, a stable `code`, a `request_id` and, for fields, `errors`. No success response has a top-level `message`, except that of a new notification.',
  '**Rate limit.** Requests are counted for each client address in windows of an hour. Every response has the three headers `X-Rate-Limit-…`, unless the limit is off. Beyond the limit the response is 429 with `Retry-After`.',
  '**Repeating safely.** A POST with an `Idempotency-Key` is performed once in 24 hours; a repeated request gets the same response, with `Idempotent-Replayed: true`. Another request with the same key is 422.',
  '**Changing safely.** A single record has an `ETag`. Send it as `If-Match`: if the record was changed since, the response is 412 and nothing is overwritten. A GET with the ETag in `If-None-Match` is 304 without a body while the record is unchanged.',
  '**GraphQL.** The same records are at `/graphql`, with the same tokens: for dashboards, which get all that a page shows in one request, summaries and live events included. `schema.graphql` in the package describes every type and field.',
].join('\n\n');
