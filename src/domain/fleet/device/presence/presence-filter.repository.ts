import type { Comparison, Condition, MeaningAt } from '../../../../database/list/condition.js';
import { PRESENCES, presenceStarts, type Presence } from './presence.model.js';

/** The earliest time of a terminal that was seen, in milliseconds since 1970. */
const SEEN = 1;

const compared = (operator: 'gte' | 'lt', at: number): Condition => ({
  field: 'lastSeenAt',
  operator,
  value: new Date(at),
});

/** A comparison of the time: terminals that were never seen have none. */
export function meaningOfLastSeenAt({ operator, value }: Comparison): Condition {
  if (operator === 'isNull') return compared(value === true ? 'lt' : 'gte', SEEN);
  const time = (value as Date).getTime();
  if (operator === 'gte') return compared('gte', Math.max(time, SEEN));
  return { and: [compared('gte', SEEN), compared('lt', time)] };
}

/** A comparison of the presence as intervals of the time. */
export function meaningOfPresence({ value }: Comparison, at: MeaningAt): Condition {
  const wanted = new Set(Array.isArray(value) ? (value as readonly unknown[]) : [value]);
  const starts: Partial<Record<Presence, number>> = presenceStarts(at);
  const intervals: { from: number | undefined; to: number | undefined }[] = [];
  for (const [index, presence] of PRESENCES.entries()) {
    if (!wanted.has(presence)) continue;
    const last = intervals.at(-1);
    const from = starts[presence];
    const next = PRESENCES[index + 1];
    const to = next && starts[next];
    if (last !== undefined && last.to === from) last.to = to;
    else intervals.push({ from, to });
  }
  const conditions = intervals.map(({ from, to }): Condition => ({
    and: [
      ...(from === undefined ? [] : [compared('gte', from)]),
      ...(to === undefined ? [] : [compared('lt', to)]),
    ],
  }));
  return conditions.length === 1 ? { and: conditions } : { or: conditions };
}
