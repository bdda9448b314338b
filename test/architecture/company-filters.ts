/**
 * Removes one company filter of the source after the other, in a copy of the repository, and runs tests until one
 * fails: one process of vitest for each filter, and another one only if no test of the first fails. Only a failed
 * assertion counts. A statement that SQLite refuses, a file that does not load and a run that takes too long prove
 * nothing, and are reported as such.
 *
 * Prints a table of file:line, filter and FAILED with the first test that fails, or PASSED, and exits with 1 unless a test fails
 * for every filter. Takes 5 to 20 s for each: `npm run mutate:companies`, or `npm run mutate:companies -- device` for
 * the files whose path contains `device`.
 */
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  globSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = new URL('../..', import.meta.url).pathname;

/** Patterns of company filters, with a replacement that is always true and has the same bound values. */
const FILTERS: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  [/\.(?:where|on)\('(?:\w+\.)?company_id', '(?:=|!=|in)', (?:[^()]|\([^()]*\))*?\)/g, ''],
  [/\.onRef\('\w+\.company_id', '=', '(?:\w+\.company_id|companies\.id)'\)/g, ''],
  [/\b(?:\w+\.)?company_id (?:=|<>) (?:\w+\.company_id|companies\.id|c\.id)/g, '1 = 1'],
  [/\b(?:\w+\.)?company_id (?:=|<>) (\$\{[^{}]+\})/g, '$1 is not null'],
  [/\b(company_id (?:in \()?\$\{(?:inIds|inList|sql\.join)\([^{}]+\)\}\)?)/g, '(1 = 1 or $1)'],
  [/\bcompany_id is null/g, '1 = 1'],
  [/\$\{sql\.ref\(`t\.\$\{company\.column\}`\)\} = \$\{companyId\}/g, '1 = 1'],
];

/** Every comparison of a company, for example `t.company_id = ` or `'company_id', 'in'`. */
const COMPARISON = /company_id(?:', ')? ?(?:=|<>|!=|is null\b|in\b|\$\{in)/g;

interface Mutation {
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

const COPIED = ['src', 'test', '.config', 'package.json', 'tsconfig.json', 'schema.graphql'];
const RUN_MS = 300_000;

/** How the message of a failed assertion begins; the second form is of `rejects`. */
const ASSERTION = /^(?:AssertionError|Error: promise resolved)/;

/** Groups of tests, each for one process; the second one runs if the first finds nothing. */
function groupsFor(file: string): readonly (readonly string[])[] {
  const resource = /^src\/(domain\/[^/]+\/[^/]+)/.exec(file)?.[1];
  if (resource !== undefined) return [['test/database/tenancy'], [`test/${resource}/`]];
  return [['test/database/tenancy', 'test/database/migrations.sqlite.test.ts'], ['test/database/']];
}

/** `FAILED` and the first test that fails by an assertion, `PASSED`, or what went wrong. */
type Outcome = 'PASSED' | `FAILED ${string}` | `NOTHING PROVED: ${string}`;

interface Report {
  readonly success: boolean;
  readonly numPassedTests: number;
  readonly testResults: readonly {
    readonly assertionResults: readonly {
      readonly status: string;
      readonly fullName: string;
      readonly failureMessages: readonly string[];
    }[];
  }[];
}

function run(copy: string, tests: readonly string[]): Outcome {
  const reportFile = join(copy, 'report.json');
  rmSync(reportFile, { force: true });
  const options = ['--project=server', '--bail=1', '--reporter=json', `--outputFile=${reportFile}`];
  const vitest = ['node_modules/vitest/vitest.mjs', 'run', '-c', '.config/vitest.config.ts'];
  const { signal } = spawnSync(process.execPath, [...vitest, ...options, ...tests], {
    cwd: copy,
    stdio: 'ignore',
    timeout: RUN_MS,
  });
  if (signal !== null || !existsSync(reportFile)) return 'NOTHING PROVED: no report in time';
  const report = JSON.parse(readFileSync(reportFile, 'utf8')) as Report;
  const failures = report.testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .filter(({ status }) => status === 'failed');
  const asserted = failures.find(({ failureMessages: [first = ''] }) => ASSERTION.test(first));
  if (asserted !== undefined) return `FAILED ${asserted.fullName}`;
  if (report.success && report.numPassedTests > 0) return 'PASSED';
  const [message = 'a file does not load'] = failures.flatMap(({ failureMessages }) => failureMessages);
  return `NOTHING PROVED: ${message.split('\n')[0] ?? ''}`;
}

const checked = new Set<string>();

/** Throws if a group fails without a mutation. */
function outcomeOf(copy: string, { file, mutated }: Mutation): Outcome {
  const path = join(copy, file);
  const original = readFileSync(path, 'utf8');
  for (const tests of groupsFor(file)) {
    const group = tests.join(' ');
    const before = checked.has(group) ? 'PASSED' : run(copy, tests);
    if (before !== 'PASSED') throw new Error(`${group} fail without a mutation: ${before}`);
    checked.add(group);
    writeFileSync(path, mutated);
    const outcome = run(copy, tests);
    writeFileSync(path, original);
    if (outcome !== 'PASSED') return outcome;
  }
  return 'PASSED';
}

/** Removes the filters of files whose path contains `wanted`, in turn. */
function removeFilters(wanted: string): void {
  const mutations = mutationsIn(wanted);
  const copy = mkdtempSync(join(tmpdir(), 'company-filters-'));
  let survivors = 0;
  try {
    for (const name of COPIED) cpSync(join(ROOT, name), join(copy, name), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
    for (const mutation of mutations) {
      const outcome = outcomeOf(copy, mutation);
      if (!outcome.startsWith('FAILED')) survivors += 1;
      process.stdout.write(`${mutation.file}:${mutation.line}\t${mutation.filter}\t${outcome}\n`);
    }
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
  process.stdout.write(`${mutations.length} filters, ${survivors} without a test that fails.\n`);
  process.exitCode = survivors === 0 ? 0 : 1;
}

if (process.argv[1] === import.meta.filename) removeFilters(process.argv[2] ?? '');
