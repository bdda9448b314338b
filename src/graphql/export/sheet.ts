/** Lines of an export for a spreadsheet: its cells are numbers, dates and texts there, in the language of the person. */
import { systemClock } from '../../platform/clock.js';
import { cell, textCell } from '../../platform/encoding/csv.js';
import { zonedTimestamp } from '../../platform/time-zones.js';
import type { Column } from './columns.js';
import { valueAt, timesInZone, type LineFormat } from './lines.js';
import type { Locale, Sheet } from './sheet-request.js';

/** A cell shows an amount in units with `decimals` digits, a code with its meaning, or the name of a choice. */
export interface SheetCell {
  readonly decimals?: number;
  readonly text?: (code: string, locale: Locale) => string;
  /** True if its texts are names like those of an enumeration, which the person may have words for. */
  readonly isChoice?: boolean;
}

/** By the path of fields in the schema: `parsed.amount`. */
export type SheetCells = Readonly<Record<string, SheetCell>>;

const MARK = '\uFEFF';
const DECIMAL_MARK: Readonly<Record<Locale, string>> = { en: '.', pt: ',' };
const FLAGS: Readonly<Record<Locale, readonly [yes: string, no: string]>> = {
  en: ['yes', 'no'],
  pt: ['sim', 'não'],
};

interface Table {
  readonly columns: readonly Column[];
  /** Null for UTC. */
  readonly timeZone: string | null;
  readonly sheet: Sheet;
  readonly cells: SheetCells;
}

export function sheetFormat({ columns, timeZone, sheet, cells }: Table): LineFormat {
  const { locale, separator, headings, words, hasMark } = sheet;
  const zoned = timeZone === null ? (time: string) => time : timesInZone(timeZone);
  const shown = columns.map((column) => {
    const own = cells[column.fields.map(({ name }) => name).join('.')] ?? {};
    const { decimals, isChoice = column.isChoice } = own;
    const text = isChoice ? (value: string) => wordOf(words, value) : own.text;
    return (record: unknown) => {
      const value = valueAt(record, column.keys);
      if (typeof value === 'boolean') return FLAGS[locale][value ? 0 : 1];
      if (typeof value === 'number')
        return numberCell(decimals === undefined ? String(value) : inUnits(value, decimals), sheet);
      if (isChoice && Array.isArray(value) && words.size > 0)
        return textCell(value.map((each) => wordOf(words, String(each))).join(', '));
      if (typeof value !== 'string') return cell(value);
      if (column.isInstant) return localTime(zoned(value), locale);
      return textCell(text === undefined ? value : text(value, locale));
    };
  });
  const head = headings ?? columns.map(({ name }) => name);
  return {
    type: 'text/csv',
    head: `${hasMark ? MARK : ''}${head.map(cell).join(separator)}\r\n`,
    line: (record) => {
      const value: unknown = JSON.parse(record);
      return `${shown.map((each) => each(value)).join(separator)}\r\n`;
    },
    last: () => '',
  };
}

/** The word for `APPROVED`, which payments spell `approved` too: `magnetic-stripe` is `MAGNETIC_STRIPE`. */
const wordOf = (words: ReadonlyMap<string, string>, value: string): string =>
  words.get(value) ?? words.get(value.toUpperCase().replaceAll('-', '_')) ?? value;

/** `-1234.56` of -123456 in the smallest unit of a currency, of which `decimals` digits are behind the point. */
function inUnits(amount: number, decimals: number): string {
  const digits = String(Math.abs(amount)).padStart(decimals + 1, '0');
  const point = digits.length - decimals;
  const fraction = decimals === 0 ? '' : `.${digits.slice(point)}`;
  return `${amount < 0 ? '-' : ''}${digits.slice(0, point)}${fraction}`;
}

function numberCell(text: string, { locale, separator }: Sheet): string {
  const mark = DECIMAL_MARK[locale];
  const shown = text.replace('.', mark);
  return separator === mark ? `"${shown}"` : shown;
}

/** A timestamp as spreadsheets know times: 2026-01-31 09:00:00, or 31/01/2026 09:00:00. */
function localTime(timestamp: string, locale: Locale): string {
  const [date = '', time = ''] = timestamp.split('T');
  const day = locale === 'pt' ? date.split('-').toReversed().join('/') : date;
  return `${day} ${time.slice(0, 8)}`;
}

/** Name of a file with the day in a time zone: `Denied payments 2026-01-31.csv`. */
export function sheetFileName({ fileName }: Sheet, list: string, timeZone: string | null): string {
  const day = zonedTimestamp(systemClock.now(), timeZone ?? 'UTC').slice(0, 10);
  return `${fileName ?? list} ${day}.csv`;
}
