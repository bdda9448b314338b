import type { ChildList, List } from '../../database/list/list.js';
import type { ListRow } from '../../database/list/listing.js';
import type { JoinedOne } from '../../database/list/related-rows.js';
import type { KeyValue, Slice, SliceRequest } from '../../database/list/slice.js';
import type { Variables } from '../limits/cost.js';
import { foundOrNull } from '../schema/errors.js';
import { numberIn } from '../schema/node.js';
import type { ConnectionPlan } from './connection-plan.js';
import type { Getter } from './declared.js';
import type { ObjectPlan, Relation } from './object-plan.js';
import { Unplanned, type PlanRun } from './run.js';

/** The page that the arguments of a field select. */
export type RequestOf = (variables: Variables) => SliceRequest;

/** The record whose id is in a column. */
export class OnePlan implements Relation {
  readonly #view: ReturnType<List<unknown>['only']>;

  constructor(
    private readonly list: List<unknown>,
    private readonly reference: string,
    private readonly object: ObjectPlan,
    private readonly isNullable: boolean,
    /** Different from that of every other relation of the plan. */
    private readonly alias: string,
  ) {
    this.#view = list.only(object.columns);
  }

  /**
   * Joins for reading this record in one statement with the rows that refer to it, including its own
   * relations; null if it cannot be joined.
   */
  joined(of: string | null): readonly JoinedOne[] | null {
    // Bytes are counted by list.
    if (this.list.isLarge) return null;
    const behind = joinedOf(this.object, this.alias);
    const { alias, reference, object } = this;
    return behind && [{ ...this.list.source, alias, columns: object.columns, of, reference }, ...behind];
  }

  async texts(run: PlanRun, rows: readonly ListRow[], times: readonly number[]): Promise<readonly string[]> {
    const found = await this.#found(run, rows);
    const timesOfFound = new Map<unknown, number>();
    for (const [index, row] of rows.entries()) {
      const id = row[this.reference];
      timesOfFound.set(id, (timesOfFound.get(id) ?? 0) + (times[index] ?? 0));
    }
    const made = await this.object.texts(
      run,
      [...found.values()],
      [...found.keys()].map((id) => timesOfFound.get(id) ?? 0),
    );
    const texts = new Map([...found.keys()].map((id, index) => [id as unknown, made[index] ?? '']));
    return rows.map((row, index) => {
      const text = texts.get(row[this.reference]);
      if (text !== undefined) run.nodes += times[index] ?? 0;
      else if (!this.isNullable) throw new Unplanned('No record in a field that is not nullable');
      return text ?? 'null';
    });
  }

  async #found(run: PlanRun, rows: readonly ListRow[]): Promise<ReadonlyMap<number, ListRow>> {
    const ids = new Set(rows.map((row) => row[this.reference]).filter((id) => id !== null));
    if (ids.size === 0) return new Map();
    if (run.isJoined) return new Map(rows.flatMap((row) => this.#joinedIn(row)));
    return run.counted(this.list, await this.#view.byIds(run.work, [...ids] as number[]));
  }

  /** Id and columns of the joined record in a row, with those of its own relations; empty if it is null. */
  #joinedIn(row: ListRow): [number, ListRow][] {
    const own = this.object.columns.map((column) => [column, row[`${this.alias}_${column}`]] as const);
    const id = row[`${this.alias}_${this.list.source.id}`];
    return typeof id === 'number' ? [[id, { ...row, ...Object.fromEntries(own) }]] : [];
  }
}

/** The relations of a record, if all of them can be read together with it. */
function joinedOf(object: ObjectPlan, alias: string | null): readonly JoinedOne[] | null {
  const joined = object.relations.map((relation) =>
    relation instanceof OnePlan ? relation.joined(alias) : null,
  );
  return joined.includes(null) ? null : joined.flatMap((each) => each ?? []);
}

/** A page of the records that refer to each of some rows by a column. */
export function manyPlan(
  children: ChildList<unknown, KeyValue>,
  key: string,
  requestOf: RequestOf,
  connection: ConnectionPlan,
): Relation {
  const view = children.only(connection.columns);
  return {
    texts: async (run, rows, times) => {
      const { work } = run;
      const request = requestOf(run.variables);
      const parents = rows.map((row) => row[key] as KeyValue);
      const found =
        connection.needsSlice(request) && parents.length > 0
          ? run.counted(children.list, await view.slices(work, parents, request))
          : null;
      const totals =
        connection.needsTotal && parents.length > 0
          ? await children.counts(work, parents, request.condition)
          : null;
      return await connection.texts(run, {
        ...{ request, count: rows.length, times },
        slices: found && parents.map((parent) => found.get(parent) ?? NO_RECORDS),
        totals: totals && parents.map((parent) => totals.get(parent) ?? 0),
      });
    },
  };
}

const NO_RECORDS: Slice<ListRow> = { items: [], hasMore: false };

/** A field of the operation itself. */
export interface RootPlan {
  /** JSON text of the record. */
  readonly text: (run: PlanRun) => Promise<string>;
  /** Whether it takes one statement, if what is joined can be. */
  readonly isSingle: (variables: Variables) => boolean;
}

/** A page of all records of the company. */
export function listPlan(list: List<unknown>, requestOf: RequestOf, connection: ConnectionPlan): RootPlan {
  const view = list.only(connection.columns);
  const text = async (run: PlanRun): Promise<string> => {
    const { work } = run;
    const request = requestOf(run.variables);
    const slice = connection.needsSlice(request) ? run.counted(list, await view.slice(work, request)) : null;
    const total = connection.needsTotal ? await list.count(work, request.condition) : null;
    const [made = ''] = await connection.texts(run, {
      ...{ request, count: 1, times: [1] },
      slices: slice && [slice],
      totals: total === null ? null : [total],
    });
    return made;
  };
  return { text, isSingle: () => false };
}

/** One record by exactly one of its keys, which the arguments have. */
export function findPlan(
  list: List<unknown>,
  getters: Readonly<Record<string, Getter>>,
  keysOf: (variables: Variables) => Variables,
  object: ObjectPlan,
): RootPlan {
  const view = list.only(object.columns);
  const joined = joinedOf(object, null);
  const keyOf = (variables: Variables): readonly [string, unknown] => {
    const given = Object.entries(keysOf(variables)).filter(([, value]) => value != null);
    const [key = ['', null] as const, ...others] = given;
    if (others.length > 0) throw new Unplanned('Several keys');
    return key;
  };
  const idOf = async (run: PlanRun): Promise<number | null> => {
    const [name, value] = keyOf(run.variables);
    if (name === 'databaseId') return Number(value);
    if (name === 'id') return numberIn(list.name, String(value)) ?? null;
    const get = getters[name];
    if (get === undefined) throw new Unplanned('No key');
    return (await foundOrNull(() => get(run.work, String(value))))?.id ?? null;
  };
  const read = async (run: PlanRun, id: number): Promise<ListRow | undefined> =>
    run.isJoined && joined !== null
      ? await view.byId(run.work, id, joined)
      : (await view.byIds(run.work, [id])).get(id);
  return {
    text: async (run) => {
      const id = await idOf(run);
      const row = run.counted(list, id === null ? undefined : await read(run, id));
      if (row === undefined) return 'null';
      run.nodes += 1;
      const [text = ''] = await object.texts(run, [row], [1]);
      return text;
    },
    isSingle: (variables) => joined !== null && ['databaseId', 'id'].includes(keyOf(variables)[0]),
  };
}
