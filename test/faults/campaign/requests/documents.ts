import {
  getNamedType,
  getNullableType,
  isAbstractType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isNonNullType,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLOutputType,
  type GraphQLSchema,
  isInterfaceType,
  isObjectType,
} from 'graphql';

import type { Random } from '../../../../src/platform/random.js';
import type { Known } from '../records.js';
import { Raw, toJson, type OddValues } from './values.js';

export interface GeneratedDocument {
  readonly kind: 'query' | 'mutation' | 'subscription';
  readonly text: string;
  readonly variables: Readonly<Record<string, unknown>>;
  /** Names of the variables that are files. */
  readonly files: readonly string[];
}

type Fields = Readonly<Record<string, GraphQLField<unknown, unknown>>>;

const MAX_DEPTH = 5;
/** Deeper than the server allows. */
const TOO_DEEP = 14;
/** Fields of transactions that may have held card data at their source. */
const CARD_FIELDS = ['sent', 'received', 'detail'];

const INSTANTS =
  '2026-01-01T00:00:00Z 2027-06-30T23:59:59.999Z 2026-02-30T00:00:00Z 1969-12-31T23:59:59Z'.split(' ');

/** Makes one document from a schema: any root field, with arguments of every input type. */
export class DocumentBuilder {
  readonly #variables: Record<string, unknown> = {};
  readonly #definitions: string[] = [];
  readonly #fragments: string[] = [];
  readonly #files: string[] = [];
  #names = 0;
  #fields = 0;

  constructor(
    private readonly schema: GraphQLSchema,
    private readonly random: Random,
    private readonly odd: OddValues,
    private readonly known: Known,
  ) {}

  document(kind: GeneratedDocument['kind']): GeneratedDocument {
    const { random } = this;
    const root = { query: 'Query', mutation: 'Mutation', subscription: 'Subscription' }[kind];
    const fields = fieldsOf(this.schema.getType(root));
    const count = kind === 'query' ? random.whole(1, 3) : random.chance(0.9) ? 1 : 2;
    const depth = random.chance(0.03) ? TOO_DEEP : random.whole(2, MAX_DEPTH);
    const names = Array.from({ length: count }, () => random.pick(Object.keys(fields)));
    const selected = names.map((name) => this.#field(name, fields, depth));
    const given = this.#definitions.length === 0 ? '' : `(${this.#definitions.join(', ')})`;
    const name = random.chance(0.5) ? ` Operation${random.whole(1, 9)}` : '';
    const head = given === '' && name === '' && kind === 'query' ? '' : `${kind}${name}${given} `;
    const text = [`${head}{ ${selected.join(' ')} }`, ...this.#fragments].join('\n');
    return { kind, text, variables: this.#variables, files: this.#files };
  }

  #field(name: string, fields: Fields, depth: number): string {
    const { random } = this;
    const field = fields[name];
    if (field === undefined) return '__typename';
    this.#fields += 1;
    // Small pages: the product of the default ones is more than a request may cost.
    const isPaged = field.args.some((argument) => argument.name === 'first') && random.chance(0.85);
    const page = isPaged ? [`first: ${random.whole(0, 4)}`] : [];
    const args = field.args
      .filter((argument) => !isPaged || !['first', 'last', 'before'].includes(argument.name))
      .filter((argument) => isNonNullType(argument.type) || random.chance(0.2))
      .map((argument) => `${argument.name}: ${this.#argument(argument.name, argument.type)}`);
    // Lists of several names are told apart by an alias.
    const alias = field.args.length > 0 || random.chance(0.05) ? `f${(this.#names += 1)}: ` : '';
    const directive = random.chance(0.03)
      ? ` @${random.pick(['skip', 'include'])}(if: ${String(random.chance(0.5))})`
      : '';
    const all = [...page, ...args];
    const given = all.length === 0 ? '' : `(${all.join(', ')})`;
    return `${alias}${name}${given}${directive}${this.#selection(field.type, depth - 1)}`;
  }

  #selection(type: GraphQLOutputType, depth: number): string {
    const { random } = this;
    const named = getNamedType(type);
    if (isLeafType(named)) return '';
    if (isAbstractType(named) && random.chance(0.6)) {
      const possible = random.pick(this.schema.getPossibleTypes(named));
      return ` { __typename ... on ${possible.name}${this.#selection(possible, depth)} }`;
    }
    const fields = fieldsOf(named);
    const [leaves, others] = [true, false].map((leaf) =>
      Object.keys(fields).filter((name) => isLeafType(getNamedType(fields[name]?.type)) === leaf),
    ) as [string[], string[]];
    const inner = [
      ...leaves.filter((name) => random.chance(0.4) && (fields[name]?.args.length ?? 0) === 0),
      ...(depth <= 0 || this.#fields > 40 ? [] : others.filter(() => random.chance(0.4))).map((name) =>
        this.#field(name, fields, depth),
      ),
    ];
    const body = inner.length === 0 ? '__typename' : inner.join(' ');
    if (isObjectType(named) && random.chance(0.08)) {
      const name = `Fragment${(this.#names += 1)}`;
      this.#fragments.push(`fragment ${name} on ${named.name} { ${body} }`);
      return ` { ...${name} }`;
    }
    return ` { ${body} }`;
  }

  #argument(name: string, type: GraphQLInputType): string {
    const { random } = this;
    const value = this.#value(name, type);
    const isFile = hasFile(value);
    if (!isFile && random.chance(0.4)) return literal(value, type);
    const variable = `v${(this.#names += 1)}`;
    this.#definitions.push(`$${variable}: ${String(type)}`);
    this.#variables[variable] = random.chance(0.12) ? this.odd.mutated(value) : value;
    if (isFile) this.#files.push(variable);
    return `$${variable}`;
  }

