import { HOUR } from '../../../../platform/clock.js';
import { normalized } from '../../../../platform/encoding/text.js';
import { readInstant } from '../../../../platform/encoding/timestamp.js';
import type { Row } from '../../../../platform/requests/rows.js';
import type { FormerNumber } from '../../../fleet/device/device.model.js';

/** The terminal that sends rows, and the time of the request. */
export interface Reporter {
  readonly serialNumber: string;
  /** Current logical number. */
  readonly logicalNumber: string;
  /** Former logical numbers, the earliest first. */
  readonly formerNumbers: readonly FormerNumber[];
  readonly now: Date;
}

type ValidRow = Extract<Row, { readonly value: unknown }>;

/** Maximum difference of a terminal's clock: a larger one is not explained by a time zone. */
const MAX_AHEAD_MS = 24 * HOUR;

/**
 * Checks that a terminal may record a row. The serial number must be its own, or absent; the logical number
 * the current one, or the one it had when the record began; the times not in the future.
 */
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

/**
 * Checks the logical number of a row. An absent one becomes the number that the terminal had when the record
 * began, so that a repeated row gets the same one.
 */
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

/** The logical number that the terminal had at a time; null if it had none. */
function numberAt({ logicalNumber, formerNumbers }: Reporter, at: Date | undefined): string | null {
  const former = at && formerNumbers.find(({ endedAt }) => endedAt > at);
  return former === undefined ? logicalNumber : former.number;
}

const instantIn = (value: unknown): Date | undefined =>
  typeof value === 'string' ? readInstant(value) : undefined;
