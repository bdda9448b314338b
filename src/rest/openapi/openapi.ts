import { mayUse, ROLES, type Scope } from '../../platform/caller.js';
import {
  ErrorSchema,
  problemReference,
  problemResponses,
  problemStatuses,
  type AnswerObject,
  type Header,
} from './problems.js';
import { bodyOf, parametersOf, placeholders, type Parameter, type RequestBody } from './request.js';
import { INTRODUCTION } from './introduction.js';
import type { Route } from '../route.js';
import { answerSchema, type Schema, type Schemas } from './schema.js';

export interface OpenApiOperation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly parameters: readonly Parameter[];
  readonly requestBody?: RequestBody;
  readonly responses: Readonly<Record<string, AnswerObject | { readonly $ref: string }>>;
  readonly security?: readonly [];
  /** The right that the role and the token's scopes must both give; absent where no token is needed. */
  readonly 'x-right'?: Scope;
}

export interface OpenApiDocument {
  readonly openapi: '3.1.0';
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly servers: readonly { readonly url: string }[];
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly tags: readonly { readonly name: string }[];
  /** By path, then by method in lower case. */
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>;
  readonly components: {
    readonly securitySchemes: Readonly<Record<string, object>>;
    readonly headers: Readonly<Record<string, Header>>;
    readonly schemas: Schemas;
    readonly responses: Readonly<Record<string, AnswerObject>>;
  };
}

const count: Schema = { type: 'integer', minimum: 0 };
const HEADERS: Readonly<Record<string, Header>> = {
  'X-Rate-Limit-Limit': { description: 'Requests an hour for a client address.', schema: count },
  'X-Rate-Limit-Remaining': { description: 'Requests left in this hour.', schema: count },
  'X-Rate-Limit-Reset': { description: 'When the next hour begins, in Unix seconds.', schema: count },
  'X-Request-Id': { description: 'Names the request in the log of the server.', schema: { type: 'string' } },
  'Retry-After': { description: 'Seconds after which trying again makes sense.', schema: count },
};

const EVERYWHERE = Object.fromEntries(
  Object.keys(HEADERS)
    .filter((name) => name !== 'Retry-After')
    .map((name) => [name, { $ref: `#/components/headers/${name}` }]),
);

const SECURITY_SCHEMES = {
  access_token: { type: 'apiKey', in: 'query', name: 'access_token', description: 'The API token.' },
  bearer: { type: 'http', scheme: 'bearer', description: 'The same token, kept out of the URL.' },
};

/** The description of everything that /v1 answers, made from the routes themselves. */
export function createOpenApi(routes: readonly Route[]): OpenApiDocument {
  const schemas: Schemas = { Error: ErrorSchema };
  const paths: Record<string, Record<string, OpenApiOperation>> = {};
  const pathOf = documentPaths(routes);
  for (const route of routes) {
    const path = pathOf(route);
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
      responses: problemResponses(EVERYWHERE),
    },
  };
}

/** Routes of one path may name a placeholder differently; in the document it has one name. */
function documentPaths(routes: readonly Route[]): (route: Route) => string {
  const shapeOf = ({ path }: Route): string => path.replace(/\{[^}]+\}/g, '{}');
  return (route) => {
    const alike = routes.filter((other) => shapeOf(other) === shapeOf(route));
    const names = placeholders(route.path).map((_, place) =>
      [...new Set(alike.map(({ path }) => placeholders(path)[place]))].join('_or_'),
    );
    return `/v1${shapeOf(route)}`.replace(/\{\}/g, () => `{${names.shift() ?? ''}}`);
  };
}

function operationOf(route: Route, path: string, schemas: Schemas): OpenApiOperation {
  const requestBody = bodyOf(route);
  const problems = problemStatuses(route).map((status) => [status, problemReference(status)] as const);
  return {
    operationId: idOf(route),
    tags: [tagOf(route)],
    summary: route.summary,
    description: [route.description, rightOf(route)].filter((text) => text !== undefined).join('\n\n'),
    parameters: parametersOf(route, path),
    ...(requestBody === undefined ? {} : { requestBody }),
    responses: Object.fromEntries<AnswerObject | { readonly $ref: string }>([
      [route.status ?? 200, successOf(route, schemas)],
      ...problems,
    ]),
    ...(route.scope === null ? { security: [] as const } : { 'x-right': route.scope }),
  };
}

function successOf(route: Route, schemas: Schemas): AnswerObject {
  const schema = answerSchema(route.response, schemas);
  return {
    description: route.status === 201 ? 'Created.' : 'Done.',
    headers: {
      ...EVERYWHERE,
      ...(isRecord(schema) ? { ETag: { description: 'For If-Match.', schema: { type: 'string' } } } : {}),
      ...('write' in route && route.method === 'POST'
        ? {
            'Idempotent-Replayed': {
              description: '`true` where an earlier request with this Idempotency-Key was answered so.',
              schema: { type: 'string' },
            },
          }
        : {}),
    },
    content: { 'application/json': { schema } },
  };
}

/** `{ "device": … }`: one key, one record. */
function isRecord({ anyOf, properties = {} }: Schema): boolean {
  if (anyOf !== undefined) return anyOf.every(isRecord);
  const [record, ...others] = Object.values(properties);
  return record?.$ref !== undefined && others.length === 0;
}

function rightOf({ scope: right }: Route): string {
  if (right === null) return 'Needs no access token.';
  const roles = ROLES.filter((role) => mayUse({ role, scopes: [right] }, right));
  return `Needs the scope \`${right}\` and a role that has it: ${roles.join(', ')}.`;
}

/** `/apps/{app_id}/versions` is about app versions, `/users/token` about users. */
function tagOf({ path }: Route): string {
  const [first = '', ...rest] = path.split('/').filter((segment) => segment !== '');
  return rest.includes('versions') ? `${first.slice(0, -1)} versions` : first.replaceAll('_', ' ');
}

/** `getApps`, `putAppsByAppId`: one for each method and path. */
function idOf({ method, path }: Route): string {
  const words = path.replace(/\{([^}]+)\}/g, 'by_$1').split(/[/_]/);
  const capitals = words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1));
  return method.toLowerCase() + capitals.join('');
}
