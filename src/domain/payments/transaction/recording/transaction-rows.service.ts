import type { ReadWork, WriteWork } from '../../../../database/work.js';
import { HOUR } from '../../../../platform/clock.js';
import type { Row, RowResult } from '../../../../platform/encoding/json.js';
import {
  type DomainError,
  errorAt,
  type FieldMessages,
  invalid,
  messagesOf,
} from '../../../../platform/errors.js';
import { readInstant } from '../../../../platform/timestamps.js';
import { fieldsBySnakeCase, isObject, snakeCase, normalized } from '../../../../platform/validate.js';
import type { Device } from '../../../fleet/device/device.model.js';
import type { FormerNumber } from '../../../fleet/logical-number/logical-number.model.js';
import * as fleet from '../../../fleet/logical-number/logical-number.service.js';
import * as model from '../transaction.model.js';
import * as recording from './transaction-recording.service.js';

/** Checked and masked rows, or their errors. `lines` contains their line numbers. */
export interface CheckedRows {
  readonly lines: readonly number[];
  readonly records: recording.CheckedRecords;
}

/** Checks and masks the rows of a batch, before the unit of work begins. One without a reference is known by its values. */
export async function checkRows(rows: readonly Row[]): Promise<CheckedRows> {
  const check = (row: Row) => {
    const { value, scrubs } = recording.masked(inputOf(row));
    return { value: recording.withReference(value), scrubs };
  };
  const records = await recording.checkEach(rows, check, (row) => ('bytes' in row ? row.bytes : 0));
  return { lines: rows.map(({ line }) => line), records };
}

export async function reporterOf(
  work: ReadWork,
  { id, serialNumber, logicalNumberId }: Device & { readonly logicalNumberId: number },
): Promise<Reporter> {
  const { number: logicalNumber } = await fleet.logicalNumberHeads.get(work, logicalNumberId);
  const formerNumbers = await fleet.formerNumbersOf(work, id);
  return { serialNumber, logicalNumber, formerNumbers, now: work.now };
}

/** Like `checkRows`, for rows that a terminal sends: it may record only its own transactions. */
export async function checkOwnRows(rows: readonly Row[], reporter: Reporter): Promise<CheckedRows> {
  const { lines, records } = await checkRows(rows.map((row) => ownRow(row, reporter)));
  const own = records.map((record) => {
    if (!('value' in record)) return record;
    const atStart = numberAt(reporter, record.value.startedAt) ?? '';
    const numberAtStart = atStart === record.value.logicalNumber ? null : atStart;
    return { ...record, value: { ...record.value, numberAtStart } };
  });
  return { lines, records: own };
}

/** Stores the valid rows; one result for each, in the same order. One that ends a running transaction is `created`. */
export async function storeRows(work: WriteWork, { lines, records }: CheckedRows) {
  const results = await recording.storeRecords(work, records, { mayEnd: true });
  return results.map((result, index) => rowResult(lines[index] ?? 0, result));
}

function rowResult(line: number, { transaction, repeated, problem }: recording.RecordResult): RowResult {
  if (problem !== null) return { line, result: 'rejected', errors: errorsIn(problem) };
  const result = repeated ? 'repeated' : 'created';
  const warnings = inRowNames(model.warningsOf(transaction));
  return { line, result, id: transaction.id, ...(Object.keys(warnings).length > 0 && { warnings }) };
}

/** Errors with the field names of rows. Throws the given error if it names no fields. */
function errorsIn(problem: DomainError): FieldMessages {
  if (problem.details.fields === undefined) throw problem;
  return inRowNames(messagesOf(problem.details.fields));
}

function inRowNames(fields: FieldMessages): FieldMessages {
  const named = Object.entries(fields).map(([field, messages]) => [
    snakeCase(field),
    messages.map((message) => message.replace(/\b[a-z]+(?:[A-Z][a-z]+)+\b/g, snakeCase)),
  ]);
  return Object.fromEntries(named) as FieldMessages;
}

/** Names of all fields of a row, and of the required ones. */
export const ROW_FIELDS: readonly string[] = Object.keys(model.TransactionRecord.shape).map(snakeCase);
export const REQUIRED_ROW_FIELDS: readonly string[] = Object.entries(model.TransactionRecord.shape)
  .filter(([, schema]) => !schema.safeParse(undefined).success)
  .map(([name]) => snakeCase(name));

export const OWN_ROW_EXAMPLE = {
  transaction_type: 'switch',
  app_name: 'payments.posxml',
  status: 'success',
  started_at: '2026-01-31T12:00:00Z',
  finished_at: '2026-01-31T12:00:03Z',
  reference: '1',
} as const;

export const ROW_EXAMPLE = {
  ...OWN_ROW_EXAMPLE,
  reference: '2',
  serial_number: '5A-00012345',
  logical_number: '112233',
};

type Fields = Readonly<Record<string, unknown>>;
type Names = ReadonlyMap<string, string>;

const NAMES = fieldsBySnakeCase(model.TransactionRecord);
const NAMES_OF_PAYMENT = fieldsBySnakeCase(model.ParsedPayment);
const NAMES_OF_PARTS: readonly (readonly [string, Names])[] = [
  ['installment', fieldsBySnakeCase(model.Installment)],
  ['card', fieldsBySnakeCase(model.Card)],
  ['merchant', fieldsBySnakeCase(model.Merchant)],
];

