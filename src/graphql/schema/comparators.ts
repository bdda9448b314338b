/** Input types of conditions on one field. */
import type { ClassType } from 'type-graphql';

import type { Comparison, FilterKind } from '../../database/list/condition.js';
import {
  calendarRange,
  INTERVAL_MEANINGS,
  unknownZone,
  type CalendarInterval,
} from '../../platform/buckets.js';
import { systemClock } from '../../platform/clock.js';
import { timeZoneNamed } from '../../platform/timestamps.js';
import { requestError } from './errors.js';
import * as g from './types.js';

export const MAX_VALUES = 100;
/** Characters of a text that is compared without the case of its letters: a pattern has each letter several times. */
export const MAX_IN_ANY_CASE = 255;

const WITHOUT_VALUE =
  'A comparison whose variable has no value is left out of a read, and is an error in a target. Null is always an error.';

function comparator(name: string, description: string, operators: g.Fields): ClassType {
  const fields = Object.entries(operators).map(([operator, field]) => [operator, g.nullable(field)] as const);
  return g.inputType(name, `${description} ${WITHOUT_VALUE}`, Object.fromEntries(fields));
}

const isNull = g.flag('True for records without a value, false for records with one.');

const TextComparator = comparator(
  'TextComparator',
  'Conditions on a text, case-sensitive without `ignoreCase`.',
  {
    eq: g.text('Equals this text.'),
    in: g.text.list(`Equals one of these texts, at most ${MAX_VALUES}.`),
    startsWith: g.text('Starts with this text.'),
    contains: g.text('Contains this text.'),
    ignoreCase: g.flag(
      `True ignores the case of letters, of those with accents too, in \`eq\`, \`startsWith\` and \`contains\` of at most ${MAX_IN_ANY_CASE} characters; not together with \`in\`. No index serves it: the list reads all records that its other conditions leave.`,
    ),
    isNull,
  },
);

const BooleanComparator = comparator('BooleanComparator', 'Conditions on a boolean.', {
  eq: g.flag('Equals this value.'),
});

const IdComparator = comparator(
  'IdComparator',
  'Conditions on the id of a record. Takes values of `id`, not of `databaseId`.',
  { eq: g.id('Is this record.'), in: g.id.list(`Is one of these records, at most ${MAX_VALUES}.`), isNull },
);

const CalendarTime = g.inputType('CalendarTime', 'Days that move with the calendar, for example yesterday.', {
  interval: g.choice(
    g.enumeration<CalendarInterval>(
      'CalendarInterval',
      'Days of a time zone, counted from the present one.',
      INTERVAL_MEANINGS,
    ),
    'Which days. They are those of the time at which the request is read, also in a saved filter.',
  ),
  timeZone: g.text.orNull('IANA time zone of the days, for example America/Sao_Paulo. Default: UTC.'),
});

const DateTimeComparator = comparator(
  'DateTimeComparator',
  'Conditions on a timestamp, for example 2026-11-20T00:00:00Z.',
  {
    gte: g.instant('At or after this time.'),
    lt: g.instant('Before this time.'),
    during: g.object(CalendarTime, 'On one of these days.'),
  },
);

const IntComparator = comparator('IntComparator', 'Conditions on an integer.', {
  eq: g.int('Equals this number.'),
  in: g.int.list(`Equals one of these numbers, at most ${MAX_VALUES}.`),
  gte: g.int('Is this number or more.'),
  lt: g.int('Is less than this number.'),
  isNull,
});

const AmountComparator = comparator('AmountComparator', 'Conditions on an amount in cents.', {
  eq: g.safeInt('Equals this amount.'),
  in: g.safeInt.list(`Equals one of these amounts, at most ${MAX_VALUES}.`),
  gte: g.safeInt('Is this amount or more.'),
  lt: g.safeInt('Is less than this amount.'),
  isNull,
});

const LinkedComparator = comparator(
  'LinkedComparator',
  'Conditions on linked records: at least one of them must match. `not` around it selects records without such a link.',
  { eq: g.id('Is this record.'), in: g.id.list(`Is one of these records, at most ${MAX_VALUES}.`) },
);

const EntryComparator = comparator(
  'EntryComparator',
  'Condition on an entry of an object. Reads all records that the other conditions of the list leave.',
  {
    key: g.text('Key of the entry, for example brand. Needed by `eq`; no condition alone.'),
    eq: g.text('The entry has this text.'),
  },
);

export const COMPARATORS: Readonly<Record<Exclude<FilterKind, 'choice' | 'optionalChoice'>, ClassType>> = {
  text: TextComparator,
  flag: BooleanComparator,
  id: IdComparator,
  instant: DateTimeComparator,
  integer: IntComparator,
  amount: AmountComparator,
  linked: LinkedComparator,
  entry: EntryComparator,
};

/** Comparators by the name of their enum: two lists may share one. */
const enumComparators = new Map<string, ClassType>();

export function enumComparator(of: g.Enumeration, isOptional: boolean): ClassType {
  const known =
    enumComparators.get(of.name) ??
    comparator(`${of.name}Comparator`, `Conditions on a value of \`${of.name}\`.`, {
      eq: g.choice(of, 'Equals this value.'),
      in: g.choice.list(of, `Equals one of these values, at most ${MAX_VALUES}.`),
      ...(isOptional ? { isNull } : {}),
    });
  enumComparators.set(of.name, known);
  return known;
}

export interface CalendarTime {
  readonly interval: CalendarInterval;
  readonly timeZone?: string | null;
}

/** The days of a calendar as they are now. Errors: BAD_USER_INPUT for an unknown zone. */
export function during(field: string, { interval, timeZone }: CalendarTime): Comparison[] {
  const zone = timeZoneNamed(timeZone ?? 'UTC');
  if (zone === undefined) throw requestError(unknownZone(timeZone ?? ''));
  const { from, to } = calendarRange(interval, zone, systemClock.now().getTime());
  return [
    { field, operator: 'gte', value: new Date(from) },
    { field, operator: 'lt', value: new Date(to) },
  ];
}
