import { OwnerSelector } from '../../resources/owner/owner.model.js';
import { DEFAULT_PER_PAGE, MAX_PER_PAGE } from '../../platform/page.js';
import type { Route } from '../route.js';
import { sampleBody, sampleOf } from './sample.js';
import { bodySchema, type Schema } from './schema.js';

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: true;
  readonly description: string;
  readonly schema: Schema;
  readonly example?: unknown;
}

export interface RequestBody {
  readonly description?: string;
  readonly required: boolean;
  readonly content: Readonly<Record<string, { readonly schema: Schema; readonly example?: object }>>;
}

const PAGE: readonly Parameter[] = [
  {
    name: 'page',
    in: 'query',
    description: 'Number of the page. One past the end is empty.',
    schema: { type: 'integer', minimum: 1, default: 1 },
  },
  {
    name: 'per_page',
    in: 'query',
    description: `Records on a page; more than ${MAX_PER_PAGE} counts as ${MAX_PER_PAGE}.`,
    schema: { type: 'integer', minimum: 1, default: DEFAULT_PER_PAGE },
  },
];

const IF_MATCH: Parameter = {
  name: 'If-Match',
  in: 'header',
  description: 'The ETag of the record as it was read: 412 where it was changed since.',
  schema: { type: 'string' },
};

const IDEMPOTENCY_KEY: Parameter = {
  name: 'Idempotency-Key',
  in: 'header',
  description:
    'Of your choice: within 24 hours, the same key with the same request is performed once and answered alike.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
};

/** Everything that a route reads beside the body; `path` is the document's, whose placeholders may be called otherwise. */
export function parametersOf(route: Route, path: string): readonly Parameter[] {
  const names = placeholders(path);
  const ownerParameters = Object.entries(ownerSchema().properties ?? {}).map(
    ([name, { description = '', ...schema }]): Parameter => ({
      name,
      in: 'query',
      description: `Where the body has no owner: ${lowerFirst(description)}`,
      schema: withoutNull(schema),
    }),
  );
  return [
    ...placeholders(route.path).map((own, place) => pathParameter(names[place] ?? own, own)),
    ...(route.owned === true ? ownerParameters : []),
    ...(route.query ?? []).map((parameter) => ({ ...parameter, in: 'query' as const })),
    ...(route.paged === true ? PAGE : []),
    ...('write' in route && route.method !== 'POST' ? [IF_MATCH] : []),
    ...('write' in route && route.method === 'POST' ? [IDEMPOTENCY_KEY] : []),
  ];
}

export function placeholders(path: string): readonly string[] {
  return [...path.matchAll(/\{([^}]+)\}/g)].map((match) => match[1] ?? '');
}

function pathParameter(name: string, own: string): Parameter {
  const isId = own.endsWith('_id');
  const schema: Schema = isId ? { type: 'integer', minimum: 1 } : { type: 'string' };
  const what = own.replaceAll('_', ' ').replace(/ id$/, '');
  return {
    name,
    in: 'path',
    required: true,
    description: isId ? `The id of the ${what}.` : `The ${what}, percent-encoded.`,
    schema,
    example: sampleOf(schema, {}, own),
  };
}

/** The body that a route reads, undefined where there is none. */
export function bodyOf(route: Route): RequestBody | undefined {
  const schema = merged(
    route.owned === true ? ownerSchema() : {},
    route.body === undefined ? {} : bodySchema(route.body),
  );
  if (schema.properties === undefined) return undefined;
  const example = exampleOf(route, schema);
  const fields = { schema, example };
  const upload = { 'multipart/form-data': { schema: withFile(schema, route.method === 'POST') } };
  const flat = { 'application/json': fields, 'application/x-www-form-urlencoded': fields };
  return {
    ...(route.owned === true
      ? { description: 'Exactly one of `number` and `name` selects the owner, here or in the query.' }
      : {}),
    required: route.method === 'POST' && route.owned !== true,
    content: route.multipart === true ? { ...upload, ...(route.method === 'POST' ? {} : flat) } : flat,
  };
}

function exampleOf(route: Route, schema: Schema): object {
  const own = route.body === undefined ? {} : sampleBody(bodySchema(route.body));
  return route.owned === true
    ? { number: sampleOf(schema.properties?.number ?? {}, {}, 'number'), ...own }
    : own;
}

function ownerSchema(): Schema {
  return bodySchema(OwnerSelector);
}

function merged(one: Schema, other: Schema): Schema {
  if (one.properties === undefined) return other;
  return { ...one, ...other, properties: { ...one.properties, ...other.properties } };
}

function withFile(schema: Schema, required: boolean): Schema {
  const asset = { type: 'string', format: 'binary', description: 'The file; its part may have any name.' };
  return {
    ...schema,
    properties: { asset, ...schema.properties },
    ...(required ? { required: ['asset', ...(schema.required ?? [])] } : {}),
  };
}

function withoutNull({ type, ...schema }: Schema): Schema {
  return { ...schema, type: typeof type === 'string' ? type : (type?.[0] ?? 'string') };
}

function lowerFirst(text: string): string {
  return text.slice(0, 1).toLowerCase() + text.slice(1);
}