/** Columns that an export has beside the fields of a row: the server has set them. */
const SET_BY_SERVER = ['database_id', 'number_at_start', 'recorded_at'];
const PAYMENT_COLUMNS = [...NAMES_OF_PAYMENT.keys()].flatMap((name) => {
  const part = NAMES_OF_PARTS.find(([of]) => of === name);
  return part === undefined ? `parsed.${name}` : [...part[1].keys()].map((own) => `parsed.${name}.${own}`);
});
export const EXPORT_COLUMNS: readonly string[] = [...SET_BY_SERVER, ...PAYMENT_COLUMNS];
const NUMBERS = ['parsed.amount', 'parsed.installment.quantity'];

/** A row from a row of an export, which may have a column for each value of the payment. Leaves other rows as they are. */
export function rowOfExport(row: Row): Row {
  if (!('value' in row)) return row;
  const given = Object.entries(row.value).filter(([name]) => !SET_BY_SERVER.includes(name));
  const value = Object.fromEntries(given.filter(([name]) => !PAYMENT_COLUMNS.includes(name)));
  for (const [column, cell] of given) {
    if (!PAYMENT_COLUMNS.includes(column)) continue;
    const path = column.split('.');
    const last = path.pop() ?? '';
    let place: Record<string, unknown> = value;
    for (const key of path) place = (place[key] ??= {}) as Record<string, unknown>;
    place[last] = NUMBERS.includes(column) && /^\d+$/.test(String(cell)) ? Number(cell) : cell;
  }
  for (const [fields, name] of [
    [value, 'transaction_type'],
    [value, 'status'],
    [value.parsed, 'status'],
  ] as const) {
    const word = isObject(fields) ? fields[name] : undefined;
    if (typeof word === 'string') (fields as Record<string, unknown>)[name] = word.toLowerCase();
  }
  return { ...row, value };
}

/** The fields of a transaction. Errors: `invalid`, also for fields that transactions do not have. */
function inputOf(row: Row): Fields {
  if (!('value' in row)) throw row.problem;
  const input = renamed(row.value, NAMES, 'row');
  for (const field of ['startedAt', 'finishedAt']) {
    const text = input[field];
    if (typeof text === 'string') input[field] = readInstant(text) ?? text;
  }
  for (const field of ['sent', 'received', 'parsed']) {
    if (input[field] === model.NULL_TEXT) input[field] = null;
  }
  if (!isObject(input.parsed)) return input;
  const parsed = renamed(input.parsed, NAMES_OF_PAYMENT, 'parsed');
  for (const [name, names] of NAMES_OF_PARTS) {
    const part = parsed[name];
    if (isObject(part)) parsed[name] = renamed(part, names, 'parsed');
  }
  return { ...input, parsed };
}

/** Names at most 5 unknown fields, each with at most 64 characters: longer than the name of any field. */
function renamed(given: Fields, names: Names, field: string): Record<string, unknown> {
  const unknown = Object.keys(given).filter((name) => !names.has(name));
  if (unknown.length > 0) {
    const named = unknown.slice(0, 5).map((name) => name.slice(0, 64));
    throw invalid(field, 'has unknown fields: {fields}', { fields: named.join(', ') });
  }
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [names.get(name) ?? name, value]));
}

export interface Reporter {
  readonly serialNumber: string;
  readonly logicalNumber: string;
  readonly formerNumbers: readonly FormerNumber[];
  readonly now: Date;
}

type ValidRow = Extract<Row, { readonly value: unknown }>;

/** Maximum difference of a terminal's clock: a larger one is not explained by a time zone. */
const MAX_AHEAD_MS = 24 * HOUR;

/** A row with the serial number and a logical number of its terminal, and no time in the future; otherwise its errors. */
function ownRow(row: Row, reporter: Reporter): Row {
  if (!('value' in row)) return row;
  const { value, line } = row;
  const { serialNumber, now } = reporter;
  const given = value.serial_number ?? serialNumber;
  if (typeof given !== 'string' || normalized(given) !== serialNumber) {
    const message = `must be that of the terminal, ${serialNumber}, or absent`;
    return { line, problem: errorAt('serialNumber', 'invalid', message) };
  }
  for (const field of ['started_at', 'finished_at']) {
    const at = instantIn(value[field]);
    if (at !== undefined && at.getTime() > now.getTime() + MAX_AHEAD_MS) {
      const message = `must be at most 24 hours after the time of the server, ${now.toISOString()}`;
      return { line, problem: errorAt(field, 'invalid', message) };
    }
  }
  return withOwnNumber(row, given, reporter);
}

/**
 * A row under a number that the terminal has or had at any time: its clock may be wrong, and a refused payment is lost.
 * An absent number becomes the one that it had when the record began: a repeated row gets the same one.
 */
function withOwnNumber(row: ValidRow, serialNumber: string, reporter: Reporter): Row {
  const { value, line } = row;
  const { logicalNumber, formerNumbers } = reporter;
  const given = value.logical_number ?? numberAt(reporter, instantIn(value.started_at)) ?? logicalNumber;
  if (typeof given === 'string' && fleet.isNumberOf(logicalNumber, formerNumbers, given)) {
    return { ...row, value: { ...value, serial_number: serialNumber, logical_number: given } };
  }
  return { line, problem: fleet.foreignNumber(logicalNumber) };
}

/** Null if it had none. */
function numberAt({ logicalNumber, formerNumbers }: Reporter, at: Date | undefined): string | null {
  const former = at && formerNumbers.find(({ endedAt }) => endedAt > at);
  return former === undefined ? logicalNumber : former.number;
}

const instantIn = (value: unknown): Date | undefined =>
  typeof value === 'string' ? readInstant(value) : undefined;
