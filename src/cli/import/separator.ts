/** A comma unless the file says otherwise. */
const SEPARATORS = [',', ';', '\t'] as const;
const SEP_LINE = /^\uFEFF?"?sep=([,;\t])"?\r?(?:\n|$)/;

export interface TableBegin {
  readonly separator: string;
  /** Without the line `sep=;` that spreadsheets put first. */
  readonly text: string;
  /** Lines that were left out of the text. */
  readonly leftOut: number;
}

/** Finds the separator by the first line: `sep=;`, or the one of comma, semicolon and tab that it has most of. */
export function beginOfTable(text: string): TableBegin {
  const stated = SEP_LINE.exec(text);
  if (stated !== null) return { separator: stated[1] ?? ',', text: text.slice(stated[0].length), leftOut: 1 };
  const [first = ''] = text.split('\n', 1);
  const unquoted = first.replace(/"[^"]*"/g, '');
  const countOf = (separator: string): number => unquoted.split(separator).length;
  const separator = SEPARATORS.reduce((best, each) => (countOf(each) > countOf(best) ? each : best));
  return { separator, text, leftOut: 0 };
}
