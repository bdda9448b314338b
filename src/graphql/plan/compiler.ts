import {
  getNamedType,
  isLeafType,
  isNonNullType,
  isObjectType,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  type SelectionSetNode,
} from 'graphql';
import { collectFields, collectSubfields } from 'graphql/execution/collectFields.js';

import type { List } from '../../database/list/list.js';
import type { Item, ListRow } from '../../database/list/listing.js';
import type { Scope } from '../../platform/requests.js';
import type { Variables } from '../limits/cost.js';
import type { Fragments } from '../limits/structure.js';
import { declaredOf, type Declared, type OrderBy } from '../schema/declared.js';
import { globalId } from '../schema/node.js';
import { encodeCursor, pageInfo, type PageInfoShape } from '../schema/page.js';
import * as relations from './relations.js';
import {
  leafWriter,
  objectTexts,
  Unplanned,
  valueTexts,
  type FieldText,
  type PlannedField,
  type RecordPlan,
  type Texts,
} from './texts.js';

type Field = GraphQLField<unknown, unknown>;

/** Finds the read of a field, which equal fields of its selection share. */
type ReadOf = (list: List<unknown>, scope: Scope) => relations.SharedRead;

/** Makes the text of a field of objects that have a type. */
type MakeText<Row> = (
  field: Field,
  nodes: relations.Nodes,
  type: GraphQLObjectType,
  readOf: ReadOf,
) => FieldText<Row>;

/** Compiles fields for given values of the variables in their directives. Methods throw `Unplanned`. */
export class Compiler {
  readonly scopes = new Set<Scope>();
  readonly #roots = new Map<string, relations.SharedRead>();

  constructor(
    private readonly schema: GraphQLSchema,
    private readonly fragments: Fragments,
    private readonly variables: Variables,
  ) {}

  selected(type: GraphQLObjectType, set: SelectionSetNode): readonly relations.Selected[] {
    return relations.selectedIn(collectFields(this.schema, this.fragments, this.variables, type, set));
  }

