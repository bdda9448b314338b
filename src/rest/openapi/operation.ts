import { z } from 'zod';

import { OTHER_CODES, PROBLEM_CODES } from '../../http/problem.js';
import { REFUSAL_CODES } from '../../platform/errors.js';
import { DEFAULT_PER_PAGE, MAX_PER_PAGE } from '../../platform/requests.js';
import { NDJSON_TYPE } from '../lines.js';
import {
  parameter,
  placeholders,
  readsRecord,
  type FilePart,
  type Parameter,
  type RouteBase,
} from '../route.js';
import { bodySchema, sampleBody, sampleOf, type Schema } from './schema.js';

export interface RequestBody {
  readonly description?: string;
  readonly required: boolean;
  readonly content: Readonly<Record<string, { readonly schema: Schema; readonly example?: object }>>;
}

const PAGE = [
  parameter('query', 'page', 'Number of the page. A page past the end is empty.', {
    type: 'integer',
    minimum: 1,
    default: 1,
  }),
  parameter('query', 'per_page', `Records per page. More than ${MAX_PER_PAGE} counts as ${MAX_PER_PAGE}.`, {
    type: 'integer',
    minimum: 1,
    default: DEFAULT_PER_PAGE,
  }),
];

const IF_MATCH = parameter(
  'header',
  'If-Match',
  'ETag of the record as last read. 412 if the record was changed since.',
);
const IF_NONE_MATCH = parameter(
  'header',
  'If-None-Match',
  'ETag of the record as last read. 304 without a body if the record was not changed since.',
);
const IDEMPOTENCY_KEY = parameter(
  'header',
  'Idempotency-Key',
  'A text of your choice. Within 24 hours, requests with the same key are performed once and get the same response.',
  { minLength: 1, maxLength: 255 },
);
const SERIAL_NUMBER = parameter(
  'header',
  'X-Serial-Number',
  'Serial number of the terminal, in UTF-8. Required with a gateway token.',
);

/** Parameters of a route in path, query and headers. `path` is the document's: its placeholders may have other names. */
export function parametersOf(route: RouteBase, path: string): readonly Parameter[] {
  const names = placeholders(path);
  const { parameters: own = [] } = route;
  return [
    ...placeholders(route.path).flatMap((name, index) =>
      own.some((each) => each.in === 'path' && each.name === name)
        ? []
        : [pathParameter(names[index] ?? name, name)],
    ),
    ...ownerParameters(route),
    ...own,
    ...(route.paged === true ? PAGE : []),
    ...('write' in route ? [route.method === 'POST' ? IDEMPOTENCY_KEY : IF_MATCH] : []),
    ...(readsRecord(route) ? [IF_NONE_MATCH] : []),
    ...(route.scope === 'terminals' ? [SERIAL_NUMBER] : []),
  ];
}

function ownerParameters({ ownerSelector }: RouteBase): readonly Parameter[] {
  const { properties = {} } = ownerSelector === undefined ? {} : bodySchema(ownerSelector);
  return Object.entries(properties).map(([name, { description = '', ...schema }]) =>
    parameter('query', name, `If the body has no owner: ${lowerFirst(description)}`, withoutNull(schema)),
  );
}

function pathParameter(name: string, own: string): Parameter {
  const isId = own.endsWith('_id');
  const what = own.replaceAll('_', ' ').replace(/ id$/, '');
  const text = isId ? `Id of the ${what}.` : `The ${what}, percent-encoded.`;
  const described = parameter('path', name, text, isId ? { type: 'integer', minimum: 1 } : {});
  return { ...described, example: sampleOf(described.schema, {}, own) };
}

const FLAT_TYPES = ['application/json', 'application/x-www-form-urlencoded'];

