import { z } from 'zod';

import { DEFAULT_PER_PAGE, MAX_PER_PAGE } from '../../platform/requests.js';
import {
  NDJSON_TYPE,
  placeholders,
  readsRecord,
  type FilePart,
  type Parameter,
  type RouteBase,
} from '../router.js';
import { bodySchema, sampleBody, sampleOf, type Schema } from './schema.js';

export interface RequestBody {
  readonly description?: string;
  readonly required: boolean;
  readonly content: Readonly<Record<string, { readonly schema: Schema; readonly example?: object }>>;
}

const PAGE: readonly Parameter[] = [
  {
    name: 'page',
    in: 'query',
    description: 'Number of the page. A page past the end is empty.',
    schema: { type: 'integer', minimum: 1, default: 1 },
  },
  {
    name: 'per_page',
    in: 'query',
    description: `Records per page. More than ${MAX_PER_PAGE} counts as ${MAX_PER_PAGE}.`,
    schema: { type: 'integer', minimum: 1, default: DEFAULT_PER_PAGE },
  },
];

const header = (name: string, description: string, limits: Schema = {}): Parameter => ({
  name,
  in: 'header',
  description,
  schema: { type: 'string', ...limits },
});

const IF_MATCH = header('If-Match', 'ETag of the record as last read. 412 if the record was changed since.');
const IF_NONE_MATCH = header(
  'If-None-Match',
  'ETag of the record as last read. 304 without a body if the record was not changed since.',
);
const IDEMPOTENCY_KEY = header(
  'Idempotency-Key',
  'A text of your choice. Within 24 hours, requests with the same key are performed once and get the same response.',
  { minLength: 1, maxLength: 255 },
);
const SERIAL_NUMBER = header(
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
  return Object.entries(properties).map(([name, { description = '', ...schema }]) => ({
    name,
    in: 'query',
    description: `If the body has no owner: ${lowerFirst(description)}`,
    schema: withoutNull(schema),
  }));
}

function pathParameter(name: string, own: string): Parameter {
  const isId = own.endsWith('_id');
  const schema: Schema = isId ? { type: 'integer', minimum: 1 } : { type: 'string' };
  const what = own.replaceAll('_', ' ').replace(/ id$/, '');
  return {
    name,
    in: 'path',
    required: true,
    description: isId ? `Id of the ${what}.` : `The ${what}, percent-encoded.`,
    schema,
    example: sampleOf(schema, {}, own),
  };
}

const FLAT_TYPES = ['application/json', 'application/x-www-form-urlencoded'];

/** The body of a route; undefined if it takes none. */
export function bodyOf(route: RouteBase): RequestBody | undefined {
  const { body, ownerSelector, bodyTypes = FLAT_TYPES, file } = route;
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

function lowerFirst(text: string): string {
  return text.slice(0, 1).toLowerCase() + text.slice(1);
}