  root(type: GraphQLObjectType, selected: relations.Selected): PlannedField<ListRow> {
    return this.#field(type, selected, (field, nodes): FieldText<ListRow> => {
      const declared = declaredOf(field);
      if (declared?.kind === 'find') {
        const { list, getters, scope } = declared;
        const keysOf = relations.argumentsOf(field, nodes[0], (args) => args);
        const read = this.#read(this.#roots, selected, list, scope);
        return relations.findText(read, getters, keysOf, this.record(field, nodes, read));
      }
      if (declared?.kind !== 'list') throw new Unplanned('A field of another kind');
      const { list, scope, order } = declared;
      const read = this.#read(this.#roots, selected, list, scope);
      return relations.rootPageText(this.#connection(field, nodes, read, order));
    });
  }

  #field<Row>(
    type: GraphQLObjectType,
    [key, nodes]: relations.Selected,
    textOf: (field: Field, nodes: relations.Nodes) => FieldText<Row>,
  ): PlannedField<Row> {
    const { value: name } = nodes[0].name;
    if (name === '__typename') return { key, write: () => `"${type.name}"` };
    const field = type.getFields()[name];
    if (field === undefined) throw new Unplanned('Introspection');
    return { key, ...textOf(field, nodes) };
  }

  #object<Row>(field: Field, nodes: relations.Nodes, textOf: MakeText<Row>): readonly PlannedField<Row>[] {
    const type = getNamedType(field.type);
    if (!isObjectType(type)) throw new Unplanned('An interface');
    const { schema, fragments, variables } = this;
    const selected = relations.selectedIn(collectSubfields(schema, fragments, variables, type, nodes));
    const reads = new Map<string, relations.SharedRead>();
    return selected.map((each) =>
      this.#field(type, each, (own, ownNodes) =>
        textOf(own, ownNodes, type, (list, scope) => this.#read(reads, each, list, scope)),
      ),
    );
  }

  #read(
    reads: Map<string, relations.SharedRead>,
    selected: relations.Selected,
    list: List<unknown>,
    scope: Scope,
  ): relations.SharedRead {
    this.scopes.add(scope);
    const key = relations.keyOf(selected);
    const read = reads.get(key) ?? { list, columns: new Set([list.columns.id ?? 'id']) };
    reads.set(key, read);
    return read;
  }

  /** The fields that `nodes` select of records, whose type is that of `field`. */
  record(field: Field, nodes: relations.Nodes, read: relations.Read): RecordPlan {
    const fields = this.#object<ListRow>(field, nodes, (own, ownNodes, type, readOf) =>
      this.#value(type, own, ownNodes, read, readOf),
    );
    return { columns: read.columns, texts: objectTexts(fields) };
  }

  #value(
    type: GraphQLObjectType,
    field: Field,
    nodes: relations.Nodes,
    read: relations.Read,
    readOf: ReadOf,
  ): FieldText<ListRow> {
    const declared = declaredOf(field);
    const scope = declared && scopeOf(declared);
    if (scope !== null) this.scopes.add(scope);
    const valuesOf = declared && relations.ofRecords(field, declared, read);
    if (valuesOf !== null) return this.#values(field, nodes, read, valuesOf);
    switch (declared?.kind) {
      case 'id': {
        const column = relations.columnOf(read, 'id');
        return { write: (row) => `"${globalId(type.name, row[column] as number)}"` };
      }
      case 'column':
      case 'fromColumn': {
        if (read.list === null) throw new Unplanned('A value of a column');
        const write = leafWriter(field.type);
        const column = relations.columnOf(read, declared.property);
        if (declared.kind === 'column') return { write: (row) => write(row[column]) };
        return { write: (row, run) => write(declared.of(row[column], run.work)) };
      }
      case 'one': {
        const reference = relations.columnOf(read, declared.reference);
        const own = readOf(declared.list, 'read');
        return relations.oneText(own, reference, this.record(field, nodes, own), !isNonNullType(field.type));
      }
      case 'many': {
        const { children, key, scope, order } = declared;
        const connection = this.#connection(field, nodes, readOf(children.list, scope), order);
        return relations.manyText(children, relations.columnOf(read, key), connection);
      }
      default:
        throw new Unplanned('A field that only resolvers can read');
    }
  }

  /** Values of records that are no columns. */
  #values(
    field: Field,
    nodes: relations.Nodes,
    { list, columns }: relations.Read,
    valuesOf: relations.ValuesOf,
  ): FieldText<ListRow> {
    for (const column of list?.allColumns ?? []) columns.add(column);
    const entryTexts = this.#entries(field, nodes);
    return {
      texts: async (run, rows, times) => {
        const records = rows.map((row) => run.recordOf(list, row));
        return await valueTexts(run, field.type, await valuesOf(run, records, times), times, entryTexts);
      },
    };
  }

  #entries(field: Field, nodes: relations.Nodes): Texts<unknown> {
    const leaf = getNamedType(field.type);
    if (isLeafType(leaf)) {
      return async (run, entries) =>
        await run.textOfEach(entries, (entry) => JSON.stringify(leaf.serialize(entry)));
    }
    const texts = relations.recordTexts(this.record(field, nodes, { list: null, columns: new Set() }));
    return async (run, entries, times) => await texts(run, entries as readonly ListRow[], times);
  }

  #connection(
    field: Field,
    nodes: relations.Nodes,
    read: relations.SharedRead,
    order: OrderBy | undefined,
  ): relations.ConnectionPlan {
    const requestOf = relations.requestsOf(read.list, field, nodes[0], order);
    const needs = new Set<'records' | 'page' | 'total'>();
    const fields = this.#object<relations.Page>(field, nodes, (own, ownNodes) => {
      switch (own.name) {
        case 'totalCount': {
          needs.add('total');
          const write = leafWriter(own.type);
          return { write: ({ total }) => write(total) };
        }
        case 'nodes':
          needs.add('records');
          return relations.entriesText(
            ({ records }) => records,
            relations.recordTexts(this.record(own, ownNodes, read)),
          );
        case 'edges':
          needs.add('records');
          return relations.entriesText(({ items }) => items, this.#edge(own, ownNodes, read, requestOf));
        case 'pageInfo':
          needs.add('page');
          return { texts: this.#pageInfo(own, ownNodes, read) };
        default:
          throw new Unplanned('Another field of a connection');
      }
    });
    return { read, texts: objectTexts(fields), needs, requestOf };
  }

  #edge(
    field: Field,
    nodes: relations.Nodes,
    read: relations.Read,
    requestOf: relations.RequestOf,
  ): Texts<Item<ListRow>> {
    const fields = this.#object<Item<ListRow>>(field, nodes, (own, ownNodes) => {
      if (own.name === 'node') {
        const texts = relations.recordTexts(this.record(own, ownNodes, read));
        const rowsOf = (items: readonly Item<ListRow>[]) => items.map(({ record }) => record);
        return { texts: (run, items, times) => texts(run, rowsOf(items), times) };
      }
      relations.readKeys(read);
      return {
        texts: async (run, items) => {
          const { order } = requestOf(run.variables);
          return await run.textOfEach(items, ({ key }) => `"${encodeCursor(order, key)}"`);
        },
      };
    });
    return objectTexts(fields);
  }

  #pageInfo(field: Field, nodes: relations.Nodes, read: relations.Read): Texts<relations.Page> {
    relations.readKeys(read);
    const fields = this.#object<PageInfoShape>(field, nodes, (own) => {
      const write = leafWriter(own.type);
      return { write: (info) => write(info[own.name as keyof PageInfoShape]) };
    });
    const texts = objectTexts(fields);
    return (run, pages, times) =>
      texts(
        run,
        pages.map(({ request, slice }) => pageInfo(request, slice)),
        times,
      );
  }
}

/** The scope of a value; null if it has none of its own. */
function scopeOf(declared: Declared): Scope | null {
  if (declared.kind === 'loaded') return 'read';
  return declared.kind === 'column' ? declared.scope : null;
}
