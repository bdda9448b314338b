import {
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isNonNullType,
  isLeafType,
  isListType,
  isObjectType,
  isRequiredArgument,
} from 'graphql';
import type {
  GraphQLArgument,
  GraphQLEnumType,
  GraphQLField,
  GraphQLInputObjectType,
  GraphQLInputType,
  GraphQLObjectType,
} from 'graphql';

import { declaredOf } from '../../src/graphql/schema/declared.js';

/** Values that arguments take; a client has cursors from earlier responses. */
interface Pool {
  readonly texts: readonly string[];
  readonly ids: readonly string[];
  readonly cursors: readonly string[];
}

interface DrawnQuery {
  readonly query: string;
  readonly variables: Record<string, unknown>;
}

/**
 * Draws a query: lists with pages, cursors, orders and filters,
 * look-ups, aliases, fragments and conditions, with literals and variables.
 */
export class DrawnQueries {
  #drawn = 0;
  readonly #definitions: string[] = ['$yes: Boolean = true', '$no: Boolean!'];
  readonly #variables: Record<string, unknown> = { no: false };
  readonly #fragments: string[] = [];

  /** @param fields of which fields: those that can be planned, and now and then others, or any. */
  constructor(
    private readonly choices: readonly number[],
    private readonly pool: Pool,
    private readonly fields: 'planned' | 'any' = 'planned',
  ) {}