/** The body of a route; undefined if it takes none. */
export function bodyOf(route: RouteBase): RequestBody | undefined {
  const { body, ownerSelector, bodyTypes = FLAT_TYPES, file, bytes } = route;
  if (bytes !== undefined) {
    const binary = { schema: { type: 'string', format: 'binary' } };
    return { required: true, content: Object.fromEntries(bytes.types.map((type) => [type, binary])) };
  }
  if (ownerSelector === undefined && body === undefined) return undefined;
  const schema = bodySchema(z.object({ ...ownerSelector?.shape, ...body?.shape }));
  const fields = { schema, example: route.example ?? exampleOf(route, schema) };
  const flat = Object.fromEntries(bodyTypes.map((type) => [type, fields]));
  const description = bodyTypes.includes(NDJSON_TYPE)
    ? 'NDJSON: each line is such an object.'
    : ownerSelector && selectorText(ownerSelector);
  return {
    ...(description === undefined ? {} : { description }),
    required: route.method === 'POST' && ownerSelector === undefined,
    content: file === undefined ? flat : withUpload(file, schema, flat),
  };
}

function exampleOf({ body, ownerSelector }: RouteBase, schema: Schema): object {
  const own = body === undefined ? {} : sampleBody(bodySchema(body));
  const [selector] = Object.keys(ownerSelector?.shape ?? {});
  if (selector === undefined) return own;
  return { [selector]: sampleOf(schema.properties?.[selector] ?? {}, {}, selector), ...own };
}

/** "Exactly one of `number` and `name` selects the owner, in the body or in the query." */
function selectorText(selector: z.ZodObject): string {
  const fields = Object.keys(selector.shape).map((field) => `\`${field}\``);
  return `Exactly one of ${fields.join(' and ')} selects the owner, in the body or in the query.`;
}

function withUpload(file: FilePart, schema: Schema, flat: RequestBody['content']): RequestBody['content'] {
  const upload = { 'multipart/form-data': { schema: withFile(file, schema) } };
  if (file.asText === true) return { ...flat, ...upload };
  return file.required === true ? upload : { ...upload, ...flat };
}

function withFile({ name, required }: FilePart, schema: Schema): Schema {
  const description = 'The file. The name of its part does not matter.';
  const part = { [name]: { type: 'string', format: 'binary', description } };
  return {
    ...schema,
    properties: { ...part, ...schema.properties, ...part },
    ...(required === true ? { required: [name, ...(schema.required ?? [])] } : {}),
  };
}

function withoutNull({ type, ...schema }: Schema): Schema {
  return { ...schema, type: typeof type === 'string' ? type : (type?.[0] ?? 'string') };
}

const lowerFirst = (text: string): string => text.slice(0, 1).toLowerCase() + text.slice(1);

export interface Header {
  readonly description: string;
  readonly schema: Schema;
}

export interface Reference {
  readonly $ref: string;
}

export interface ResponseObject {
  readonly description: string;
  readonly headers?: Readonly<Record<string, Header | Reference>>;
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>;
}

const ELSEWHERE: readonly string[] = [...OTHER_CODES, ...REFUSAL_CODES];

const listed = (codes: readonly string[]): string => codes.map((code) => `\`${code}\``).join(', ');

/** The error object (contract 10). */
export const ErrorSchema: Schema = {
  type: 'object',
  description: 'Every error response.',
  properties: {
    message: { type: 'string', description: 'What is wrong, for people.' },
    code: {
      type: 'string',
      description: `What is wrong, for programs; stable. ${listed(ELSEWHERE)} are not codes of /v1.`,
      enum: [...PROBLEM_CODES, ...ELSEWHERE],
    },
    request_id: { type: 'string', description: 'Same as X-Request-Id; the log of the server has it.' },
    errors: {
      type: 'object',
      description: 'Messages by field.',
      additionalProperties: { type: 'array', items: { type: 'string' } },
    },
  },
  required: ['message', 'code', 'request_id'],
  additionalProperties: false,
};

const RETRY_AFTER = { 'Retry-After': { $ref: '#/components/headers/Retry-After' } };

type Problem = readonly [name: string, description: string, headers?: ResponseObject['headers']];

