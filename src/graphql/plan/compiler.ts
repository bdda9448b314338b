import {
  getNamedType,
  getNullableType,
  isLeafType,
  isNonNullType,
  isObjectType,
  type FieldNode,
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
import { declaredOf, type OrderBy } from '../schema/declared.js';
import { globalId } from '../schema/node.js';
import { encodeCursor, pageInfo, type PageInfoShape } from '../schema/page.js';
import * as relations from './relations.js';
import {
  leafWriter,
  objectText,
  objectTexts,
  propertyOf,
  readerOf,
  Unplanned,
  valueWriter,
  type FieldText,
  type PlannedField,
  type RecordPlan,
  type Texts,
  type WriteValue,
} from './texts.js';

/** A list, and the columns to read from it. */
export interface Read {
  readonly list: List<unknown>;
  readonly columns: Set<string>;
}

type Field = GraphQLField<unknown, unknown>;

/** Compiles fields for given values of the variables in their directives. Methods throw `Unplanned`. */
export class Compiler {
  readonly scopes = new Set<Scope>();
  /** Whether the plan reads a list whose records may be large. */
  isLarge = false;
  #readsRecords = false;

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
        return relations.findText(list, getters, keysOf, this.#record(field, nodes, this.#read(list, scope)));
      }
      if (declared?.kind !== 'list') throw new Unplanned('A field of another kind');
      const { list, scope, order } = declared;
      return relations.allText(list, this.#connection(field, nodes, this.#read(list, scope), order));
    });
  }

  /**
   * The fields that `node` selects of the records of a list, whose type is that of `field`. Plans of operations leave
   * values that are no columns to the resolvers; here, they are read from the records.
   */
  records(field: Field, node: FieldNode, read: Read): RecordPlan {
    this.#readsRecords = true;
    return this.#record(field, [node], read);
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

  #object<Row>(
    field: Field,
    nodes: relations.Nodes,
    textOf: (field: Field, nodes: relations.Nodes, type: GraphQLObjectType) => FieldText<Row>,
  ): readonly PlannedField<Row>[] {
    const type = getNamedType(field.type);
    if (!isObjectType(type)) throw new Unplanned('An interface');
    const { schema, fragments, variables } = this;
    const selected = relations.selectedIn(collectSubfields(schema, fragments, variables, type, nodes));
    if (!relations.areDifferent(selected)) throw new Unplanned('A relation is selected twice');
    return selected.map((each) => this.#field(type, each, (own, ownNodes) => textOf(own, ownNodes, type)));
  }

  #read(list: List<unknown>, scope: Scope): Read {
    if (list.isLarge) this.isLarge = true;
    this.scopes.add(scope);
    return { list, columns: new Set([list.columns.id ?? 'id']) };
  }

  #record(field: Field, nodes: relations.Nodes, read: Read): RecordPlan {
    const fields = this.#object<ListRow>(field, nodes, (own, ownNodes, type) =>
      this.#value(type, own, ownNodes, read),
    );
    return { columns: [...read.columns], texts: objectTexts(fields) };
  }

  #value(type: GraphQLObjectType, field: Field, nodes: relations.Nodes, read: Read): FieldText<ListRow> {
    const declared = declaredOf(field);
    if (isObjectType(getNullableType(field.type)) && declared?.kind === 'column') {
      return this.#resolved(field, nodes, read);
    }
    switch (declared?.kind) {
      case 'id':
        return { write: (row) => `"${globalId(type.name, row[read.list.columns.id ?? ''] as number)}"` };
      case 'column': {
        if (declared.scope !== null) this.scopes.add(declared.scope);
        if (this.#readsRecords && !isPlain(field, declared.property, read))
          return this.#resolved(field, nodes, read);
        const write = leafWriter(field.type);
        const column = columnOf(read, declared.property);
        return { write: (row) => write(row[column]) };
      }
      case 'derived': {
        const write = leafWriter(field.type);
        const column = columnOf(read, declared.property);
        return { write: (row, run) => write(declared.of(row[column], run.work)) };
      }
      case 'one': {
        const { list } = declared;
        const reference = columnOf(read, declared.reference);
        const record = this.#record(field, nodes, this.#read(list, 'read'));
        return relations.oneText(list, reference, record, !isNonNullType(field.type));
      }
      case 'many': {
        const { children, key, scope, order } = declared;
        const connection = this.#connection(field, nodes, this.#read(children.list, scope), order);
        return relations.manyText(children, columnOf(read, key), connection);
      }
      default:
        return this.#resolved(field, nodes, read);
    }
  }

  /** A value from a resolver, or an object in a property: read once for each record, however many lists have it. */
  #resolved(field: Field, nodes: relations.Nodes, { list, columns }: Read): FieldText<ListRow> {
    const valueOf = readerOf(field);
    const argsOf = relations.argumentsOf(field, nodes[0], (args) => args);
    const write = valueWriter(field.type, () => this.#objectWriter(field, nodes));
    for (const column of list.allColumns) columns.add(column);
    return {
      texts: async (run, rows, times) => {
        const args = argsOf(run.variables);
        const read = async (row: ListRow, index: number): Promise<unknown> => {
          const value = await valueOf(run.recordOf(list, row), run.context, args);
          return Array.isArray(value) ? await run.entries(value, times[index]) : value;
        };
        return await run.textOfEach(await Promise.all(rows.map(read)), (value) => write(value, run));
      },
    };
  }

  #objectWriter(field: Field, nodes: relations.Nodes): WriteValue {
    const type = getNamedType(field.type);
    if (!isObjectType(type) || type.getInterfaces().length > 0) throw new Unplanned('Bytes, or a record');
    if (type.name.endsWith('Connection')) throw new Unplanned('A page of a list that is not declared');
    const properties = this.#object<unknown>(field, nodes, (own, ownNodes) => {
      if (own.resolve !== undefined) throw new Unplanned('A property with a resolver');
      const write = valueWriter(own.type, () => this.#objectWriter(own, ownNodes));
      return { write: (value, run) => write(propertyOf(value, own.name), run) };
    });
    return (value, run) => objectText(properties, value, run);
  }

  #connection(
    field: Field,
    nodes: relations.Nodes,
    read: Read,
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
            relations.recordTexts(this.#record(own, ownNodes, read)),
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
    return { columns: [...read.columns], texts: objectTexts(fields), needs, requestOf };
  }

  #edge(
    field: Field,
    nodes: relations.Nodes,
    read: Read,
    requestOf: relations.RequestOf,
  ): Texts<Item<ListRow>> {
    const fields = this.#object<Item<ListRow>>(field, nodes, (own, ownNodes) => {
      if (own.name === 'node') {
        const texts = relations.recordTexts(this.#record(own, ownNodes, read));
        const rowsOf = (items: readonly Item<ListRow>[]) => items.map(({ record }) => record);
        return { texts: (run, items, times) => texts(run, rowsOf(items), times) };
      }
      readKeys(read);
      return {
        texts: async (run, items) => {
          const { order } = requestOf(run.variables);
          return await run.textOfEach(items, ({ key }) => `"${encodeCursor(order, key)}"`);
        },
      };
    });
    return objectTexts(fields);
  }

  #pageInfo(field: Field, nodes: relations.Nodes, read: Read): Texts<relations.Page> {
    readKeys(read);
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

/** Whether a column has the value of a field in the form in which it is shown. */
const isPlain = ({ type }: Field, property: string, { list }: Read): boolean =>
  list.columns[property] !== undefined && isLeafType(getNullableType(type));

function columnOf({ list, columns }: Read, property: string): string {
  const column = list.columns[property];
  if (column === undefined) throw new Unplanned('A property that is no column');
  columns.add(column);
  return column;
}

/** Cursors contain the sort value, so all columns that a list can be ordered by are read. */
function readKeys({ list, columns }: Read): void {
  for (const column of Object.values(list.listing.orders)) columns.add(column);
}
