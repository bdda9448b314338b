import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const ROOT = new URL('../..', import.meta.url).pathname;

/** Patterns of company filters, with a replacement that is always true and has the same bound values. */
const FILTERS: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  [/\.(?:where|on)\('(?:\w+\.)?company_id', '(?:=|in)', (?:[^()]|\([^()]*\))*?\)/g, ''],
  [/\.onRef\('\w+\.company_id', '=', '(?:\w+\.company_id|companies\.id)'\)/g, ''],
  [/\b(?:\w+\.)?company_id (?:=|<>) (?:\w+\.company_id|companies\.id|c\.id)/g, '1 = 1'],
  [/\b(?:\w+\.)?company_id (?:=|<>) (\$\{[^{}]+\})/g, '$1 is not null'],
  [/\b(company_id (?:in \()?\$\{(?:inIds|inList|sql\.join)\([^{}]+\)\}\)?)/g, '(1 = 1 or $1)'],
  [/\bcompany_id is null/g, '1 = 1'],
  [/\$\{sql\.ref\(`t\.\$\{company\.column\}`\)\} = \$\{companyId\}/g, '1 = 1'],
];

/** Every comparison of a company, for example `t.company_id = ` or `'company_id', 'in'`. */
const COMPARISON = /company_id(?:', ')? ?(?:=|<>|!=|is null\b|in\b|\$\{in)/g;

export interface Mutation {
  readonly file: string;
  readonly line: number;
  readonly filter: string;
  readonly mutated: string;
}

/** Triggers of the schema work on the rows of all companies; the tests run on SQLite. */
const LEFT_OUT = /^src\/schema\/|\/postgres\//;

/** Mutations of files whose path contains `wanted`. Throws for a company comparison without a pattern. */
export function mutationsIn(wanted: string): readonly Mutation[] {
  return globSync('src/**/*.ts', { cwd: ROOT })
    .filter((file) => file.includes(wanted) && !LEFT_OUT.test(file))
    .sort()
    .flatMap(mutationsOf);
}

function mutationsOf(file: string): Mutation[] {
  const text = readFileSync(join(ROOT, file), 'utf8');
  const lineOf = (index: number): number => text.slice(0, index).split('\n').length;
  const found = FILTERS.flatMap(([pattern, replacement]) =>
    [...text.matchAll(pattern)].map(({ 0: filter, 1: value = '', index }) => ({
      filter,
      index,
      replacement: replacement.replace('$1', () => value),
    })),
  );
  for (const { index } of text.matchAll(COMPARISON)) {
    if (found.some((match) => match.index <= index && index < match.index + match.filter.length)) continue;
    throw new Error(`${file}:${lineOf(index)} compares a company in a way that no pattern of FILTERS finds`);
  }
  found.sort((a, b) => a.index - b.index);
  return found.map(({ filter, index, replacement }) => ({
    file,
    line: lineOf(index),
    filter: filter.replaceAll(/\s+/g, ' '),
    mutated: text.slice(0, index) + replacement + text.slice(index + filter.length),
  }));
}
