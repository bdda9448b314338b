/** Reason why a line of a list is not sent. */
type Fault = 'duplicate' | 'tooLong' | 'badCharacter' | 'tooMany';

export interface SerialLine {
  /** Counted from 1. */
  readonly line: number;
  readonly serialNumber: string;
  /** Null where it can be sent. */
  readonly fault: Fault | null;
  /** Line that has the same serial number first. */
  readonly first?: number;
}

/** Devices in one request. */
const MAX_DEVICES = 1_000;
const MAX_CHARACTERS = 64;
const BAD_CHARACTER = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;
const HEADING = /^(serial|serial.?number|n[uú]mero de s[eé]rie|device|sn)$/i;

/**
 * Serial numbers of a pasted list or of a CSV file: the first column of each line, without a heading and without empty
 * lines. Columns are separated by comma, semicolon or tab.
 */
export function serialsOf(text: string): readonly SerialLine[] {
  const seen = new Map<string, number>();
  const lines: SerialLine[] = [];
  for (const [index, row] of text.split(/\r\n|\r|\n/).entries()) {
    const serialNumber = firstColumn(row);
    const line = index + 1;
    if (serialNumber === '' || (seen.size === 0 && HEADING.test(serialNumber))) continue;
    const first = seen.get(serialNumber);
    if (first !== undefined) lines.push({ line, serialNumber, fault: 'duplicate', first });
    else {
      lines.push({ line, serialNumber, fault: faultOf(serialNumber, seen.size) });
      seen.set(serialNumber, line);
    }
  }
  return lines;
}

function firstColumn(row: string): string {
  const [column = ''] = row.replace(/^\uFEFF/, '').split(/[,;\t]/);
  return column
    .trim()
    .replace(/^"(.*)"$/, '$1')
    .trim()
    .normalize('NFC');
}

function faultOf(serialNumber: string, before: number): Fault | null {
  if (BAD_CHARACTER.test(serialNumber)) return 'badCharacter';
  if (serialNumber.length > MAX_CHARACTERS) return 'tooLong';
  return before >= MAX_DEVICES ? 'tooMany' : null;
}
