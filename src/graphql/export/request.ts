/** Parameters of a request for an export. All errors are 400, and none comes after the first byte. */
import {
  coerceInputValue,
  getNamedType,
  getNullableType,
  GraphQLBoolean,
  GraphQLError,
  isEnumType,
  isInputObjectType,
  isListType,
  isObjectType,
  type GraphQLField,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLObjectType,
  type GraphQLSchema,
} from 'graphql';

import { conjuncts, type Condition } from '../../database/list/condition.js';
import { RECORD_ID, type List } from '../../database/list/list.js';
import { firstIn } from '../../database/list/listing.js';
import { malformed } from '../../http/request.js';
import { mayUse, type Caller, type Scope } from '../../platform/requests.js';
import { timeZoneNamed } from '../../platform/timestamps.js';
import { BOOLEANS, camelCase, idFromText, parsedJson, snakeCase } from '../../platform/validate.js';
import { declaredOf, type OrderBy } from '../schema/declared.js';
import { conditionOf, idOfField, type FilterInput } from '../schema/filter.js';
import { allColumns, namedColumns, type Column } from './columns.js';
import { FORMATS, type Format } from './lines.js';
import { SHEET_PARAMETERS, sheetOf, type Sheet } from './sheet-request.js';

/** A list as the schema has it. */
export interface Source {
  readonly list: List<unknown>;
  readonly scope: Scope;
  readonly Record: GraphQLObjectType;
  readonly Filter: GraphQLInputObjectType;
  /** Field of a page with its records. */
  readonly nodes: GraphQLField<unknown, unknown>;
}

/** The source of a field that shows a list, for example `Query.devices` or `Notification.deliveries`. */
export function sourceOf(schema: GraphQLSchema, path: string): Source {
  const [typeName = '', name = ''] = path.split('.');
  const type = schema.getType(typeName);
  const field = isObjectType(type) ? type.getFields()[name] : undefined;
  const declared = field && declaredOf(field);
  const page = field && getNamedType(field.type);
  const nodes = isObjectType(page) ? page.getFields().nodes : undefined;
  const Record = nodes && getNamedType(nodes.type);
  const Filter = field?.args.find((argument) => argument.name === 'filter')?.type;
  if (!nodes || !isObjectType(Record) || !isInputObjectType(Filter)) throw new Error(`No list ${path}`);
  if (declared?.kind === 'list') return { list: declared.list, scope: declared.scope, nodes, Record, Filter };
  if (declared?.kind !== 'many') throw new Error(`The list ${path} is not declared`);
  return { list: declared.children.list, scope: declared.scope, nodes, Record, Filter };
}

export interface ExportRequest {
  readonly format: Format;
  /** How the spreadsheet wants it; null for another format. */
  readonly sheet: Sheet | null;
  readonly columns: readonly Column[];
  readonly condition: Condition | null;
  /** Null for the order in which the records are found best. */
  readonly orderBy: OrderBy | null;
  /** Canonical name; null for UTC. */
  readonly timeZone: string | null;
  /** A cursor of the list, or the number of the last record that the client has. */
  readonly after: string | number | null;
  /** True if CSV has a last line with totals, too. */
  readonly hasTotals: boolean;
}

/** Ids above `after`, up to `upTo`. */
export interface IdRange {
  readonly after: number;
  readonly upTo: number;
}

/** The request for those of its records that have ids in a range. */
export function inRange(request: ExportRequest, { after, upTo }: IdRange): ExportRequest {
  const from = { field: RECORD_ID, operator: 'gte', value: after + 1 } as const;
  const to = { field: RECORD_ID, operator: 'lt', value: upTo + 1 } as const;
  return { ...request, condition: { and: [...conjuncts(request.condition), from, to] } };
}

/** Parameters besides filters. `access_token` and `company` are read elsewhere. */
const PARAMETERS = [
  'format',
  'columns',
  'filter',
  'order_by',
  'time_zone',
  'after',
  'totals',
  ...SHEET_PARAMETERS,
  'access_token',
  'company',
];

export function requestOf(source: Source, query: ReadonlyMap<string, string>, caller: Caller): ExportRequest {
  const given = new Map<string, string>();
  const filters: [string, string][] = [];
  for (const [name, value] of query) {
    const known = PARAMETERS.find((each) => camelCase(each) === camelCase(name));
    if (known !== undefined && given.has(known)) throw malformed(`${known} is given more than once.`);
    if (known === undefined) filters.push([name, value]);
    else given.set(known, value);
  }
  const format = FORMATS.find((each) => each === (given.get('format') ?? 'csv'));
  if (format === undefined) throw malformed(`format must be one of ${FORMATS.join(', ')}.`);
  const hasTotals = BOOLEANS.get(given.get('totals')?.toLowerCase() ?? '0');
  if (hasTotals === undefined) throw malformed('totals must be 1 or 0.');
  if (hasTotals && format === 'spreadsheet')
    throw malformed('totals goes with csv and ndjson. A spreadsheet adds up itself: leave it out.');
  const named = given.get('columns');
  const columns =
    named === undefined
      ? allColumns(source.Record, (scope) => mayUse(caller, scope))
      : namedColumns(source.Record, named);
  return {
    format,
    sheet: sheetOf(format, given, columns.length),
    columns,
    condition: orMalformed(() => conditionIn(source, given.get('filter'), filters)),
    orderBy: orderIn(source.list, given.get('order_by')),
    timeZone: zoneOf(given.get('time_zone')),
    after: afterOf(given.get('after')),
    hasTotals,
  };
}

