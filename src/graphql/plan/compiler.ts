import {
  getNamedType,
  getNullableType,
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
import { declaredOf, type OrderBy } from '../schema/declared.js';
import { globalId } from '../schema/node.js';
import { encodeCursor, pageInfo, type PageInfoShape } from '../schema/page.js';
import * as relations from './relations.js';
import { executedText } from './resolvers.js';
import {
  leafWriter,
  objectTexts,
  propertyWriter,
  Unplanned,
  type FieldText,
  type PlannedField,
  type PlanRun,
  type RecordPlan,
  type Texts,
} from './texts.js';

type Field = GraphQLField<unknown, unknown>;

/** Makes the text of a field of objects that have a type. */
type MakeText<Row> = (field: Field, nodes: relations.Nodes, type: GraphQLObjectType) => FieldText<Row>;

/** Compiles fields for given values of the variables in their directives. Methods throw `Unplanned`. */
export class Compiler {
  readonly scopes = new Set<Scope>();

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
        return relations.findText(list, getters, keysOf, this.record(field, nodes, this.#read(list, scope)));
      }
      if (declared?.kind !== 'list') throw new Unplanned('A field of another kind');
      const { list, scope, order } = declared;
      return relations.allText(list, this.#connection(field, nodes, this.#read(list, scope), order));
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

  #object<Row>(
    field: Field,
    nodes: relations.Nodes,
    textOf: MakeText<Row>,
    otherwise?: (nodes: relations.Nodes, type: GraphQLObjectType) => FieldText<Row>,
  ): readonly PlannedField<Row>[] {
    const type = getNamedType(field.type);
    if (!isObjectType(type)) throw new Unplanned('An interface');
    const { schema, fragments, variables } = this;
    const selected = relations.selectedIn(collectSubfields(schema, fragments, variables, type, nodes));
    const repeated = relations.repeatedIn(selected);
    return selected.map((each) =>
      this.#field(type, each, (own, ownNodes) => {
        try {
          if (repeated.has(each[0])) throw new Unplanned('A relation is selected twice');
          return textOf(own, ownNodes, type);
        } catch (error) {
          if (error instanceof Unplanned && otherwise !== undefined) return otherwise(ownNodes, type);
          throw error;
        }
      }),
    );
  }

  #read(list: List<unknown>, scope: Scope): relations.Read {
    this.scopes.add(scope);
    return { list, columns: new Set([list.columns.id ?? 'id']) };
  }

  /** The fields that `nodes` select of the records of a list, whose type is that of `field`. */
  record(field: Field, nodes: relations.Nodes, read: relations.Read): RecordPlan {
    const { schema, fragments } = this;
    const { list, columns } = read;
    const fields = this.#object<ListRow>(
      field,
      nodes,
      (own, ownNodes, type) => this.#value(type, own, ownNodes, read),
      (ownNodes, type) => {
        for (const column of list.allColumns) columns.add(column);
        return executedText({ schema, type, list, fragments }, ownNodes);
      },
    );
    return { columns: [...columns], texts: objectTexts(fields) };
  }

  #value(
    type: GraphQLObjectType,
    field: Field,
    nodes: relations.Nodes,
    read: relations.Read,
  ): FieldText<ListRow> {
    const declared = declaredOf(field);
    switch (declared?.kind) {
      case 'id':
        return { write: (row) => `"${globalId(type.name, row[read.list.columns.id ?? ''] as number)}"` };
      case 'column': {
        if (declared.scope !== null) this.scopes.add(declared.scope);
        if (!isPlain(field, declared.property, read)) return this.#property(field, nodes, read);
        const write = leafWriter(field.type);
        const column = relations.columnOf(read, declared.property);
        return { write: (row) => write(row[column]) };
      }
      case 'derived': {
        const write = leafWriter(field.type);
        const column = relations.columnOf(read, declared.property);
        return { write: (row, run) => write(declared.of(row[column], run.work)) };
      }
      case 'one': {
        const reference = relations.columnOf(read, declared.reference);
        const record = this.record(field, nodes, this.#read(declared.list, 'read'));
        return relations.oneText(declared.list, reference, record, !isNonNullType(field.type));
      }
      case 'many': {
        const { children, key, scope, order } = declared;
        const connection = this.#connection(field, nodes, this.#read(children.list, scope), order);
        return relations.manyText(children, relations.columnOf(read, key), connection);
      }
      default:
        throw new Unplanned('A field that only resolvers can read');
    }
  }

  /** A property of records that is no column. */
  #property(field: Field, nodes: relations.Nodes, { list, columns }: relations.Read): FieldText<ListRow> {
    const write = this.#propertyWriter(field, nodes);
    for (const column of list.allColumns) columns.add(column);
    return { write: (row, run) => write(run.recordOf(list, row), run) };
  }

  #propertyWriter(field: Field, nodes: relations.Nodes): (owner: unknown, run: PlanRun) => string {
    return propertyWriter(field, () =>
      this.#object<unknown>(field, nodes, (own, ownNodes) => ({
        write: this.#propertyWriter(own, ownNodes),
      })),
    );
  }

  #connection(
    field: Field,
    nodes: relations.Nodes,
    read: relations.Read,
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
    return { columns: [...read.columns], texts: objectTexts(fields), needs, requestOf };
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

/** True if a column has the value of a field in the form in which it is shown. */
const isPlain = ({ type }: Field, property: string, { list }: relations.Read): boolean =>
  list.columns[property] !== undefined && isLeafType(getNullableType(type));
