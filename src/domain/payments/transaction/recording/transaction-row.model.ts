import type { ZodObject } from 'zod';

import { snakeCase } from '../../../../platform/encoding/text.js';
import { readInstant } from '../../../../platform/encoding/timestamp.js';
import { invalid, type FieldErrors } from '../../../../platform/errors.js';
import {
  Card,
  Installment,
  Merchant,
  NULL_TEXT,
  ParsedPayment,
  TransactionRecord,
} from '../transaction.model.js';

/**
 * A transaction in a file: a row of NDJSON or CSV, with the field names of `/v1` (`started_at`), times as
 * timestamps with an offset, and `parsed` as an object.
 */
export type TransactionRow = Readonly<Record<string, unknown>>;

/** Names of all fields of a row, and of the required ones. */
export const ROW_FIELDS: readonly string[] = Object.keys(TransactionRecord.shape).map(snakeCase);
export const REQUIRED_ROW_FIELDS: readonly string[] = Object.entries(TransactionRecord.shape)
  .filter(([, schema]) => !schema.safeParse(undefined).success)
  .map(([name]) => snakeCase(name));

/** An example row as its terminal sends it. */
export const OWN_ROW_EXAMPLE = {
  transaction_type: 'switch',
  app_name: 'payments.posxml',
  status: 'success',
  started_at: '2026-01-31T12:00:00Z',
  finished_at: '2026-01-31T12:00:03Z',
  reference: '1',
} as const;

/** Example row as other clients send it. */
export const ROW_EXAMPLE = { ...OWN_ROW_EXAMPLE, serial_number: '5A-00012345', logical_number: '112233' };

type Names = ReadonlyMap<string, string>;

/** Field names of a model by their names in a row. */
const namesIn = (model: ZodObject): Names =>
  new Map(Object.keys(model.shape).map((name) => [snakeCase(name), name]));
const NAMES = namesIn(TransactionRecord);
const NAMES_OF_PAYMENT = namesIn(ParsedPayment);
const NAMES_OF_PARTS: readonly (readonly [string, Names])[] = [
  ['installment', namesIn(Installment)],
  ['card', namesIn(Card)],
  ['merchant', namesIn(Merchant)],
];

/** Input of `recordEach` for a row. Errors: `invalid` for fields that transactions do not have. */
export function inputOfRow(row: TransactionRow): Readonly<Record<string, unknown>> {
  const input = renamed(row, NAMES, 'row');
  for (const field of ['startedAt', 'finishedAt']) {
    const text = input[field];
    if (typeof text === 'string') input[field] = readInstant(text) ?? text;
  }
  for (const field of ['sent', 'received', 'parsed']) {
    if (input[field] === NULL_TEXT) input[field] = null;
  }
  if (isObject(input.parsed)) input.parsed = parsedOf(input.parsed);
  return input;
}

function parsedOf(given: TransactionRow): TransactionRow {
  const parsed = renamed(given, NAMES_OF_PAYMENT, 'parsed');
  for (const [name, names] of NAMES_OF_PARTS) {
    const part = parsed[name];
    if (isObject(part)) parsed[name] = renamed(part, names, 'parsed');
  }
  return parsed;
}

function renamed(given: TransactionRow, names: Names, field: string): Record<string, unknown> {
  const unknown = Object.keys(given).filter((name) => !names.has(name));
  if (unknown.length > 0) throw invalid(field, `has unknown fields: ${namesOf(unknown)}`);
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [names.get(name) ?? name, value]));
}

/** The first 5 names, each shortened to `MAX_NAME` characters. */
const namesOf = (names: readonly string[]): string =>
  names
    .slice(0, 5)
    .map((name) => name.slice(0, MAX_NAME))
    .join(', ');
/** Longer than any name of a field. */
const MAX_NAME = 64;

/** Errors of a row with the field names of rows, also in messages. */
export function errorsOfRow(fields: FieldErrors): FieldErrors {
  return Object.fromEntries(
    Object.entries(fields).map(([field, messages]) => [
      snakeCase(field),
      messages.map((message) => message.replace(/\b[a-z]+(?:[A-Z][a-z]+)+\b/g, snakeCase)),
    ]),
  );
}

function isObject(value: unknown): value is TransactionRow {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
