import { execFileSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

import { RULES } from '../../src/schema/rules.js';
import { mutationsIn } from './company-filters.js';

const ROOT = resolve(import.meta.dirname, '../..');
const DOMAIN = /^src\/domain\/.+[.](?:model|rules|repository|service)[.]ts$/;

/** A declaration at the top level of a module: `function`, `const`, also of several names, or `class`. */
const DECLARED =
  /^(?:export )?(?:async )?(?:abstract )?(?:function\*?|const|class) (?:\{(?<several>[^}]*)\}|(?<one>\w+))/gm;
const IMPORT_OR_EXPORT = /^(?:import|export (?:type )?(?:\*|\{))[^;]*;$/gm;
const COMMENT = /\/\*[^]*?\*\/|^\s*\/\/.*$/gm;

const wordsIn = (text: string): readonly string[] => text.match(/\w+/g) ?? [];

interface Declaration {
  readonly path: string;
  readonly name: string;
  /** The words of its text. */
  readonly uses: readonly string[];
}

function declarationsIn(path: string, code: string): Declaration[] {
  const found = [...code.matchAll(DECLARED)];
  return found.flatMap(({ groups, index, 0: { length } }, n) => {
    const uses = wordsIn(code.slice(index + length, found[n + 1]?.index));
    const names = groups?.several?.split(',').map((part) => part.split(':').at(-1)?.trim() ?? '');
    return (names ?? [groups?.one ?? '']).filter((name) => name !== '').map((name) => ({ path, name, uses }));
  });
}

/**
 * `path name` of each function, constant and class of the domain that neither a command nor a request can reach: no code
 * outside of models, rules, repositories and services names it, nor a declaration that is reached itself. The demo does
 * not count: no client can reach it.
 */
function unreachedIn(sources: ReadonlyMap<string, string>): readonly string[] {
  const declarations: Declaration[] = [];
  const reached = new Set<string>();
  for (const [path, source] of sources) {
    if (path.startsWith('src/demo/')) continue;
    const text = source.replaceAll(COMMENT, '');
    for (const [statement] of text.matchAll(IMPORT_OR_EXPORT)) {
      // `readRow as row`: who uses `row` uses `readRow`.
      for (const [, from = '', name = ''] of statement.matchAll(/(\w+) as (\w+)/g)) {
        declarations.push({ path: '', name, uses: [from] });
      }
    }
    const code = text.replaceAll(IMPORT_OR_EXPORT, '');
    if (DOMAIN.test(path)) declarations.push(...declarationsIn(path, code));
    else for (const word of wordsIn(code)) reached.add(word);
  }
  const uses = Map.groupBy(declarations, ({ name }) => name);
  for (const word of reached) {
    for (const each of uses.get(word) ?? []) each.uses.forEach((used) => reached.add(used));
  }
  return declarations
    .filter(({ path, name }) => path !== '' && !reached.has(name))
    .map(({ path, name }) => `${path} ${name}`);
}

describe('a rule of the business that a trigger keeps', () => {
  const services = globSync('src/domain/**/*.service.ts', { cwd: ROOT }).map((path) =>
    readFileSync(join(ROOT, path), 'utf8'),
  );

  it.each(RULES.map(({ name }) => name))('%s is named in a service that relies on it', (name) => {
    expect(services.filter((text) => text.includes(`\`${name}\``))).not.toEqual([]);
  });
});

describe('functions of the domain', () => {
  it('are each reached from the program: REST, GraphQL, the command line or a background task', () => {
    const paths = globSync('src/**/*.ts', { cwd: ROOT }).map((path) => path.replaceAll('\\', '/'));
    const sources = new Map(paths.map((path) => [path, readFileSync(join(ROOT, path), 'utf8')]));
    expect(sources.size).toBeGreaterThan(300);
    expect(unreachedIn(sources)).toEqual([]);
  });

  it('are reported when only the demo or another unreached function uses them', () => {
    const program = {
      'src/main.ts': `import { getDevice, row } from './domain/fleet/device/device.service.js'; getDevice(row);`,
      'src/demo/demo.ts': `import { report } from '../domain/fleet/device/device.service.js'; report(1);`,
      'src/domain/fleet/device/device.service.ts': `
export { readRow as row } from './device.repository.js';
/** Unlike report, it is used. */
export function getDevice(id: number) { return all.get(id); }
const all = { get: (id: number) => id };
export const { report, revoke: revokeToken } = all;
export async function orphan() { helperOfOrphan(); }
function helperOfOrphan() {}`,
      'src/domain/fleet/device/device.repository.ts': `
export const readRow = (id: number) => id;
export class Unused {}`,
    };
    const names = unreachedIn(new Map(Object.entries(program))).map((each) => each.split(' ')[1]);
    expect(names).toEqual(['report', 'revokeToken', 'orphan', 'helperOfOrphan', 'Unused']);
  });
});

/** A header that is read by its name, or a request that is taken apart for that. */
const BY_NAME =
  /request\.headers(\[|\??\.)|\} = request\.headers;|\bheaders\b[^}()]*\}: (Request|IncomingMessage)\b/;

