import type { z } from 'zod';

import type { Scope } from '../../platform/caller.js';
import {
  COMMON_HEADERS,
  oneOf,
  REQUEST_ID,
  scopeText,
  TERMINAL_TOKEN,
  type OpenApiOperation,
} from './operation.js';
import { problemReference, type ResponseObject } from './problems.js';
import type { Parameter, RequestBody } from './request.js';
import { bodySchema, responseSchema, type Schemas } from './schema.js';

/** OpenAPI description of a route outside of /v1. */
export interface Description {
  /** In lowerCamelCase, unique in the document: `getTerminalManifest`. */
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  /** Parameters in path, query and headers. */
  readonly parameters?: readonly Parameter[];
  /** Model of one row, if the body consists of rows. */
  readonly rows?: z.ZodObject;
  /** Example of the body, or of one row of it. */
  readonly example?: object;
  readonly answer: Answer;
  /** Error statuses besides those of every route of /terminal/v1 or /ingest/v1, for example 404. */
  readonly errors?: readonly number[];
}

export interface Answer {
  /** Content-Type without parameters. */
  readonly type: string;
  /** Shape of the content: of one line of NDJSON, or of the data of one event. */
  readonly shape: z.ZodType;
  /** Description of each success status, for example `{ 200: 'The manifest.' }`. 304 has no content. */
  readonly statuses: Readonly<Record<number, string>>;
  /** Description of each response header, by header name. */
  readonly headers?: Readonly<Record<string, string>>;
}

interface DescribedBody {
  /** Content types. */
  readonly types: readonly string[];
  /** Model of the body, or of one row of it. */
  readonly model: z.ZodObject;
}

/** A route outside of /v1. */
export interface DescribedRoute {
  readonly method: 'GET' | 'POST';
  /** The whole path: `/terminal/v1/assets/{name}`. */
  readonly path: string;
  readonly tag: string;
  /** Required scope of the API token; null if the route accepts tokens of terminals instead. */
  readonly scope: Scope | null;
  readonly body?: DescribedBody | undefined;
  readonly describe: Description;
}

const SERIAL_NUMBER: Parameter = {
  name: 'X-Serial-Number',
  in: 'header',
  description: 'Serial number of the terminal, in UTF-8. Required with a gateway token.',
  schema: { type: 'string' },
};

/** Error statuses of all routes outside of /v1; those of routes with a body follow. */
const ALWAYS = [400, 401, 403, 429, 431, 500, 503];
const WITH_BODY = [408, 413, 415, 422];

/** OpenAPI operation of a route outside of /v1. Adds schemas that have an id to `schemas`. */
export function describedOperation(route: DescribedRoute, schemas: Schemas): OpenApiOperation {
  const { tag, scope, body, describe } = route;
  const { operationId, summary, description, parameters = [], errors = [] } = describe;
  const isOfTerminal = scope === null;
  const statuses = [...ALWAYS, ...(body === undefined ? [] : WITH_BODY), ...errors].sort((a, b) => a - b);
  const needs = isOfTerminal ? 'Needs a device token or a gateway token.' : scopeText(scope);
  return {
    operationId,
    tags: [tag],
    summary,
    description: `${description}\n\n${needs}`,
    parameters: [...parameters, ...(isOfTerminal ? [SERIAL_NUMBER] : [])],
    ...(body === undefined ? {} : { requestBody: requestBodyOf(body, describe) }),
    responses: Object.fromEntries<ResponseObject | { readonly $ref: string }>([
      ...successesOf(route, schemas),
      ...statuses.map((status) => [status, problemReference(status, isOfTerminal)] as const),
    ]),
    ...(isOfTerminal ? { security: oneOf(TERMINAL_TOKEN) } : { 'x-scope': scope }),
  };
}

function requestBodyOf({ types, model }: DescribedBody, { rows, example = {} }: Description): RequestBody {
  const content = { schema: bodySchema(model), example };
  return {
    ...(rows === undefined ? {} : { description: 'NDJSON: each line is such an object.' }),
    required: true,
    content: Object.fromEntries(types.map((type) => [type, content])),
  };
}

function successesOf({ scope, describe: { answer } }: DescribedRoute, schemas: Schemas) {
  const own = Object.entries(answer.headers ?? {}).map(
    ([name, description]) => [name, { description, schema: { type: 'string' } }] as const,
  );
  const headers = { ...(scope === null ? REQUEST_ID : COMMON_HEADERS), ...Object.fromEntries(own) };
  const content = { [answer.type]: { schema: responseSchema(answer.shape, schemas) } };
  return Object.entries(answer.statuses).map(([status, description]): [string, ResponseObject] => [
    status,
    { description, headers, ...(status === '304' ? {} : { content }) },
  ]);
}
