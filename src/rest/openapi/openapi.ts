import { mayUse, ROLES, type Scope } from '../../platform/requests.js';
import { pathPattern, placeholders, readsRecord, type Parameter, type RouteBase } from '../route.js';
import * as operation from './operation.js';
import { responseSchema, type Schema, type Schemas } from './schema.js';

/** Routes below one prefix. */
export interface Surface {
  /** For example `/v1`. */
  readonly prefix: string;
  /** Tag of the operations; made of the path if absent. */
  readonly tag?: string;
  readonly routes: readonly RouteBase[];
}

export interface OpenApiOperation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly parameters: readonly Parameter[];
  readonly requestBody?: operation.RequestBody;
  readonly responses: Readonly<Record<string, operation.ResponseObject | operation.Reference>>;
  /** Names of security schemes. Default: those of API tokens. Empty if no token is needed. */
  readonly security?: readonly Readonly<Record<string, readonly []>>[];
  /** Scope that both the token and the user's role must have; absent if none is needed. */
  readonly 'x-scope'?: Scope;
}

export type OpenApiDocument = ReturnType<typeof createOpenApi>;

/** The OpenAPI document, generated from the routes of all surfaces. */
export function createOpenApi(surfaces: readonly Surface[]) {
  const schemas: Schemas = { Error: operation.ErrorSchema };
  /** Operations by path, then by method in lower case. */
  const paths: Record<string, Record<string, OpenApiOperation>> = {};
  for (const surface of surfaces) {
    for (const route of surface.routes) {
      const path = documentPath(route, surface);
      const operations = (paths[path] ??= {});
      operations[route.method.toLowerCase()] = operationOf(route, surface, path, schemas);
    }
  }
  const tags = surfaces.flatMap(({ tag, routes }) => routes.map((route) => tag ?? tagOf(route)));
  return {
    openapi: '3.1.0',
    info: { title: 'terminal-gateway', version: 'v1', description: INTRODUCTION },
    servers: [{ url: '/' }],
    security: alternativesOf(API_TOKEN),
    tags: [...new Set(tags)].map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: { ...API_TOKEN, ...TERMINAL_TOKEN },
      headers: HEADERS,
      schemas,
      responses: operation.problemResponses(COMMON_HEADERS),
    },
  };
}

/** `/v1/devices/{device_id_or_serial_number}` where methods of one path name a placeholder differently. */
function documentPath({ path }: RouteBase, { prefix, routes }: Surface): string {
  const pattern = pathPattern(path);
  const samePath = routes.filter((other) => pathPattern(other.path) === pattern);
  const names = placeholders(path).map((_, index) =>
    [...new Set(samePath.map((other) => placeholders(other.path)[index]))].join('_or_'),
  );
  return `${prefix}${pattern}`.replace(/\{\}/g, () => `{${names.shift() ?? ''}}`);
}

function operationOf(route: RouteBase, { prefix, tag }: Surface, path: string, schemas: Schemas) {
  const { operationId = idOf(route), description = '', scope } = route;
  const requestBody = operation.bodyOf(route);
  const readsBody = requestBody !== undefined || prefix === '/v1';
  return {
    operationId,
    tags: [tag ?? tagOf(route)],
    summary: route.summary,
    description: `${description}\n\n${scopeText(scope)}`.trim(),
    parameters: operation.parametersOf(route, path),
    ...(requestBody === undefined ? {} : { requestBody }),
    responses: { ...operation.problemsOf(route, readsBody), ...successesOf(route, schemas) },
    ...securityOf(scope),
  };
}

function securityOf(scope: Scope | null): Pick<OpenApiOperation, 'security' | 'x-scope'> {
  if (scope === null) return { security: [] };
  return scope === 'terminals' ? { security: alternativesOf(TERMINAL_TOKEN) } : { 'x-scope': scope };
}

const NOT_MODIFIED = 'The record still has the ETag in If-None-Match. No body.';
const ETAG = 'For If-Match and If-None-Match.';
const WARNING = 'Warnings about a change that was made: the field and a sentence. Usually absent.';
const REPLAYED = '`true` if this is the stored response of an earlier request with this Idempotency-Key.';