it('headers of requests are read by `headerOf`', () => {
  const files = globSync('src/**/*.ts');
  expect(files.length).toBeGreaterThan(300);
  expect(files.filter((file) => BY_NAME.test(readFileSync(file, 'utf8')))).toEqual([]);
  const before = 'function bearerToken({ headers }: Request) {';
  expect([BY_NAME.test(before), BY_NAME.test('headers: request.headers,')]).toEqual([true, false]);
});

it('every comparison of a company is a filter that can be removed, to see which test fails without it', () => {
  expect(mutationsIn('src/').length).toBeGreaterThan(100);
});

const textOf = (path: string): string => readFileSync(path, 'utf8');

/** Scripts of package.json that run beside the tests, with modules of theirs: benchmarks, kills, campaigns. */
const { scripts } = JSON.parse(textOf(join(ROOT, 'package.json'))) as {
  readonly scripts: Readonly<Record<string, string>>;
};
const SCRIPTS = Object.values(scripts).flatMap((line) => /tsx (test\/\S+\.ts)/.exec(line)?.[1] ?? []);

/** Calls of Vitest while a module loads, which fail outside of a test. */
const CALL =
  /^(?:export )?(?:const \w+ = )?(?:base|it|test|describe|beforeAll|afterAll|beforeEach|afterEach|vi)[.(]/m;

/** A script, and all modules of the tests that it imports. */
function modulesOf(script: string): ReadonlySet<string> {
  const modules = new Set([join(ROOT, script)]);
  for (const path of modules) {
    for (const [, name = ''] of textOf(path).matchAll(/ from '(\.[^']*)\.js';/g)) {
      const imported = `${resolve(dirname(path), name)}.ts`;
      if (imported.startsWith(join(ROOT, 'test/')) && existsSync(imported)) modules.add(imported);
    }
  }
  return modules;
}

describe('a script beside the tests', () => {
  it.each([...new Set(SCRIPTS)])('%s loads no module that works in tests only', (script) => {
    const found = [...modulesOf(script)].filter((path) => CALL.test(textOf(path)));
    expect(found).toEqual([]);
  });
});

describe('the top level', () => {
  it('has nothing but what is meant to stand there', () => {
    const allowed =
      'LICENSE README.md codegen.ts package-lock.json package.json schema.graphql src test tsconfig.json';
    const tracked = execFileSync('git', ['ls-files'], { cwd: ROOT, encoding: 'utf8' }).trim().split('\n');
    const names = new Set(tracked.map((path) => path.split('/')[0] ?? ''));
    expect([...names].filter((name) => !name.startsWith('.')).sort()).toEqual(allowed.split(' '));
  });
});
