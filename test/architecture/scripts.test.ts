import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');
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