/** The responses of a route by status that it describes itself. 304 has no content; an error may be an error object. */
function successesOf(route: RouteBase, schemas: Schemas): Readonly<Record<string, operation.ResponseObject>> {
  const schema = responseSchema(route.response, schemas);
  const isRead = readsRecord(route);
  const { statuses = { 200: 'Success.', ...(isRead ? { 304: NOT_MODIFIED } : {}) } } = route;
  const own = {
    ...(isRecord(schema) ? { ETag: ETAG } : {}),
    ...('write' in route ? { 'X-Warning': WARNING } : {}),
    ...('write' in route && route.method === 'POST' ? { 'Idempotent-Replayed': REPLAYED } : {}),
    ...route.headers,
  };
  const headers = {
    ...(route.scope === 'terminals' ? REQUEST_ID : COMMON_HEADERS),
    ...Object.fromEntries(
      Object.entries(own).map(([name, description]) => [name, { description, schema: { type: 'string' } }]),
    ),
  };
  const content = {
    [route.responseType ?? 'application/json']: { schema },
    ...(route.textType !== undefined && { [route.textType]: { schema: { type: 'string' } } }),
  };
  return Object.fromEntries(
    Object.entries(statuses).map(([status, description]) => [
      status,
      {
        description,
        headers,
        ...(status === '304'
          ? {}
          : { content: Number(status) < 400 ? content : { ...content, ...operation.ERROR } }),
      },
    ]),
  );
}

/** True if the response is a single record, `{ "device": … }`, which has an ETag. */
function isRecord({ anyOf, properties = {} }: Schema): boolean {
  if (anyOf !== undefined) return anyOf.every(isRecord);
  const [record, ...others] = Object.values(properties);
  return record?.$ref !== undefined && others.length === 0;
}

/** `app versions` for `/apps/{app_id}/versions`, `users` for `/users/token`. */
function tagOf({ path }: RouteBase): string {
  const [first = '', ...rest] = path.split('/').filter((segment) => segment !== '');
  return rest.includes('versions') ? `${first.slice(0, -1)} versions` : first.replaceAll('_', ' ');
}

const VERBS = { GET: 'get', POST: 'create', PUT: 'update', DELETE: 'delete' } as const;

/** In lowerCamelCase, unique for each method and path: `listDevices`, `createDevice`, `updateAppVersion`. */
function idOf({ method, path, paged }: RouteBase): string {
  const words = path
    .replace(/\{[^}]+\}/g, '')
    .split('/')
    .filter((segment) => segment !== '')
    .map((segment) => segment.replace(/s$/, ''))
    .flatMap((segment) => segment.split('_'))
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1));
  return paged === true ? `list${words.join('')}s` : `${VERBS[method]}${words.join('')}`;
}

const count: Schema = { type: 'integer', minimum: 0 };
const HEADERS: Readonly<Record<string, operation.Header>> = {
  'X-Rate-Limit-Limit': { description: 'Requests per hour allowed for a client address.', schema: count },
  'X-Rate-Limit-Remaining': { description: 'Requests left in the current hour.', schema: count },
  'X-Rate-Limit-Reset': { description: 'Start of the next hour, in Unix seconds.', schema: count },
  'X-Request-Id': { description: 'Id of the request in the log of the server.', schema: { type: 'string' } },
  'Retry-After': { description: 'Seconds to wait before a retry.', schema: count },
};

const COMMON_HEADERS = Object.fromEntries(
  Object.keys(HEADERS)
    .filter((name) => name !== 'Retry-After')
    .map((name) => [name, { $ref: `#/components/headers/${name}` }]),
);

/** Headers of responses to terminals. No X-Rate-Limit headers: terminals are not limited by address. */
const REQUEST_ID = { 'X-Request-Id': { $ref: '#/components/headers/X-Request-Id' } };

const API_TOKEN = {
  access_token: { type: 'apiKey', in: 'query', name: 'access_token', description: 'The API token.' },
  bearer: { type: 'http', scheme: 'bearer', description: 'The same token, outside the URL.' },
};

const TERMINAL_TOKEN = {
  device_token: { type: 'http', scheme: 'bearer', description: 'The token of one device.' },
  gateway_token: {
    type: 'http',
    scheme: 'bearer',
    description:
      'An API token with the scope `terminals`. The header X-Serial-Number names the terminal of each request.',
  },
};

/** Security requirement that lists the schemes as alternatives: a request uses one of them. */
const alternativesOf = (schemes: object): readonly Readonly<Record<string, readonly []>>[] =>
  Object.keys(schemes).map((name) => ({ [name]: [] }));

function scopeText(scope: Scope | null): string {
  if (scope === null) return 'Needs no access token.';
  if (scope === 'terminals') return 'Needs a device token or a gateway token.';
  const roles = ROLES.filter((role) => mayUse({ role, scopes: [scope] }, scope));
  return `Needs the scope \`${scope}\` and a role that has it: ${roles.join(', ')}.`;
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
