/** Random transactions, and their summaries as plain sums over all of them. */
import fc from 'fast-check';

import { DAY, HOUR, MINUTE } from '../../../../../src/platform/clock.js';
import type { Fields } from '../../../../support/client.js';
import { meets, type Filter, type Row } from '../filters.js';
import { payment, report } from '../records.js';

type Sum =
  | 'count'
  | 'amountTotal'
  | 'netAmount'
  | `${'approved' | 'denied' | 'cancelled'}${'Amount' | 'Count'}`;
export type Sums = Readonly<Record<Sum, number>> & { readonly deniedPercent: number | null };
export type Summary = readonly (Fields & Sums)[];
export interface Question {
  readonly filter?: Filter;
  readonly bucket: 'HOUR' | 'DAY' | 'WEEK' | 'MONTH' | 'NONE';
  readonly by: readonly string[];
  readonly timeZone?: string | null | undefined;
  readonly orderBy?: Fields;
  readonly first?: number;
  readonly skip?: number;
  readonly minPayments?: number;
  readonly emptyBuckets?: boolean;
}

export const SUMMARY = `query ($filter: TransactionFilter, $bucket: TransactionSummaryBucket!,
    $by: [TransactionSummaryDimension!]!, $timeZone: String, $orderBy: TransactionSummaryOrder,
    $first: Int, $skip: Int! = 0, $minPayments: Int! = 0, $emptyBuckets: Boolean! = false) {
  transactionSummary(filter: $filter, bucket: $bucket, by: $by, timeZone: $timeZone, orderBy: $orderBy,
      first: $first, skip: $skip, minPayments: $minPayments, emptyBuckets: $emptyBuckets) {
    bucketStart status transactionType appName logicalNumber serialNumber group { databaseId name } groupDatabaseId
    paymentStatus paymentType brand acquirer installments paymentMethod captureMethod statusReason count
    approvedCount deniedCount cancelledCount deniedPercent amountTotal approvedAmount deniedAmount cancelledAmount netAmount } }`;

/** Payments without amounts, each with the outcome for which its amount is counted. */
export const PAYMENTS = [
  { parsed: { type: 'sale', status: 'approved' }, outcome: 'approved' },
  { parsed: { type: 'pre-authorization', status: 'approved' }, outcome: 'approved' },
  { parsed: { type: 'sale', status: 'denied' }, outcome: 'denied' },
  { parsed: { type: 'cancellation', status: 'denied', nsuReference: '7' }, outcome: 'denied' },
  { parsed: { type: 'cancellation', status: 'approved', nsuReference: '7' }, outcome: 'cancelled' },
  { parsed: { type: 'cancellation', status: 'approved' }, outcome: 'cancelled' },
  { parsed: { type: 'refund', status: 'approved' }, outcome: 'cancelled' },
  { parsed: { type: 'void', status: 'approved', nsuReference: '7' }, outcome: 'cancelled' },
] as const;

export interface Paid extends Row {
  readonly amount: number | null;
  readonly paid: (typeof PAYMENTS)[number];
  readonly brand: string | null;
  readonly acquirer: string | null;
  readonly quantity: number | null;
  readonly method: string | null;
  readonly reason: string | null;
}
export type Drawn = Omit<Paid, 'id'>;
export type Groups = Readonly<Record<string, { readonly databaseId: number; readonly name: string }>>;

const ofPayment = (row: Paid, name: string, value: unknown): Fields =>
  row.amount === null || value === null || value === '' ? {} : { [name]: value };

export const DIMENSIONS: Readonly<Record<string, (row: Paid, groups: Groups) => Fields>> = {
  STATUS: ({ status }) => ({ status: status.toUpperCase() }),
  TRANSACTION_TYPE: ({ transactionType }) => ({ transactionType: transactionType.toUpperCase() }),
  APP_NAME: ({ appName }) => ({ appName }),
  LOGICAL_NUMBER: ({ logicalNumber }) => ({ logicalNumber }),
  SERIAL_NUMBER: ({ serialNumber }) => ({ serialNumber }),
  GROUP: ({ logicalNumber }, groups) => {
    const group = groups[logicalNumber] ?? null;
    return { group, groupDatabaseId: group?.databaseId ?? null };
  },
  PAYMENT_STATUS: (row) => ofPayment(row, 'paymentStatus', row.paid.parsed.status.toUpperCase()),
  PAYMENT_TYPE: (row) => ofPayment(row, 'paymentType', row.paid.parsed.type),
  BRAND: (row) => ofPayment(row, 'brand', row.brand),
  ACQUIRER: (row) => ofPayment(row, 'acquirer', row.acquirer),
  INSTALLMENTS: (row) => ofPayment(row, 'installments', row.quantity),
  PAYMENT_METHOD: (row) => ofPayment(row, 'paymentMethod', row.method),
  CAPTURE_METHOD: (row) => ofPayment(row, 'captureMethod', 'emv'),
  STATUS_REASON: (row) => ofPayment(row, 'statusReason', row.reason),
};

