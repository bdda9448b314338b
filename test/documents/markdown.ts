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
  const tables = text.split(/\n\n+/).filter((block) => cellsOf(block.split('\n')[0] ?? '')[0] === heading);
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