const textHeader = (name: string, description: string): ResponseObject['headers'] => ({
  [name]: { description, schema: { type: 'string' } },
});
const CHALLENGE = textHeader('WWW-Authenticate', 'Bearer');
const UNAUTHENTICATED = 'No valid access token, or a wrong e-mail address or password.';
const FORBIDDEN = 'The role or the scope of the token does not cover the call.';
const CONFLICT = 'Conflict with the present state: a duplicate, or a group in use.';
const ENCODING =
  'The body is compressed, its charset is not UTF-8, or its Content-Type lists several types or is not the one of the call.';
const INVALID = 'A field is not valid. `errors` has the messages by field.';
const UNEXPECTED = 'Internal error. The log of the server has the details under the request id.';
const UNAVAILABLE = 'The storage is busy, full or unavailable. Nothing was changed.';

const PROBLEMS: Readonly<Record<number, Problem>> = {
  400: ['Malformed', 'The request or a query parameter is malformed.'],
  401: ['Unauthenticated', UNAUTHENTICATED, CHALLENGE],
  403: ['Forbidden', FORBIDDEN],
  404: ['NotFound', 'There is no such record in the company.'],
  408: ['TooSlow', 'The body did not arrive in time.'],
  409: ['Conflict', CONFLICT],
  412: ['Stale', 'If-Match is not the current ETag of the record.'],
  413: ['TooLarge', 'The body, or the file in it, is too large.'],
  415: ['UnsupportedEncoding', ENCODING],
  416: ['NoSuchRange', 'The range begins after the last byte.'],
  422: ['Invalid', INVALID],
  429: ['RateLimited', 'Too many requests.', RETRY_AFTER],
  431: ['HeadersTooLarge', 'The headers, or the URL, are too large.'],
  500: ['Unexpected', UNEXPECTED],
  503: ['Unavailable', UNAVAILABLE, RETRY_AFTER],
};

const REFUSED = `The terminal may not use the service: ${listed(REFUSAL_CODES)}. Or the token may not be used for it: \`forbidden\`.`;

/** Error responses of terminal routes that differ from those of /v1. */
const TERMINAL_PROBLEMS: Readonly<Record<number, Problem>> = {
  401: ['TerminalUnauthenticated', 'No valid device or gateway token.', CHALLENGE],
  403: ['TerminalRefused', REFUSED],
};

/** Statuses of every route. Routes that read a body may have more; any method of /v1 may carry one (contract 1). */
const ALWAYS = [400, 401, 429, 431, 500, 503];
const WITH_BODY = [408, 413, 415, 422];

/** The error responses of a route by status. */
export function problemsOf(route: RouteBase, readsBody: boolean): Readonly<Record<number, Reference>> {
  const names = route.path.includes('{') || route.ownerSelector !== undefined;
  const changes = 'write' in route;
  const statuses = [
    ...ALWAYS,
    ...(route.scope === null ? [] : [403]),
    ...(readsBody ? WITH_BODY : []),
    ...(names ? [404] : []),
    ...(changes ? [409] : []),
    ...(changes && route.method !== 'POST' ? [412] : []),
    ...(route.errors ?? []),
  ];
  const own = route.scope === 'terminals' ? { ...PROBLEMS, ...TERMINAL_PROBLEMS } : PROBLEMS;
  return Object.fromEntries(
    statuses.map((status) => [status, { $ref: `#/components/responses/${own[status]?.[0] ?? ''}` }]),
  );
}

/** Content of an error response. */
export const ERROR = { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } };

/** Error responses by name. Each has the common `headers` and those of its own status. */
export function problemResponses(
  headers: NonNullable<ResponseObject['headers']>,
): Readonly<Record<string, ResponseObject>> {
  const problems = [...Object.values(PROBLEMS), ...Object.values(TERMINAL_PROBLEMS)];
  return Object.fromEntries(
    problems.map(([name, description, own]) => [
      name,
      { description, headers: { ...headers, ...own }, content: ERROR },
    ]),
  );
}
