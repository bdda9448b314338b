import { execFile } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { DATABASE_FIXTURES } from './database-fixtures.js';
import type { Fixture } from './fixture.js';
import { FACE_FIXTURES } from './graphql-module-fixtures.js';

/** The fixtures of a layer are in a file of their own. */
const FIXTURES: readonly Fixture[] = [...DATABASE_FIXTURES, ...FACE_FIXTURES];

const ROOT = new URL('../..', import.meta.url).pathname;
/** As deep as `test/types`, so that the imports of a fixture resolve, and ignored by Git. */
const FOLDER = `${ROOT}node_modules/.cache/types-${process.pid}`;
/** Names the fixture's expected error; a fixture without it must compile. */
const MARK = /\/\/ error (?<code>TS\d+)(?:: (?<text>.*))?$/;
/** As the compiler prints one: `name.ts(12,3): error TS2339: Property …`. */
const ERROR = /(?<file>[\w-]+[.]ts)\((?<line>\d+),\d+\): error (?<code>TS\d+): (?<text>.*)$/;

interface CompilerError {
  readonly line: number;
  readonly code: string;
  readonly text: string;
}

const fileOf = (fixture: Fixture): string => `${fixture.name.replace(/\W+/g, '-')}.ts`;

/** The errors of each file, from one run of the compiler over all fixtures. */
async function compile(): Promise<ReadonlyMap<string, readonly CompilerError[]>> {
  await mkdir(FOLDER, { recursive: true });
  const config = {
    extends: `${ROOT}tsconfig.json`,
    compilerOptions: { incremental: false, tsBuildInfoFile: null, typeRoots: [`${ROOT}node_modules/@types`] },
    include: ['.'],
    exclude: [],
  };
  await writeFile(join(FOLDER, 'tsconfig.json'), JSON.stringify(config));
  for (const fixture of FIXTURES) {
    await writeFile(join(FOLDER, fileOf(fixture)), fixture.source.replaceAll("'../../src/", `'${ROOT}src/`));
  }
  const output = await new Promise<string>((resolve) => {
    const tsc = join(ROOT, 'node_modules/.bin/tsc');
    execFile(tsc, ['-p', FOLDER, '--pretty', 'false'], { maxBuffer: 2 ** 24 }, (_, stdout) => {
      resolve(stdout);
    });
  });
  return Map.groupBy(errorsIn(output), ({ file }) => file);
}

function errorsIn(output: string): readonly (CompilerError & { file: string })[] {
  // The lines that go on with a message are indented.
  return output
    .replaceAll(/\n +/g, ' ')
    .split('\n')
    .flatMap((printed) => {
      const { file, line, code, text } = ERROR.exec(printed)?.groups ?? {};
      if (file === undefined || code === undefined || text === undefined) return [];
      return [{ file, line: Number(line), code, text }];
    });
}

describe('the compiler', () => {
  let errors: ReadonlyMap<string, readonly CompilerError[]>;
  beforeAll(async () => {
    errors = await compile();
  });
  afterAll(async () => {
    await rm(FOLDER, { recursive: true, force: true });
  });

  it.each(FIXTURES)('$name', (fixture) => {
    const found = errors.get(fileOf(fixture)) ?? [];
    const expected = fixture.source.split('\n').flatMap((line, index) => {
      const mark = MARK.exec(line)?.groups;
      if (mark === undefined) return [];
      return [{ line: index + 1, code: mark.code, text: expect.stringContaining(mark.text ?? '') as string }];
    });
    expect(found.map(({ line, code, text }) => ({ line, code, text }))).toEqual(expected);
  });
});
