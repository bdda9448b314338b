import { createHash } from 'node:crypto';

import { readInstant } from '../../../../platform/calendar.js';
import type { Row } from '../../../../platform/caller.js';
import { scrubJson, scrubText, type Scrubbed } from '../../../../platform/card-data/card-data.js';
import { FIRST_DIGITS, LAST_DIGITS } from '../../../../platform/card-data/text-search.js';
import { HOUR } from '../../../../platform/clock.js';
import { normalized } from '../../../../platform/validate.js';
import type { FormerNumber } from '../../../fleet/device/device.model.js';
import { type ParsedPayment, TransactionFinish, TransactionRecord } from '../transaction.model.js';

const TEXTS = ['detail', 'frameworkVersion', 'sent', 'received'] as const;

export function scrubRecord(record: TransactionRecord): Scrubbed<TransactionRecord> {
  const parsed = record.parsed === null ? null : scrubPayment(record.parsed);
  const value = { ...record, parsed: parsed?.value ?? null };
  let scrubs = parsed?.scrubs ?? 0;
  for (const field of TEXTS) {
    const text = record[field];
    if (text === null) continue;
    const scrubbed = scrubText(text);
    value[field] = scrubbed.value;
    scrubs += scrubbed.scrubs;
  }
  return { value, scrubs };
}

/** A payment without card data: `firstDigits` has at most 6, `lastDigits` at most 4. */
export function scrubPayment(payment: ParsedPayment): Scrubbed<ParsedPayment> {
  const { card } = payment;
  if (card === null) return scrubJson(payment) as Scrubbed<ParsedPayment>;
  const firstDigits = card.firstDigits?.slice(0, FIRST_DIGITS) ?? null;
  const lastDigits = card.lastDigits?.slice(-LAST_DIGITS) ?? null;
  const cuts = Number(firstDigits !== card.firstDigits) + Number(lastDigits !== card.lastDigits);
  const { value, scrubs } = scrubJson({ ...payment, card: { ...card, firstDigits, lastDigits } });
  return { value: value as ParsedPayment, scrubs: scrubs + cuts };
}

/** A masked record, with the hash of its values as the reference if it has none (decisions.md#transaction-identity). */
export function withReference(scrubbed: TransactionRecord): TransactionRecord {
  if (scrubbed.reference !== null) return scrubbed;
  const values = CONTENT.map((field) => scrubbed[field]);
  const hash = createHash('sha256').update(JSON.stringify(values)).digest('hex');
  return { ...scrubbed, reference: `sha256-${hash}` };
}

export type Content = Exclude<keyof TransactionRecord, 'reference'>;

/** Fields that may change when a transaction finishes, and those that are known when it starts. */
const OF_RESULT = Object.keys(TransactionFinish.shape) as Content[];
export const OF_START = (Object.keys(TransactionRecord.shape) as Content[]).filter(
  (field) => !OF_RESULT.includes(field) && (field as string) !== 'reference',
);
export const CONTENT = [...OF_START, ...OF_RESULT];

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
export function ownRow(row: Row, reporter: Reporter): Row {
  if (!('value' in row)) return row;
  const { value, line } = row;
  const { serialNumber, now } = reporter;
  const given = value.serial_number ?? serialNumber;
  if (typeof given !== 'string' || normalized(given) !== serialNumber) {
    return { line, errors: { serial_number: [`must be that of the terminal, ${serialNumber}, or absent`] } };
  }
  for (const field of ['started_at', 'finished_at']) {
    const at = instantIn(value[field]);
    if (at !== undefined && at.getTime() > now.getTime() + MAX_AHEAD_MS) {
      const message = `must be at most 24 hours after the time of the server, ${now.toISOString()}`;
      return { line, errors: { [field]: [message] } };
    }
  }
  return withOwnNumber(row, given, reporter);
}

/** An absent number becomes the one that the terminal had when the record began: a repeated row gets the same one. */
function withOwnNumber(row: ValidRow, serialNumber: string, reporter: Reporter): Row {
  const { value, line } = row;
  const { logicalNumber } = reporter;
  const before = numberAt(reporter, instantIn(value.started_at));
  const given = value.logical_number ?? before ?? logicalNumber;
  const isOwn = typeof given === 'string' && [logicalNumber, before].includes(normalized(given));
  if (isOwn) return { ...row, value: { ...value, serial_number: serialNumber, logical_number: given } };
  const had = before === null ? 'it had none' : `it had ${before}`;
  const message = `foreign_logical_number: must be ${logicalNumber}, which the terminal has, or the one that it had when the record began (${had}), or absent`;
  return { line, errors: { logical_number: [message] } };
}

function numberAt({ logicalNumber, formerNumbers }: Reporter, at: Date | undefined): string | null {
  const former = at && formerNumbers.find(({ endedAt }) => endedAt > at);
  return former === undefined ? logicalNumber : former.number;
}

const instantIn = (value: unknown): Date | undefined =>
  typeof value === 'string' ? readInstant(value) : undefined;
