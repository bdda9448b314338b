import { mayUse, ROLES, type Scope } from '../../platform/caller.js';
import {
  ErrorSchema,
  problemReference,
  problemResponses,
  problemStatuses,
  type ResponseObject,
  type Header,
} from './problems.js';
import { bodyOf, parametersOf, type Parameter, type RequestBody } from './request.js';
import { INTRODUCTION } from './introduction.js';
import { pathPattern, placeholders, readsRecord, type Route } from '../route.js';
import { responseSchema, type Schema, type Schemas } from './schema.js';

export interface OpenApiOperation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly parameters: readonly Parameter[];
  readonly requestBody?: RequestBody;
  readonly responses: Readonly<Record<string, ResponseObject | { readonly $ref: string }>>;
  readonly security?: readonly [];
  /** The scope that the token and the user's role must both have; absent if no token is needed. */
  readonly 'x-scope'?: Scope;
}

export type OpenApiDocument = ReturnType<typeof createOpenApi>;

const count: Schema = { type: 'integer', minimum: 0 };
const HEADERS: Readonly<Record<string, Header>> = {
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

const ETAG: Header = { description: 'For If-Match and If-None-Match.', schema: { type: 'string' } };

const NOT_MODIFIED: ResponseObject = {
  description: 'The record still has the ETag in If-None-Match. No body.',
  headers: { ...COMMON_HEADERS, ETag: ETAG },
};

const SECURITY_SCHEMES = {
  access_token: { type: 'apiKey', in: 'query', name: 'access_token', description: 'The API token.' },
  bearer: { type: 'http', scheme: 'bearer', description: 'The same token, outside the URL.' },
};

/** The OpenAPI document of /v1, generated from the routes. */
export function createOpenApi(routes: readonly Route[]) {
  const schemas: Schemas = { Error: ErrorSchema };
  /** By path, then by method in lower case. */
  const paths: Record<string, Record<string, OpenApiOperation>> = {};
  for (const route of routes) {
    const path = documentPath(route, routes);
    const operations = (paths[path] ??= {});
    operations[route.method.toLowerCase()] = operationOf(route, path, schemas);
  }
  return {
    openapi: '3.1.0',
    info: { title: 'terminal-gateway', version: 'v1', description: INTRODUCTION },
    servers: [{ url: '/' }],
    security: Object.keys(SECURITY_SCHEMES).map((name) => ({ [name]: [] })),
    tags: [...new Set(routes.map(tagOf))].map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: SECURITY_SCHEMES,
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
    description: [route.description, scopeText(route)].filter((text) => text !== undefined).join('\n\n'),
    parameters: parametersOf(route, path),
    ...(requestBody === undefined ? {} : { requestBody }),
    responses: Object.fromEntries<ResponseObject | { readonly $ref: string }>([
      [route.status ?? 200, successOf(route, schemas)],
      ...(readsRecord(route) ? [[304, NOT_MODIFIED] as const] : []),
      ...problems,
    ]),
    ...(route.scope === null ? { security: [] as const } : { 'x-scope': route.scope }),
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

function scopeText({ scope }: Route): string {
  if (scope === null) return 'Needs no access token.';
  const roles = ROLES.filter((role) => mayUse({ role, scopes: [scope] }, scope));
  return `Needs the scope \`${scope}\` and a role that has it: ${roles.join(', ')}.`;
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
