import type { Condition } from '../../../database/list/condition.js';
import type { List } from '../../../database/list/list.js';
import { firstIn } from '../../../database/list/listing.js';
import type { ReadWork } from '../../../database/work.js';
import { type ConditionModel, CountWithin, MAX_EXAMPLES, type Measured } from './alert.model.js';

/** Reads filters that are kept as JSON. Errors: `invalid` for one that the list does not take. */
export interface AlertTools {
  /** `list` is the type of its records, for example `Device`. */
  readonly conditionOf: (list: string, filter: object) => Promise<Condition>;
}

/** A kind of conditions: what it measures for a company, in a unit that may examine many rows. */
export interface AlertKind<On extends object = object> {
  readonly model: ConditionModel<On>;
  readonly measure: (work: ReadWork, on: On, tools: AlertTools) => Promise<Measured>;
  /** Names of at most `MAX_EXAMPLES` that are affected. */
  readonly examples: (work: ReadWork, on: On, tools: AlertTools) => Promise<readonly string[]>;
}

/** Kinds by their names; wings add theirs. */
export const alertKinds = new Map<string, AlertKind>();

export function addAlertKind<On extends object>(name: string, kind: AlertKind<On>): void {
  alertKinds.set(name, kind as unknown as AlertKind);
}

/** A kind that is met by a number of events, or of records, since a time. */
export function countingKind(
  count: (work: ReadWork, since: Date) => Promise<number>,
  examples: (work: ReadWork, since: Date) => Promise<readonly string[]>,
): AlertKind<CountWithin> {
  const since = ({ now }: ReadWork, { within }: CountWithin): Date => new Date(now.getTime() - within);
  return {
    model: CountWithin,
    measure: async (work, on) => {
      const affected = await count(work, since(work, on));
      return { affected, total: null, isMet: affected >= on.count };
    },
    examples: (work, on) => examples(work, since(work, on)),
  };
}

/** A kind that is met by a number of records of a list; its examples are the last ones in an order. */
export const countingRecords = <T extends object>(
  list: List<T>,
  order: string,
  since: (time: Date) => Condition,
  nameOf: (record: T) => string,
): AlertKind<CountWithin> =>
  countingKind(
    (work, time) => list.count(work, since(time)),
    async (work, time) => {
      const more = { descending: true, condition: since(time) };
      const { items } = await list.slice(work, firstIn(order, MAX_EXAMPLES, more));
      return items.map(({ record }) => nameOf(record));
    },
  );
