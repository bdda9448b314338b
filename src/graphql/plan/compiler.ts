import {
  getNamedType,
  isNonNullType,
  isObjectType,
  print,
  type GraphQLField,
  type GraphQLObjectType,
  type SelectionSetNode,
} from 'graphql';

import type { List } from '../../database/list/list.js';
import type { ReadWork } from '../../database/work.js';
import type { Scope } from '../../platform/caller.js';
import { FieldCollector, type CollectedField } from '../execution/field-collector.js';
import type { Variables } from '../limits/cost.js';
import type { PageInfoShape } from '../schema/connection.js';
import { globalId } from '../schema/node.js';
import { JsonValue } from '../schema/scalars.js';
import { argumentsOf, requestsOf } from './arguments.js';
import {
  constantField,
  edgesField,
  nodesField,
  pageInfoField,
  totalField,
  type EdgeField,
  type PageInfoField,
} from './connection-fields.js';
import { ConnectionPlan, type ConnectionField } from './connection-plan.js';
import { declaredOf, type Declared } from './declared.js';
import { leafWriter } from './leaves.js';
import { ObjectPlan, type PlannedField, type Relation, type WriteField } from './object-plan.js';
import { findPlan, listPlan, manyPlan, OnePlan, type RootPlan } from './relations.js';
import { Unplanned } from './run.js';

/** A list, and the columns to read from it. */
interface Read {
  readonly list: List<unknown>;
  readonly columns: Set<string>;
  /** Writers by field: a field that is selected twice shares one writer. */
  readonly written: Map<GraphQLField<unknown, unknown>, Written>;
}

interface Written {
  readonly write: WriteField;
  /** Whether the field is selected more than once. */
  isShared: boolean;
}

type Nodes = CollectedField['nodes'];

/** Key of a selection, for example `device (databaseId: 1)`. */
const askedOf = ({ nodes: [{ name, arguments: given = [] }] }: CollectedField): string =>
  `${name.value} (${given.map(print).join()})`;

/** Compiles a selection for given values of the variables in its directives. Methods throw `Unplanned`. */
export class Compiler {
  /** Scopes that the caller needs. */
  readonly scopes = new Set<Scope>();
  /** Whether the plan reads a list whose records may be large. */
  isLarge = false;
  #aliases = 0;

  constructor(private readonly fields: FieldCollector) {}

  /**
   * Merges the fields of a selection. Errors: `Unplanned` if a relation or look-up is selected twice with the
   * same arguments, because the resolvers read it once.
   */
  collect(type: GraphQLObjectType, sets: readonly SelectionSetNode[]): readonly CollectedField[] {
    const fields = this.fields.of(type, sets);
    const asked = fields.filter(({ nodes: [node] }) => node.selectionSet !== undefined).map(askedOf);
    if (new Set(asked).size < asked.length) throw new Unplanned('A relation is selected twice');
    return fields;
  }

