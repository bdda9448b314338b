/**
 * Removes one company filter of the source after the other, in a copy of the repository, and runs groups of tests, the
 * nearest first, until one fails. Prints a table; exits with 1 if no test fails without some filter. Takes from 10 s to
 * some minutes per filter: `npm run mutate:companies`, or `npm run mutate:companies -- device 2` for the files whose path
 * contains `device`, with the nearest 2 groups of tests only.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const ROOT = new URL('../..', import.meta.url).pathname;
const COPIED = ['src', 'test', '.config', 'package.json', 'tsconfig.json', 'schema.graphql'];

/** Old migrations never change, and `check.ts` compares the totals of all companies at once. */
const EXCLUDED = /migrations\/|sqlite\/check\.ts/;

/** What a filter looks like, and what replaces it. */
const FILTERS: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  [/\.where\('(?:\w+\.)?company_id', '(?:=|in)', (?:[^()]|\([^()]*\))*?\)/g, ''],
  [/\.onRef\('\w+\.company_id', '=', '\w+\.company_id'\)/g, ''],
  [/\b(?:\w+\.)?company_id = (?:\$\{[\w.]+\}|\w+\.company_id)/g, '1 = 1'],
  [/\$\{sql\.ref\(`t\.\$\{company\.column\}`\)\} = \$\{companyId\}/g, '1 = 1'],
];

interface Mutation {
  readonly file: string;
  readonly line: number;
  readonly filter: string;
  readonly mutated: string;
}

function mutationsOf(file: string): Mutation[] {
  const text = readFileSync(join(ROOT, file), 'utf8');
  return FILTERS.flatMap(([pattern, replacement]) =>
    [...text.matchAll(pattern)].map(({ 0: filter, index }) => ({
      file,
      line: text.slice(0, index).split('\n').length,
      filter: filter.replaceAll(/\s+/g, ' '),
      mutated: text.slice(0, index) + replacement + text.slice(index + filter.length),
    })),
  );
}

/** Groups of test files, the nearest first. */
function testsFor(file: string): readonly (readonly string[])[] {
  const own = `test/${dirname(file).replace(/^src\//, '')}`;
  const folder = /^test\/resources\/[^/]+/.exec(own)?.[0];
  return [
    ['test/database/tenancy.test.ts', 'test/database/totals.test.ts'],
    ...(folder === undefined ? [] : [[folder]]),
    ['test/contract/fleet-tenancy', 'test/contract/fleet-graphql-tenancy', 'test/contract/foreign-records'],
    ['test/graphql/live/delivery', 'test/contract/idempotency', 'test/resources'],
  ];
}

interface Run {
  readonly isPassed: boolean;
  readonly failed: string;
}

function run(copy: string, tests: readonly string[]): Run {
  const options = ['-c', '.config/vitest.config.ts', '--bail=1', '--reporter=tap-flat'];
  const { status, stdout } = spawnSync('npx', ['vitest', 'run', ...options, ...tests], {
    cwd: copy,
    encoding: 'utf8',
  });
  const failed = /^not ok \d+ - (.*?)(?: # .*)?$/m.exec(stdout)?.[1];
  return { isPassed: status === 0, failed: failed ?? `a failure in ${tests.join(', ')}` };
}

/** Whether a group of tests passes without a mutation: only then a failure says something. */
const passing = new Map<string, boolean>();

/** The test that fails first, or null. */
function killerOf(copy: string, { file, mutated }: Mutation, groups: number): string | null {
  const path = join(copy, file);
  const original = readFileSync(path, 'utf8');
  for (const tests of testsFor(file).slice(0, groups)) {
    writeFileSync(path, mutated);
    const { isPassed, failed } = run(copy, tests);
    writeFileSync(path, original);
    if (isPassed) continue;
    const group = tests.join(' ');
    const isUsable = passing.get(group) ?? run(copy, tests).isPassed;
    passing.set(group, isUsable);
    if (isUsable) return failed;
  }
  return null;
}

const [wanted = '', groups = '9'] = process.argv.slice(2);
const mutations = globSync('src/**/*.ts', { cwd: ROOT })
  .filter((file) => !EXCLUDED.test(file) && file.includes(wanted))
  .sort()
  .flatMap(mutationsOf);

const copy = mkdtempSync(join(tmpdir(), 'company-filters-'));
let survivors = 0;
try {
  for (const name of COPIED) cpSync(join(ROOT, name), join(copy, name), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
  for (const mutation of mutations) {
    const killer = killerOf(copy, mutation, Number(groups));
    if (killer === null) survivors += 1;
    const verdict = killer ?? 'NO TEST FAILS';
    process.stdout.write(`${mutation.file}:${mutation.line}\t${mutation.filter}\t${verdict}\n`);
  }
} finally {
  rmSync(copy, { recursive: true, force: true });
}
process.stdout.write(`${mutations.length} filters, ${survivors} without a test that fails.\n`);
process.exitCode = survivors === 0 ? 0 : 1;
