import { HOUR } from '../../../platform/clock.js';
import { normalized } from '../../../platform/encoding/text.js';
import { readInstant } from '../../../platform/encoding/timestamp.js';
import type { Row } from '../../../platform/requests/rows.js';

/** The terminal that sends rows, and when. */
export interface Reporter {
  readonly serialNumber: string;
  readonly logicalNumber: string;
  readonly now: Date;
}

/** A clock that is ahead by more than this is wrong, not in another time zone. */
const MAX_AHEAD_MS = 24 * HOUR;

/**
 * A row as its terminal may record it: of its own serial number, which it may leave out, as well as its logical number, and
 * not of the future. A logical number that it gives may be one that it worked under before.
 */
export function ownRow(row: Row, { serialNumber, logicalNumber, now }: Reporter): Row {
  if (!('value' in row)) return row;
  const { value, line } = row;
  const given = value.serial_number ?? serialNumber;
  if (typeof given !== 'string' || normalized(given) !== serialNumber) {
    return { line, errors: { serial_number: [`must be that of the terminal, ${serialNumber}, or absent`] } };
  }
  for (const field of ['started_at', 'finished_at']) {
    const text = value[field];
    const at = typeof text === 'string' ? readInstant(text) : undefined;
    if (at !== undefined && at.getTime() > now.getTime() + MAX_AHEAD_MS) {
      const message = `must be at most 24 hours after the time of the server, ${now.toISOString()}`;
      return { line, errors: { [field]: [message] } };
    }
  }
  const own = { serial_number: given, logical_number: value.logical_number ?? logicalNumber };
  return { ...row, value: { ...value, ...own } };
}