  root(type: GraphQLObjectType, { key, nodes }: CollectedField): { key: string; plan: RootPlan } {
    if (nodes[0].name.value === '__typename') {
      const text = Promise.resolve(`"${type.name}"`);
      return { key, plan: { text: () => text, isSingle: () => false } };
    }
    const field = this.#fieldOf(type, nodes);
    const declared = declaredOf(field);
    if (declared?.kind === 'find') {
      this.#demand(declared.list, declared.scope);
      const read = newRead(declared.list);
      const keysOf = argumentsOf(field, nodes[0], (args: Variables) => args);
      return {
        key,
        plan: findPlan(declared.list, declared.getters, keysOf, this.#record(field, nodes, read)),
      };
    }
    if (declared?.kind !== 'list') throw new Unplanned('A field of another kind');
    const { list, scope, order } = declared;
    this.#demand(list, scope);
    const requestOf = requestsOf(list, field, nodes[0], order);
    return { key, plan: listPlan(list, requestOf, this.#connection(field, nodes, list)) };
  }

  #fieldOf(type: GraphQLObjectType, [{ name }]: Nodes): GraphQLField<unknown, unknown> {
    const field = type.getFields()[name.value];
    if (field === undefined) throw new Unplanned('Introspection');
    return field;
  }

  #demand({ isLarge }: List<unknown>, scope: Scope | null): void {
    if (isLarge) this.isLarge = true;
    if (scope !== null) this.scopes.add(scope);
  }

  #record(field: GraphQLField<unknown, unknown>, nodes: Nodes, read: Read): ObjectPlan {
    const type = objectType(field);
    const fields = this.#collected(type, nodes).map(({ key, nodes: own }): PlannedField => ({
      key,
      value: this.#value(type, own, read),
    }));
    return new ObjectPlan([...read.columns], fields);
  }

  #value(type: GraphQLObjectType, nodes: Nodes, read: Read): WriteField | Relation {
    if (nodes[0].name.value === '__typename') return () => `"${type.name}"`;
    const field = this.#fieldOf(type, nodes);
    const declared = declaredOf(field);
    switch (declared?.kind) {
      case 'id':
        return (row) => `"${globalId(type.name, row[read.list.columns.id ?? ''] as number)}"`;
      case 'column':
        return this.#column(field, declared, read);
      case 'derived':
        return derived(field, declared.of, columnOf(read, declared.property));
      case 'one': {
        this.#demand(declared.list, 'read');
        const reference = columnOf(read, declared.reference);
        const object = this.#record(field, nodes, newRead(declared.list));
        this.#aliases += 1;
        const alias = `j${this.#aliases}`;
        return new OnePlan(declared.list, reference, object, !isNonNullType(field.type), alias);
      }
      case 'many': {
        const { children, key, scope, order } = declared;
        this.#demand(children.list, scope);
        const requestOf = requestsOf(children.list, field, nodes[0], order);
        const connection = this.#connection(field, nodes, children.list);
        return manyPlan(children, columnOf(read, key), requestOf, connection);
      }
      default:
        throw new Unplanned('A field of another kind');
    }
  }

  #column(
    field: GraphQLField<unknown, unknown>,
    { property, scope }: Extract<Declared, { kind: 'column' }>,
    read: Read,
  ): WriteField {
    const write = leafWriter(field.type);
    if (write === undefined) throw new Unplanned('No leaf');
    if (scope !== null) this.scopes.add(scope);
    const column = columnOf(read, property);
    const known = read.written.get(field);
    if (known !== undefined) {
      known.isShared = true;
      return known.write;
    }
    const written = writtenOnce(field, (row) => write(row[column]));
    read.written.set(field, written);
    return written.write;
  }

  #connection(field: GraphQLField<unknown, unknown>, nodes: Nodes, list: List<unknown>): ConnectionPlan {
    const type = objectType(field);
    const read = newRead(list);
    const fields = this.#collected(type, nodes).map((own) => this.#connectionField(type, own, read));
    return new ConnectionPlan(fields, [...read.columns]);
  }

  #connectionField(type: GraphQLObjectType, { key, nodes }: CollectedField, read: Read): ConnectionField {
    const { name } = nodes[0];
    if (name.value === '__typename') return constantField(key, `"${type.name}"`);
    const field = this.#fieldOf(type, nodes);
    if (name.value === 'totalCount') return totalField(key);
    if (name.value === 'nodes') return nodesField(key, this.#record(field, nodes, read));
    if (name.value === 'edges') return edgesField(key, this.#edge(field, nodes, read));
    if (name.value !== 'pageInfo') throw new Unplanned('Another field of a connection');
    readKeys(read);
    const info = objectType(field);
    const fields = this.#collected(info, nodes).map(({ key: own, nodes: [{ name: shown }] }): PageInfoField =>
      shown.value === '__typename'
        ? { key: own, text: `"${info.name}"` }
        : { key: own, shows: shown.value as keyof PageInfoShape },
    );
    return pageInfoField(key, fields);
  }

  #edge(field: GraphQLField<unknown, unknown>, nodes: Nodes, read: Read): readonly EdgeField[] {
    const type = objectType(field);
    return this.#collected(type, nodes).map(({ key, nodes: own }): EdgeField => {
      const { name } = own[0];
      if (name.value === '__typename') return { key, text: `"${type.name}"` };
      if (name.value === 'node') return { key, node: this.#record(this.#fieldOf(type, own), own, read) };
      readKeys(read);
      return { key, node: null };
    });
  }

  #collected(type: GraphQLObjectType, nodes: Nodes): readonly CollectedField[] {
    const sets = nodes.flatMap(({ selectionSet }): SelectionSetNode[] =>
      selectionSet ? [selectionSet] : [],
    );
    return this.collect(type, sets);
  }
}

function objectType({ type }: GraphQLField<unknown, unknown>): GraphQLObjectType {
  const named = getNamedType(type);
  if (!isObjectType(named)) throw new Unplanned('An interface');
  return named;
}

const newRead = (list: List<unknown>): Read => ({
  list,
  columns: new Set([list.columns.id ?? 'id']),
  written: new Map(),
});

/** A field computed from the value of a column. */
function derived(
  { type }: GraphQLField<unknown, unknown>,
  of: (value: unknown, work: ReadWork) => unknown,
  column: string,
): Relation {
  const write = leafWriter(type);
  if (write === undefined) throw new Unplanned('No leaf');
  return {
    texts: (run, rows) => run.textOfEach(rows, (row) => write(of(row[column], run.work))),
  };
}

/** Caches the JSON text per row if a JSON field is selected several times: JSON may be long. */
function writtenOnce({ type }: GraphQLField<unknown, unknown>, write: WriteField): Written {
  const isJson = getNamedType(type) === JsonValue;
  const texts = new WeakMap<object, string>();
  const written: Written = {
    isShared: false,
    write: (row) => {
      if (!isJson || !written.isShared) return write(row);
      const text = texts.get(row) ?? write(row);
      texts.set(row, text);
      return text;
    },
  };
  return written;
}

function columnOf({ list, columns }: Read, property: string): string {
  const column = list.columns[property];
  if (column === undefined) throw new Unplanned('A property that is no column');
  columns.add(column);
  return column;
}

/** Cursors contain the sort value, so all columns that a list can be ordered by are read. */
function readKeys({ list, columns }: Read): void {
  for (const column of Object.values(list.ordered)) columns.add(column);
}
