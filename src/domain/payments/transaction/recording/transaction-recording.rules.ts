import { createHash } from 'node:crypto';

import { scrubJson, scrubText, type Scrubbed } from '../../../../platform/card-data/card-data.js';
import { FIRST_DIGITS, LAST_DIGITS } from '../../../../platform/card-data/text-search.js';
import type { ParsedPayment, TransactionRecord } from '../transaction.model.js';

/** The record with card data masked. */
export function scrubRecord(record: TransactionRecord): Scrubbed<TransactionRecord> {
  const detail = scrubText(record.detail);
  const frameworkVersion = record.frameworkVersion === null ? null : scrubText(record.frameworkVersion);
  const sent = record.sent === null ? null : scrubText(record.sent);
  const received = record.received === null ? null : scrubText(record.received);
  const parsed = record.parsed === null ? null : scrubPayment(record.parsed);
  const parts = [detail, frameworkVersion, sent, received, parsed];
  return {
    value: {
      ...record,
      detail: detail.value,
      frameworkVersion: frameworkVersion?.value ?? null,
      sent: sent?.value ?? null,
      received: received?.value ?? null,
      parsed: parsed?.value ?? null,
    },
    scrubs: parts.reduce((sum, part) => sum + (part?.scrubs ?? 0), 0),
  };
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

/**
 * Adds a reference to a record that has none: the hash of its values, so that the same record has the same
 * reference. Takes only masked records: a card number could be guessed from a hash of it and its stored
 * digits (decisions.md#transaction-identity).
 */
export function withReference(scrubbed: TransactionRecord): TransactionRecord {
  if (scrubbed.reference !== null) return scrubbed;
  const values = PARTS_OF_CONTENT.map((field) => scrubbed[field]);
  const hash = createHash('sha256').update(JSON.stringify(values)).digest('hex');
  return { ...scrubbed, reference: `sha256-${hash}` };
}

/** Field that is compared if references are equal. */
export type Content = Exclude<keyof TransactionRecord, 'reference'>;

/** Whether a field is known when a transaction starts, or may change when it finishes. */
const CONTENT: Readonly<Record<Content, 'start' | 'result'>> = {
  transactionType: 'start',
  serialNumber: 'start',
  logicalNumber: 'start',
  appName: 'start',
  frameworkVersion: 'start',
  startedAt: 'start',
  status: 'result',
  detail: 'result',
  sent: 'result',
  received: 'result',
  parsed: 'result',
  finishedAt: 'result',
};
const PARTS_OF_CONTENT = Object.keys(CONTENT) as Content[];

/**
 * Fields that must be equal in a record and a stored one with the same reference. A record of a running
 * transaction also repeats a transaction that has finished since.
 */
export function comparedFields(stored: TransactionRecord, given: TransactionRecord): readonly Content[] {
  const hasFinished = given.status === 'running' && stored.status !== 'running';
  return PARTS_OF_CONTENT.filter((field) => !hasFinished || CONTENT[field] === 'start');
}

/** Differences in fields of the start from a running transaction; undefined if the record cannot end it. */
export function differencesOfStart(
  stored: TransactionRecord,
  given: TransactionRecord,
  fields: readonly Content[],
): readonly Content[] | undefined {
  if (stored.status !== 'running' || given.status === 'running') return undefined;
  return fields.filter((field) => CONTENT[field] === 'start');
}
