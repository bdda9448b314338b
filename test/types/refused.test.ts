import ts from 'typescript';
import { beforeAll, describe, expect, it } from 'vitest';

import { DATABASE_FIXTURES } from './database-fixtures.js';
import { FACE_FIXTURES } from './face-fixtures.js';
import type { Fixture } from './fixture.js';

/** The fixtures of a layer are in a file of their own. */
const FIXTURES: readonly Fixture[] = [...DATABASE_FIXTURES, ...FACE_FIXTURES];

const ROOT = new URL('../..', import.meta.url).pathname;
/** Names the fixture's expected error; a fixture without it must compile. */
const MARK = /\/\/ error (?<code>TS\d+)(?:: (?<text>.*))?$/;

const fileOf = (fixture: Fixture): string => `${ROOT}test/types/${fixture.name.replace(/\W+/g, '-')}.ts`;

/** One program for all fixtures, whose files exist in memory only. */
function diagnose(): ReadonlyMap<string, readonly ts.Diagnostic[]> {
  const { config } = ts.readConfigFile(`${ROOT}tsconfig.json`, (path) => ts.sys.readFile(path)) as {
    config: unknown;
  };
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, ROOT);
  const texts = new Map(FIXTURES.map((fixture) => [fileOf(fixture), fixture.source]));
  const host = ts.createCompilerHost({ ...options, incremental: false }, true);
  const onDisk = ts.createCompilerHost({ ...options, incremental: false }, true);
  host.fileExists = (file) => texts.has(file) || onDisk.fileExists(file);
  host.readFile = (file) => texts.get(file) ?? onDisk.readFile(file);
  host.getSourceFile = (file, languageVersion, ...rest) => {
    const text = texts.get(file);
    return text === undefined
      ? onDisk.getSourceFile(file, languageVersion, ...rest)
      : ts.createSourceFile(file, text, languageVersion, true);
  };
  const program = ts.createProgram([...texts.keys()], { ...options, incremental: false, noEmit: true }, host);
  return new Map(
    [...texts.keys()].map((file) => {
      const source = program.getSourceFile(file);
      return [file, source === undefined ? [] : program.getSemanticDiagnostics(source)];
    }),
  );
}

const describeError = ({ file, start = 0, code, messageText }: ts.Diagnostic): string =>
  `line ${(file?.getLineAndCharacterOfPosition(start).line ?? 0) + 1}: TS${code}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;

describe('the compiler', () => {
  let errors: ReturnType<typeof diagnose>;
  beforeAll(() => {
    errors = diagnose();
  }, 120_000);

  it.each(FIXTURES)('$name', (fixture) => {
    const found = (errors.get(fileOf(fixture)) ?? []).map(describeError);
    const expected = fixture.source.split('\n').flatMap((line, index) => {
      const mark = MARK.exec(line)?.groups;
      if (mark === undefined) return [];
      return [{ start: `line ${index + 1}: ${mark.code ?? ''}: `, text: mark.text ?? '' }];
    });
    expect(found).toHaveLength(expected.length);
    for (const [index, { start, text }] of expected.entries()) {
      expect(found[index]).toContain(start);
      expect(found[index]).toContain(text);
    }
  });

  it('accepts and refuses something', () => {
    const refused = FIXTURES.filter(({ source }) => source.includes('// error '));
    expect(refused.length).toBeGreaterThan(0);
    expect(refused.length).toBeLessThan(FIXTURES.length);
  });
});
