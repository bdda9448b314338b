import type { ChildList, List } from '../../database/list/list.js';
import type { ListRow } from '../../database/list/list-statements.js';
import type { KeyValue, Slice, SliceRequest } from '../../database/list/slice.js';
import type { Variables } from '../limits/cost.js';
import { numberIn } from '../schema/node.js';
import { foundOrNull } from '../schema/errors.js';
import type { ConnectionPlan } from './connection-plan.js';
import type { Getter } from './declared.js';
import type { ObjectPlan, Relation } from './object-plan.js';
import { Unplanned, type PlanRun } from './run.js';

/** The page that the arguments of a field select. */
export type RequestOf = (variables: Variables) => SliceRequest;

/** The record whose id is in a column. */
export function onePlan(
  list: List<unknown>,
  reference: string,
  object: ObjectPlan,
  isNullable: boolean,
): Relation {
  const view = list.only(object.columns);
  return {
    texts: async (run, rows) => {
      const ids = new Set(rows.map((row) => row[reference]).filter((id) => id !== null));
      const found =
        ids.size === 0
          ? new Map<number, ListRow>()
          : run.counted(list, await view.byIds(run.work, [...ids] as number[]));
      const made = await object.texts(run, [...found.values()]);
      const texts = new Map([...found.keys()].map((id, index) => [id as unknown, made[index] ?? '']));
      return rows.map((row) => {
        const text = texts.get(row[reference]);
        if (text !== undefined) run.nodes += 1;
        else if (!isNullable) throw new Unplanned('No record in a field that is not nullable');
        return text ?? 'null';
      });
    },
  };
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
    texts: async (run, rows) => {
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
        ...{ request, count: rows.length },
        slices: found && parents.map((parent) => found.get(parent) ?? NO_RECORDS),
        totals: totals && parents.map((parent) => totals.get(parent) ?? 0),
      });
    },
  };
}

const NO_RECORDS: Slice<ListRow> = { items: [], hasMore: false };

/** A field of the operation itself: its JSON text. */
export type RootPlan = (run: PlanRun) => Promise<string>;

/** A page of all records of the company. */
export function listPlan(list: List<unknown>, requestOf: RequestOf, connection: ConnectionPlan): RootPlan {
  const view = list.only(connection.columns);
  return async (run) => {
    const { work } = run;
    const request = requestOf(run.variables);
    const slice = connection.needsSlice(request) ? run.counted(list, await view.slice(work, request)) : null;
    const total = connection.needsTotal ? await list.count(work, request.condition) : null;
    const [text = ''] = await connection.texts(run, {
      ...{ request, count: 1 },
      slices: slice && [slice],
      totals: total === null ? null : [total],
    });
    return text;
  };
}

/** One record by exactly one of its keys, which the arguments have. */
export function findPlan(
  list: List<unknown>,
  getters: Readonly<Record<string, Getter>>,
  keysOf: (variables: Variables) => Variables,
  object: ObjectPlan,
): RootPlan {
  const view = list.only(object.columns);
  const idOf = async (run: PlanRun): Promise<number | null> => {
    const given = Object.entries(keysOf(run.variables)).filter(([, value]) => value != null);
    const [[name, value] = ['', null], ...others] = given;
    if (others.length > 0) throw new Unplanned('Several keys');
    if (name === 'databaseId') return Number(value);
    if (name === 'id') return numberIn(list.name, String(value)) ?? null;
    const get = getters[name];
    if (get === undefined) throw new Unplanned('No key');
    return (await foundOrNull(() => get(run.work, String(value))))?.id ?? null;
  };
  return async (run) => {
    const id = await idOf(run);
    const found = id === null ? undefined : await view.byIds(run.work, [id]);
    const row = run.counted(list, found?.get(id ?? 0));
    if (row === undefined) return 'null';
    run.nodes += 1;
    const [text = ''] = await object.texts(run, [row]);
    return text;
  };
}
