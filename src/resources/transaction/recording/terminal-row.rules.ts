import { HOUR } from '../../../platform/clock.js';
import { normalized } from '../../../platform/encoding/text.js';
import type { FormerNumber } from '../../device/device.model.js';
import { readInstant } from '../../../platform/encoding/timestamp.js';
import type { Row } from '../../../platform/requests/rows.js';

/** The terminal that sends rows, and when. */
export interface Reporter {
  readonly serialNumber: string;
  /** The one that it has now. */
  readonly logicalNumber: string;
  /** Those that it had before, the earliest first. */
  readonly formerNumbers: readonly FormerNumber[];
  readonly now: Date;
}

type ValidRow = Extract<Row, { readonly value: unknown }>;

/** A clock that is ahead by more than this is wrong, not in another time zone. */
const MAX_AHEAD_MS = 24 * HOUR;

/**
 * A row as its terminal may record it: of its own serial number, which it may leave out; of the logical number that it has, or
 * had when the record began; and not of the future.
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

/** A row without a logical number is of the one that the terminal had when the record began, as also its repetition will be. */
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
