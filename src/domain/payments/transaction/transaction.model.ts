import { z } from 'zod';

import { identifyingName } from '../../../platform/card-data/card-data.js';
import { MINUTE } from '../../../platform/clock.js';
import { brokenByJson } from '../../../platform/encoding/json.js';
import type { FieldMessages } from '../../../platform/errors.js';
import { type BrokenRule, rule } from '../../../platform/rules.js';
import {
  END_OF_TIME,
  type TimeRange,
  TOTAL_SPANS,
  type TotalSpan,
  readInterval,
  TIMESTAMP_EXAMPLE,
} from '../../../platform/timestamps.js';
import {
  freeText,
  isNameLike,
  normalized,
  printableName,
  refusedBy,
  snakeCase,
} from '../../../platform/validate.js';

export const TRANSACTION_TYPES = ['company', 'switch', 'get_asset'] as const;
export const TRANSACTION_STATUSES = ['success', 'running', 'fail'] as const;
export type TransactionStatus = (typeof TRANSACTION_STATUSES)[number];

/** Text for null in `sent`, `received` and `parsed` of `/v1`, as in the contract's examples (contract 11). */
export const NULL_TEXT = 'null';

/** Maximum amount in cents: ISO 8583 has 12 digits. */
const MAX_AMOUNT = 999_999_999_999;
/** Card number or a part of it; recording stores only the first 6 and the last 4 digits. */
const cardDigits = z.string().regex(/^[0-9]{0,19}$/, rule('must be digits'));
const MONTH_AND_YEAR = /^(0[1-9]|1[0-2])[0-9]{2}$/;
const text = freeText(255).nullable().default(null);
/** Optional text; null is the same as absent. */
const textIfAny = freeText(255)
  .nullish()
  .transform((value) => value ?? undefined);

export const Installment = z.object({
  type: text,
  quantity: z.int().min(0).max(999).nullable().default(null),
});
export const Card = z.object({
  holderName: textIfAny,
  brand: text,
  expirationDate: z
    .string()
    .meta({ pattern: MONTH_AND_YEAR.source })
    .refine(
      (text) => MONTH_AND_YEAR.test(text),
      rule('must be month and year, for instance {example}', { example: '0131' }),
    )
    .nullable()
    .default(null),
  firstDigits: cardDigits.nullable().default(null),
  lastDigits: cardDigits.nullable().default(null),
});
export const Merchant = z.object({ id: text, document: text, name: text });

export const ParsedPayment = z.object({
  acquirer: text,
  type: freeText(64),
  status: z.enum(['approved', 'denied']),
  statusReason: text,
  captureMethod: text,
  amount: z.int().min(0).max(MAX_AMOUNT),
  paymentMethod: text,
  installment: Installment.nullish().transform((value) => value ?? { type: null, quantity: null }),
  nsu: text,
  nsuReference: textIfAny,
  authorizationCode: text,
  transactionId: text,
  /** Null for a payment without a card, for example PIX or cash. */
  card: Card.nullable().default(null),
  merchant: Merchant.nullish().transform((value) => value ?? { id: null, document: null, name: null }),
  metadata: z
    .record(z.string(), z.unknown())
    .superRefine(refusedBy(brokenByJson))
    .nullish()
    .transform((value) => value ?? {}),
});
export type ParsedPayment = z.output<typeof ParsedPayment>;

const PAYS_BACK: readonly string[] = ['cancellation', 'refund'];

/** `cancelled` for approved cancellations and refunds, and any approved payment with an `nsuReference`. */
export function outcomeOf({ status, type, nsuReference }: ParsedPayment) {
  if (status === 'denied') return 'denied';
  return PAYS_BACK.includes(type) || nsuReference !== undefined ? 'cancelled' : 'approved';
}

const instant = z
  .date()
  .refine((at) => at.getTime() >= 0 && at.getTime() < END_OF_TIME, rule('must be a year from 1970 to 9999'));
const message = freeText(65_536).nullable().default(null);

/** Two reports with the same reference and serial number are the same transaction of the company. */
const reference = identifyingName(128)
  .describe(
    'Name of the transaction at its source, unique for its serial number. Makes recording repeatable.',
  )
  .nullable()
  .default(null);

export const TransactionRecord = z
  .object({
    transactionType: z.enum(TRANSACTION_TYPES),
    serialNumber: identifyingName(64),
    logicalNumber: identifyingName(64),
    appName: identifyingName(255),
    detail: freeText(4096).default(''),
    frameworkVersion: printableName(64).nullable().default(null),
    status: z.enum(TRANSACTION_STATUSES),
    sent: message,
    received: message,
    parsed: ParsedPayment.nullable().default(null),
    startedAt: instant,
    finishedAt: instant.nullable().default(null),
    reference,
  })
  .superRefine(refuseContradictions);
export type TransactionRecord = z.output<typeof TransactionRecord>;

type Ended = Pick<TransactionRecord, 'status' | 'finishedAt' | 'parsed'>;

function refuseContradictions({ status, finishedAt, parsed }: Ended, context: z.RefinementCtx) {
  const refuse = (field: keyof Ended, broken: BrokenRule): void =>
    context.addIssue({ code: 'custom', path: [field], ...broken });
  if (parsed !== null && status !== 'success') refuse('parsed', rule('belongs to a success only'));
  if (status === 'running' && finishedAt !== null) refuse('finishedAt', rule('must be null while it runs'));
  if (status !== 'running' && finishedAt === null)
    refuse('finishedAt', rule('is required once it has ended'));
}