  query(root: GraphQLObjectType): DrawnQuery {
    const fields = Object.values(root.getFields()).filter(({ args, extensions }) =>
      this.fields === 'planned' ? extensions.planned !== undefined : !args.some(isRequiredArgument),
    );
    const parts = Array.from({ length: 1 + this.#next(3) }, () => this.#field(this.#one(fields), 4, root));
    const query = `query (${this.#definitions.join(', ')}) { a: __typename @include(if: $yes) b: __typename @skip(if: $no) ${parts.join(' ')} } ${this.#fragments.join(' ')}`;
    return { query, variables: this.#variables };
  }

  #selection(type: GraphQLObjectType, depth: number): string {
    const all = Object.values(type.getFields()).filter(
      ({ type: of }) => depth > 0 || isLeafType(getNamedType(of)),
    );
    // The fields of some types are all objects.
    if (all.length === 0) return '{ __typename }';
    const planned = all.filter(
      (field) =>
        declaredOf(field) !== null ||
        (isLeafType(getNullableType(field.type)) && field.extensions.resolve !== undefined),
    );
    const parts = Array.from({ length: 1 + this.#next(4) }, () =>
      this.#field(this.#one(this.fields === 'any' || this.#next(30) === 0 ? all : planned), depth - 1, type),
    );
    return `{ ${this.#next(3) === 0 ? '__typename' : ''} ${parts.join(' ')} }`;
  }

  #field(field: GraphQLField<unknown, unknown>, depth: number, on: GraphQLObjectType): string {
    const type = getNamedType(field.type);
    if (type.name === 'Base64') return '__typename';
    const name =
      field.args.length > 0 || this.#next(4) === 0 ? `other${this.#drawn}: ${field.name}` : field.name;
    const condition =
      ['', '', '', '@include(if: $yes)', '@skip(if: $yes)', '@include(if: $no)'][this.#next(6)] ?? '';
    const others = isLeafType(type) ? '' : '{ __typename }';
    const selection = isObjectType(type) ? this.#selection(type, depth) : others;
    const asked = `${name}${this.#arguments(field.args)} ${condition} ${selection}`;
    const way = this.#next(8);
    if (way === 0) return `... on ${on.name} @include(if: $yes) { ${asked} }`;
    if (way > 1) return asked;
    const fragment = `F${this.#fragments.length}x${this.#drawn}`;
    this.#fragments.push(`fragment ${fragment} on ${on.name} { ${asked} }`);
    return `...${fragment}`;
  }

  #arguments(args: readonly GraphQLArgument[]): string {
    const given = this.#given(args, new Set(args.map(({ name }) => name)));
    return given.length === 0 ? '' : `(${given.join(', ')})`;
  }

  #given(args: readonly GraphQLArgument[], names: ReadonlySet<string>): string[] {
    if (names.has('orderBy')) return this.#page(args);
    return names.has('first') ? [this.#argument(args, 'first', this.#next(5))] : this.#key(args);
  }

  #page(args: readonly GraphQLArgument[]): string[] {
    const backward = this.#next(3) === 0;
    const names = backward ? { size: 'last', cursor: 'before' } : { size: 'first', cursor: 'after' };
    const argument = (name: string, value: unknown): string => this.#argument(args, name, value);
    return [
      ...(backward || this.#next(4) > 0 ? [argument(names.size, this.#next(5))] : []),
      ...(this.#next(4) === 0 && this.pool.cursors.length > 0
        ? [argument(names.cursor, this.#one(this.pool.cursors))]
        : []),
      ...(this.#next(3) === 0 ? [argument('orderBy', this.#order(args))] : []),
      ...(this.#next(3) === 0 ? [argument('filter', this.#filter(typeOf(args, 'filter'), 2))] : []),
    ];
  }

  #key(args: readonly GraphQLArgument[]): string[] {
    if (args.length === 0) return [];
    const { name } = this.#one(args);
    if (name === 'databaseId') return [this.#argument(args, name, 1 + this.#next(4))];
    return [this.#argument(args, name, this.#one(name === 'id' ? this.pool.ids : this.pool.texts))];
  }

  #order(args: readonly GraphQLArgument[]): object {
    const fields = getNamedType(typeOf(args, 'orderBy').getFields().field?.type) as GraphQLEnumType;
    return {
      field: new Enum(this.#one(fields.getValues()).name),
      ...(this.#next(2) === 0 ? {} : { direction: new Enum(this.#one(['ASC', 'DESC'])) }),
    };
  }

  #filter(type: GraphQLInputObjectType, depth: number): object {
    const field = this.#one(Object.values(type.getFields()));
    const inner = getNamedType(field.type);
    if (inner === type) {
      const nested = depth === 0 ? {} : this.#filter(type, depth - 1);
      return { [field.name]: isListType(getNullableType(field.type)) ? [nested] : nested };
    }
    if (!isInputObjectType(inner)) return {};
    const operator = this.#one(Object.values(inner.getFields()));
    return { [field.name]: { [operator.name]: this.#value(operator.type) } };
  }

  #value(type: GraphQLInputType): unknown {
    const known = getNullableType(type);
    if (isListType(known)) return [this.#value(known.ofType)];
    if (isEnumType(known)) return new Enum(this.#one(known.getValues()).name);
    if (isInputObjectType(known)) {
      const fields = Object.values(known.getFields()).filter((field) => isNonNullType(field.type));
      return Object.fromEntries(fields.map((field) => [field.name, this.#value(field.type)]));
    }
    const values: Record<string, () => unknown> = {
      Boolean: () => this.#next(2) === 0,
      Int: () => this.#next(4),
      ID: () => this.#one(this.pool.ids),
      SafeInt: () => this.#next(1_000),
      DateTime: () => this.#one(['2026-11-22T00:00:00Z', '2027-01-01T00:00:00.000Z', '2020-01-01T00:00:00Z']),
    };
    return values[getNamedType(known).name]?.() ?? this.#one(this.pool.texts).slice(0, 1 + this.#next(9));
  }

  /** As a literal or a variable. */
  #argument(args: readonly GraphQLArgument[], name: string, value: unknown): string {
    if (this.#next(2) === 0) return `${name}: ${literal(value)}`;
    const variable = `v${this.#drawn}`;
    this.#definitions.push(`$${variable}: ${String(args.find((each) => each.name === name)?.type)}`);
    this.#variables[variable] = JSON.parse(JSON.stringify(value)) as unknown;
    return `${name}: $${variable}`;
  }

  #one<T>(values: readonly T[]): T {
    const value = values[this.#next(values.length)];
    if (value === undefined) throw new Error('Nothing to choose from');
    return value;
  }

  #next(below: number): number {
    this.#drawn += 1;
    return (this.choices[this.#drawn % this.choices.length] ?? 0) % Math.max(below, 1);
  }
}

/** A value that is a name in a document, and a text in variables. */
class Enum {
  constructor(readonly name: string) {}

  toJSON(): string {
    return this.name;
  }
}

function literal(value: unknown): string {
  if (value instanceof Enum) return value.name;
  if (Array.isArray(value)) return `[${value.map(literal).join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return `{ ${Object.entries(value)
    .map(([name, inner]) => `${name}: ${literal(inner)}`)
    .join()} }`;
}

function typeOf(args: readonly GraphQLArgument[], name: string): GraphQLInputObjectType {
  const type = args.find((each) => each.name === name)?.type;
  const named = type === undefined ? undefined : getNamedType(type);
  if (!isInputObjectType(named)) throw new Error(`No input type of ${name}`);
  return named;
}