/** The order of a parameter such as `started_at.desc`. */
function orderIn({ orders }: List<unknown>, text: string | undefined): OrderBy | null {
  if (text === undefined) return null;
  const [name = '', direction = 'asc', ...more] = text.toLowerCase().split('.');
  const field = orders.find((each) => each.toLowerCase() === name);
  if (field !== undefined && more.length === 0 && (direction === 'asc' || direction === 'desc'))
    return { field, direction };
  const known = orders.map((each) => each.toLowerCase()).join(', ');
  throw malformed(`order_by must be one of ${known}, or one with its direction, for example id.desc.`);
}

function zoneOf(text: string | undefined): string | null {
  if (text === undefined) return null;
  const zone = timeZoneNamed(text);
  if (zone === undefined)
    throw malformed('time_zone must be an IANA time zone, for example America/Sao_Paulo.');
  return zone === 'UTC' ? null : zone;
}

function afterOf(text: string | undefined): string | number | null {
  return text === undefined ? null : (idFromText(text) ?? text);
}

/** Runs what reports errors of clients as those of GraphQL. */
export function orMalformed<T>(use: () => T): T {
  try {
    return use();
  } catch (error) {
    throw error instanceof GraphQLError ? malformed(error.message) : error;
  }
}

function conditionIn(
  { list, Filter }: Source,
  json: string | undefined,
  simple: readonly (readonly [string, string])[],
): Condition | null {
  const parts: FilterInput[] = simple.map(([name, value]) => simpleFilter(list, Filter, name, value));
  if (json !== undefined) {
    const value = parsedJson(json);
    if (typeof value !== 'object' || value === null) {
      throw malformed(`filter must be a JSON object in the form of ${Filter.name} of GraphQL.`);
    }
    parts.push(value as FilterInput);
  }
  const conditions = parts.map((part) => conditionOf(list, coerced(Filter, part)));
  const known = conditions.filter((condition) => condition !== null);
  return known.length === 0 ? null : { and: known.flatMap(conjuncts) };
}

function coerced(Filter: GraphQLInputObjectType, value: unknown): FilterInput {
  return coerceInputValue(value, Filter, (path, _value, error) => {
    throw malformed(`${['filter', ...path].join('.')}: ${error.message}`);
  }) as FilterInput;
}

/** The filter of a parameter such as `enabled=true` or `started_at.gte=2026-01-31T00:00:00Z`. */
function simpleFilter(
  list: List<unknown>,
  Filter: GraphQLInputObjectType,
  name: string,
  text: string,
): FilterInput {
  const [first = '', operator = 'eq', ...more] = name.split('.');
  const field = camelCase(first);
  const comparator = field in list.filters ? Filter.getFields()[field]?.type : undefined;
  const operators = isInputObjectType(comparator) ? comparator.getFields() : {};
  const type = more.length === 0 ? operators[camelCase(operator)]?.type : undefined;
  if (type === undefined) {
    // The name of a parameter is not repeated: it may be a mistyped secret.
    const known = [...PARAMETERS.slice(0, -2), ...Object.keys(list.filters).map(snakeCase)];
    throw malformed(
      `A parameter is unknown. An export of this list takes ${known.join(', ')}. A filter may name a comparator of GraphQL, for example created_at.gte.`,
    );
  }
  return { [field]: { [camelCase(operator)]: valueOf(list, field, type, text) } };
}

function valueOf(list: List<unknown>, field: string, type: GraphQLInputType, text: string): unknown {
  const inner = getNullableType(type);
  if (isListType(inner)) return text.split(',').map((each) => valueOf(list, field, inner.ofType, each));
  if (inner === GraphQLBoolean) return { true: true, false: false }[text] ?? text;
  if (isEnumType(inner)) return inner.getValue(text) ? text : text.toUpperCase();
  const number = /^-?\d{1,16}$/.test(text) ? Number(text) : text;
  if (['id', 'linked'].includes(list.filters[field] ?? '')) {
    return typeof number === 'number' ? idOfField(list, field, number) : text;
  }
  return ['integer', 'amount'].includes(list.filters[field] ?? '') ? number : text;
}

/** An order in which an index has the records, or one that reads few others; the first of the list if there is none. */
export function orderFor(list: List<unknown>, condition: Condition | null): string {
  const { orders, filters } = list.listing;
  const isServed = (order: string): boolean => list.searchOfSlice(firstIn(order, 1, { condition })) === null;
  const ofFilters = conjuncts(condition).flatMap((part) => {
    const filter = 'field' in part ? filters[part.field] : undefined;
    const isExact = 'field' in part && (part.operator === 'eq' || filter?.narrows === true);
    if (isExact && filter?.order !== undefined) return [filter.order];
    return list.orders.filter((order) => filter !== undefined && orders[order] === filter.column);
  });
  return list.orders.find(isServed) ?? ofFilters[0] ?? list.orders[0] ?? '';
}