const COLUMNS =
  'status transactionType appName logicalNumber serialNumber group groupDatabaseId paymentStatus paymentType brand acquirer installments paymentMethod captureMethod statusReason';
const NOTHING = Object.fromEntries(COLUMNS.split(' ').map((name) => [name, null]));

/** The expected summary. */
export function expected(rows: readonly Paid[], question: Question, groups: Groups): Summary {
  const { filter = {}, bucket, by, timeZone, minPayments = 0 } = question;
  const found = new Map<string, Fields & { -readonly [Name in keyof Sums]: Sums[Name] }>();
  for (const row of rows.filter((each) => meets(each, filter))) {
    const start = bucket === 'NONE' ? null : bucketStart(bucket, timeZone ?? 'UTC', row.startedAt);
    const dimensions = {
      bucketStart: start === null ? null : new Date(start).toISOString(),
      ...NOTHING,
      ...Object.assign({}, ...by.map((name) => DIMENSIONS[name]?.(row, groups))),
    } as Fields;
    const key = JSON.stringify(dimensions);
    const known = found.get(key) ?? { ...dimensions, ...NO_SUMS };
    const amount = row.amount ?? 0;
    known.count += 1;
    known.amountTotal += amount;
    known[`${row.paid.outcome}Amount`] += amount;
    known.netAmount = known.approvedAmount - known.cancelledAmount;
    if (row.amount !== null) known[`${row.paid.outcome}Count`] += 1;
    const payments = paymentsOf(known);
    known.deniedPercent = payments === 0 ? null : (100 * known.deniedCount) / payments;
    found.set(key, known);
  }
  return [...found.values()].filter((row) => paymentsOf(row) >= minPayments);
}

const NO_SUMS: Sums = {
  count: 0,
  approvedCount: 0,
  deniedCount: 0,
  cancelledCount: 0,
  deniedPercent: null,
  amountTotal: 0,
  approvedAmount: 0,
  deniedAmount: 0,
  cancelledAmount: 0,
  netAmount: 0,
};

const paymentsOf = ({ approvedCount, deniedCount, cancelledCount }: Sums): number =>
  approvedCount + deniedCount + cancelledCount;

export const inAnyOrder = (rows: Summary): string[] => rows.map((row) => JSON.stringify(row)).sort();

export const DAYS = 4;

/** Transactions of `DAYS` days from `first` on. */
export const drawnRows = (first: number) =>
  fc.record({
    startedAt: fc
      .tuple(
        fc.oneof(
          fc.integer({ min: 0, max: DAYS * 24 }).map((hour) => hour * HOUR),
          fc.integer({ min: 0, max: DAYS * 1440 }).map((minute) => minute * MINUTE),
          fc.constantFrom(-20, 30).map((day) => day * DAY),
        ),
        fc.constantFrom(-1, 0, 0, 1, 250),
      )
      .map(([at, more]) => first + at + more),
    status: fc.constantFrom('success', 'success', 'fail', 'running'),
    transactionType: fc.constantFrom('company', 'switch', 'get_asset'),
    appName: fc.constantFrom('a.rb', 'b.rb', 'é.rb'),
    serialNumber: fc.constantFrom('S-0', 'S-1', 'S-2'),
    logicalNumber: fc.constantFrom('L-0', 'L-1', 'L-2', 'L-3', 'L-4'),
    amount: fc.option(fc.oneof(fc.nat(5_000), fc.constant(999_999_999_999))),
    paid: fc.constantFrom(...PAYMENTS),
    brand: fc.constantFrom('visa', 'élo', '', null),
    acquirer: fc.constantFrom('A', 'other', null),
    quantity: fc.constantFrom(null, 0, 1, 12),
    method: fc.constantFrom('debit', 'crédit', '', null),
    reason: fc.constantFrom('00', '51', null),
  });