/** The result of a running transaction; absent fields do not change. */
export const TransactionFinish = z.object({
  status: z.enum(['success', 'fail']),
  detail: freeText(4096).optional(),
  sent: freeText(65_536).nullable().optional(),
  received: freeText(65_536).nullable().optional(),
  parsed: ParsedPayment.nullable().optional(),
  finishedAt: instant.optional(),
});
export type TransactionFinish = z.output<typeof TransactionFinish>;

export interface NewTransaction extends TransactionRecord {
  /** Logical number of the terminal at `startedAt`, empty if it had none; null if it is `logicalNumber`, or not known. */
  readonly numberAtStart: string | null;
}

export interface Transaction extends NewTransaction {
  readonly id: number;
}

/** Warnings by field about a transaction that is stored as it was sent: a payment with a wrong time must not be lost. */
export function warningsOf({ startedAt, finishedAt, numberAtStart }: Transaction): FieldMessages {
  const isBack = finishedAt !== null && finishedAt < startedAt;
  const had = numberAtStart === '' ? 'no logical number' : numberAtStart;
  const wrong = `the terminal had ${had} at startedAt. Is its clock wrong?`;
  return {
    ...(isBack && { finishedAt: ['is before startedAt: was the clock set back?'] }),
    ...(numberAtStart !== null && { logicalNumber: [wrong] }),
  };
}

function exactText(max: number) {
  return z
    .string()
    .max(max)
    .refine(isNameLike, rule('must not contain control or invisible characters'))
    .transform(normalized);
}

const timeRange = z.string().transform((value, context) => {
  const read = readInterval(value);
  if (read !== undefined) return read;
  const message = 'must be a date that exists, YYYY-MM-DD, or a timestamp such as {example}';
  context.addIssue({ code: 'custom', ...rule(message, { example: TIMESTAMP_EXAMPLE }) });
  return z.NEVER;
});

/** Filter of a list: texts compare exactly, and both ends of the interval are included (contract 27). */
export const TransactionFilter = z
  .object({
    status: z.enum(TRANSACTION_STATUSES).optional(),
    transactionType: z.enum(TRANSACTION_TYPES).optional(),
    serialNumber: exactText(255).optional(),
    logicalNumber: exactText(255).optional(),
    appName: exactText(512).optional(),
    since: timeRange.optional(),
    until: timeRange.optional(),
  })
  .refine(({ since, until }) => since === undefined || until === undefined || since.from < until.to, {
    path: ['since'],
    ...rule('must not be after {field}', { field: 'until' }),
  });
export type TransactionFilter = z.output<typeof TransactionFilter>;

/** Kinds of payments with own totals, by company and UTC month: new brands must not make totals as large as the transactions. */
export const MAX_KINDS = 300;

/** Column of a field by which transactions are summed up, in their table and in the tables of totals that have it. */
export const columnOf = (field: string): string =>
  ['group', 'groupDatabaseId'].includes(field) ? 'group_id' : snakeCase(field);

export interface CountedTimeRange extends TimeRange {
  readonly total: number;
}

/** The shortest span, by which a page is found in a day. */
export const HALF_HOURS: readonly TotalSpan[] = [30];
export const HALF_HOUR = 30 * MINUTE;

export const halfHoursAround = ({ from, to }: TimeRange): TimeRange => ({
  from: Math.floor(from / HALF_HOUR) * HALF_HOUR,
  to: Math.ceil(to / HALF_HOUR) * HALF_HOUR,
});

/** A part of a period: successive spans of the same length, or of `instant`, a part of a half hour. */
export interface PeriodPart extends TimeRange {
  readonly of: TotalSpan | 'instant';
}

/** Splits a period into days, shorter spans at both ends, and the rest; ascending. */
export function splitPeriod(
  period: TimeRange,
  spans: readonly TotalSpan[] = TOTAL_SPANS,
): readonly PeriodPart[] {
  if (period.from >= period.to) return [];
  const [span, ...shorter] = spans;
  if (span === undefined) return [{ of: 'instant', ...period }];
  const length = span * MINUTE;
  const from = Math.ceil(period.from / length) * length;
  const to = Math.floor(period.to / length) * length;
  if (from >= to) return splitPeriod(period, shorter);
  return [
    ...splitPeriod({ from: period.from, to: from }, shorter),
    { of: span, from, to },
    ...splitPeriod({ from: to, to: period.to }, shorter),
  ];
}

/** The time range with the rows of a page, and the number of rows in it before the first one of the page. */
export interface PagePlace extends TimeRange {
  readonly skip: number;
  readonly limit: number;
}

/** Finds a page by the totals of ranges, newest first; undefined for a page without rows. */
export function placeOfPage(ranges: readonly CountedTimeRange[], offset: number, limit: number) {
  let before = 0;
  let start: { readonly to: number; readonly skip: number } | undefined;
  let from = 0;
  for (const range of ranges) {
    if (range.total > 0 && before + range.total > offset) {
      start ??= { to: range.to, skip: offset - before };
      from = range.from;
    }
    before += range.total;
    if (before >= offset + limit) break;
  }
  return start && { from, to: start.to, skip: start.skip, limit };
}