  #value(name: string, type: GraphQLInputType): unknown {
    const { random } = this;
    if (isNonNullType(type)) return this.#value(name, type.ofType);
    if (isListType(type)) {
      const inner = type.ofType;
      return Array.from({ length: random.whole(0, 3) }, () => this.#value(name, inner));
    }
    if (isEnumType(type)) return random.pick(type.getValues()).name;
    if (isInputObjectType(type)) {
      const fields = Object.values(type.getFields());
      const isFilter = type.name.endsWith('Filter');
      const chosen = fields.filter(
        (field) => isNonNullType(field.type) || random.chance(isFilter ? 0.15 : 0.5),
      );
      const given = type.isOneOf ? [random.pick(fields)] : chosen;
      return Object.fromEntries(given.map((field) => [field.name, this.#value(field.name, field.type)]));
    }
    return this.#scalar(name, type.name);
  }

  #scalar(name: string, type: string): unknown {
    const { random, odd } = this;
    switch (type) {
      case 'ID':
        return random.chance(0.75) ? this.#globalId(name) : odd.text();
      case 'Int':
      case 'SafeInt':
        return random.chance(0.8) ? random.whole(0, 120) : random.pick([-1, 2 ** 31 - 1, 0, 1]);
      case 'Boolean':
        return random.chance(0.5);
      case 'DateTime':
        return random.pick(INSTANTS);
      case 'Base64':
        return random.bytes(random.whole(0, 60)).toString('base64');
      case 'JSON':
        return odd.json() instanceof Raw ? { a: [1] } : { a: odd.text() };
      case 'Upload':
        return FILE;
      default:
        if (CARD_FIELDS.includes(name) && random.chance(0.5)) return odd.cardText();
        return random.chance(0.6) ? `text ${random.digits(6)}` : odd.text();
    }
  }

  /** The id of a record that the argument is about, of the own company or of the other one. */
  #globalId(name: string): string {
    const { random, known, odd } = this;
    const types = Object.keys(known.ids);
    const meant = types.find((type) => name.toLowerCase().includes(type.toLowerCase().slice(0, 8)));
    const type = meant !== undefined && random.chance(0.8) ? meant : random.pick(types);
    const id = random.chance(0.75) ? String(random.pick(known.ids[type] ?? [1])) : odd.id();
    return Buffer.from(`${type}:${id}`).toString('base64url');
  }
}

/** Stands for a file in variables, until the request is written. */
export const FILE = 'file of the campaign';

const hasFile = (value: unknown): boolean => toJson(value).includes(FILE);

function fieldsOf(type: unknown): Fields {
  if (isObjectType(type) || isInterfaceType(type)) {
    return type.getFields();
  }
  return {};
}

/** A value as a literal of a document. */
function literal(value: unknown, type: GraphQLInputType): string {
  const nullable = getNullableType(type);
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) {
    const inner = isListType(nullable) ? nullable.ofType : nullable;
    return `[${value.map((each) => literal(each, inner)).join(', ')}]`;
  }
  if (isEnumType(nullable) && typeof value === 'string') return value;
  if (typeof value === 'object') {
    const fields = isInputObjectType(nullable) ? nullable.getFields() : {};
    const parts = Object.entries(value).map(
      ([name, each]) => `${name}: ${literal(each, fields[name]?.type ?? nullable)}`,
    );
    return `{ ${parts.join(', ')} }`;
  }
  return JSON.stringify(value);
}
