export interface Line {
  /** Counted from 1. */
  readonly line: number;
  readonly serialNumber: string;
  /** Why no device is made of it; null where one can be, or is. */
  readonly fault: string | null;
}

/** Devices in one request. */
export const MAX_DEVICES = 1_000;
const HEADING = /^(serial|serial.?number|n[uú]mero de s[eé]rie|device|sn)$/i;

/**
 * Serial numbers of a pasted list or of a CSV file: the first column of each line, without a heading and without empty
 * lines. Columns are separated by comma, semicolon or tab. The server checks the serial numbers themselves.
 */
export function linesOf(
  list: string,
  text: { readonly duplicate: (line: number) => string; readonly tooMany: string },
): readonly Line[] {
  const seen = new Map<string, number>();
  const lines: Line[] = [];
  for (const [index, row] of list.split(/\r\n|\r|\n/).entries()) {
    const [column = ''] = row.replace(/^\uFEFF/, '').split(/[,;\t]/);
    const [line, serialNumber] = [index + 1, column.replace(/^\s*"(.*)"\s*$/, '$1').trim()];
    if (serialNumber === '' || (seen.size === 0 && HEADING.test(serialNumber))) continue;
    const first = seen.get(serialNumber);
    const tooMany = seen.size >= MAX_DEVICES ? text.tooMany : null;
    lines.push({ line, serialNumber, fault: first === undefined ? tooMany : text.duplicate(first) });
    if (first === undefined) seen.set(serialNumber, line);
  }
  return lines;
}

/** Lines with their results, with cells in quotes where they need them. */
export function tableOf(lines: readonly Line[], good: string, separator: string): string {
  const quoted = (cell: string): string => (/[",;\t]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);
  return lines
    .map(({ serialNumber, fault }) => [serialNumber, fault ?? good].map(quoted).join(separator))
    .join('\n');
}
