import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The folder of the repository, with a slash at the end. */
export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

export function readDocument(path: string): string {
  return readFileSync(ROOT + path, 'utf8');
}

/** Text between backticks, outside of fenced blocks. */
export function inlineCode(text: string): string[] {
  const withoutBlocks = text.replace(/^```[^]*?^```/gm, '');
  return Array.from(withoutBlocks.matchAll(/`([^`\n]+)`/g), ([, code = '']) => code);
}

/** Sections under headings such as `## 16. Parameters and metacontents`, by number. */
export function numberedSections(text: string): Map<number, string> {
  const sections = text.split(/^## /m).slice(1);
  const numbered = sections.flatMap((section): [number, string][] => {
    const number = /^(\d+)[.] /.exec(section)?.[1];
    return number === undefined ? [] : [[Number(number), section]];
  });
  return new Map(numbered);
}

/** The cells of each row of the tables whose first heading is `heading`. */
export function tableRows(text: string, heading: string): string[][] {
  const withoutComments = text.replace(/^<!--.*-->\n/gm, '');
  const tables = withoutComments
    .split(/\n\n+/)
    .filter((block) => cellsOf(block.split('\n')[0] ?? '')[0] === heading);
  return tables.flatMap((table) => table.trim().split('\n').slice(2).map(cellsOf));
}

/** The code in the first cell of each row: names of fields, parameters or paths. */
export function firstCells(text: string, heading: string): string[] {
  return tableRows(text, heading).flatMap(([cell = '']) => inlineCode(cell));
}

function cellsOf(line: string): string[] {
  return line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());
}

export type Row = readonly string[];

export const code = (text: string): string => `\`${text}\``;

/** A table in Markdown. */
export function table(headings: Row, rows: readonly Row[]): string {
  const lineOf = (row: Row): string =>
    `| ${row.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`;
  return [lineOf(headings), lineOf(headings.map(() => '---')), ...rows.map(lineOf)].join('\n');
}

/** Anchors of the headings, as GitHub makes them: `a-heading` for `## A heading`. */
export function anchors(text: string): readonly string[] {
  const withoutBlocks = text.replace(/^```[^]*?^```/gm, '');
  return Array.from(withoutBlocks.matchAll(/^#{1,6} (.+)$/gm), ([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

/** Targets of the links, outside of fenced blocks: `docs/rest.md#errors`. */
export function links(text: string): readonly string[] {
  const withoutBlocks = text.replace(/^```[^]*?^```/gm, '');
  return Array.from(withoutBlocks.matchAll(/\]\(([^)\s]+)\)/g), ([, target = '']) => target);
}

/** How users start the program; not the name of its user or service. */
const STARTED =
  /(?:(?<!-u )\bterminal-gateway|npm run -s cli --|npm run demo --|dist\/boot[.]js) (?!listens )(?=[a-z]|--no-simulate|--database)/;
/** Ends a command in a shell. */
const NEXT = /\s[|<>#]|[;`)]|,\s|\s&&/;

/** Commands of the program in code, as words: `['db', 'copy', '--from', 'file:data/gateway.db']`. */
export function commandLines(text: string): readonly (readonly string[])[] {
  const blocks = text.match(/^```[^]*?^```/gm) ?? [];
  const lines = blocks.flatMap((block) => block.replace(/\s*\\\n\s*/g, ' ').split('\n'));
  const inline = inlineCode(text).filter((code) => STARTED.test(code));
  return [...lines, ...inline].flatMap((line) => {
    const [, rest] = line.split(STARTED);
    if (rest === undefined) return [];
    const words = (rest.split(NEXT)[0] ?? '').trim().split(/\s+/);
    return [line.includes('npm run demo --') ? ['demo', ...words] : words];
  });
}