export const parsedOf = ({ paid, amount, brand, acquirer, quantity, method, reason }: Drawn) => ({
  ...paid.parsed,
  amount,
  acquirer,
  card: { brand },
  installment: { type: null, quantity },
  paymentMethod: method,
  statusReason: reason,
});

export function reported(row: Drawn) {
  const { startedAt, amount, status, transactionType, appName, serialNumber, logicalNumber } = row;
  const made = amount === null || status !== 'success' ? report() : payment(parsedOf(row));
  return {
    ...made,
    status,
    transactionType,
    appName,
    serialNumber,
    logicalNumber,
    startedAt: new Date(startedAt),
    finishedAt: status === 'running' ? null : new Date(startedAt + MINUTE),
  };
}

export const dimensions = fc.oneof(
  fc.subarray(['STATUS', 'TRANSACTION_TYPE', 'APP_NAME']),
  fc.subarray(['STATUS', 'TRANSACTION_TYPE', 'PAYMENT_STATUS', 'PAYMENT_TYPE', 'BRAND', 'ACQUIRER']),
  fc.subarray(['TRANSACTION_TYPE', 'PAYMENT_STATUS', 'INSTALLMENTS']),
  fc.subarray(['STATUS', 'PAYMENT_STATUS', 'GROUP']),
  fc.subarray(['SERIAL_NUMBER', 'STATUS_REASON']),
  fc.subarray(['BRAND', 'PAYMENT_METHOD', 'CAPTURE_METHOD', 'STATUS_REASON']),
  fc.shuffledSubarray(Object.keys(DIMENSIONS)),
);

/** Local time by the formats of Intl alone, minute by minute: slow, and unlike what it is compared with. */
const formats = new Map<string, Intl.DateTimeFormat>();

/** Local time as if it were UTC, to the minute. */
export function localMinute(timeZone: string, at: number): number {
  const format =
    formats.get(timeZone) ??
    new Intl.DateTimeFormat('en-US', {
      timeZone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
    });
  formats.set(timeZone, format);
  // For example `1/31/2026, 09:05`.
  const [month = 0, day, year = 0, hour, minute] = (format.format(at).match(/\d+/g) ?? []).map(Number);
  return Date.UTC(year, month - 1, day, hour, minute);
}

const starts = new Map<string, number>();

/** The first instant of the bucket that contains `at`, in a zone whose offsets are whole minutes. */
export function bucketStart(bucket: 'HOUR' | 'DAY' | 'WEEK' | 'MONTH', timeZone: string, at: number): number {
  const minute = Math.floor(at / MINUTE) * MINUTE;
  const local = localMinute(timeZone, minute);
  const first = bucket === 'HOUR' ? minute : firstDay(bucket, local);
  const key = `${bucket} ${timeZone} ${first}`;
  const start =
    starts.get(key) ?? (bucket === 'HOUR' ? hourStart(timeZone, minute) : dayStart(timeZone, first));
  starts.set(key, start);
  return start;
}

function firstDay(bucket: 'DAY' | 'WEEK' | 'MONTH', local: number): number {
  const date = new Date(local);
  const day = date.getUTCDate();
  const weekday = (date.getUTCDay() + 6) % 7;
  const offset = { DAY: 0, WEEK: weekday, MONTH: day - 1 }[bucket];
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), day - offset);
}

/** Goes back to a full hour, or to a change of the clock. */
function hourStart(timeZone: string, minute: number): number {
  let start = minute;
  for (;;) {
    const local = localMinute(timeZone, start);
    if (local % HOUR === 0 || localMinute(timeZone, start - MINUTE) !== local - MINUTE) return start;
    start -= MINUTE;
  }
}

function dayStart(timeZone: string, day: number): number {
  let at = day - 15 * HOUR;
  // No clock was ever set back by two hours: the day does not begin within this hour.
  while (localMinute(timeZone, at + HOUR) < day - 2 * HOUR) at += HOUR;
  for (; at < day + 2 * DAY; at += MINUTE) {
    if (localMinute(timeZone, at) >= day) return at;
  }
  throw new Error(`No day ${new Date(day).toISOString()} in ${timeZone}`);
}
