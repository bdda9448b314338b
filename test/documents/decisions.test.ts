import { describe, expect, it } from 'vitest';

import manifest from '../../package.json' with { type: 'json' };
import { inlineCode, readDocument } from './markdown.js';
import { PAPERS, SOURCES } from './sources.js';

const MAX_DECISIONS = 40;
const MAX_LINES = 5;
const MAX_WIDTH = 120;

const TEXT = readDocument('src/decisions.md');

interface Decision {
  /** For example `group-commit`. */
  readonly name: string;
  readonly lines: readonly string[];
  /** The file or folder of `src` that it explains: the first that it names. */
  readonly path: string;
}

const DECISIONS = TEXT.split(/^### /m)
  .slice(1)
  .map((section): Decision => {
    const [name = '', ...rest] = section
      .replace(/^## [^]*/m, '')
      .trim()
      .split('\n');
    const lines = rest.filter((line) => line !== '');
    const [path = ''] = inlineCode(lines.join('\n'));
    return { name, lines, path: `src/${path}` };
  });

/** `decisions.md#group-commit` in a comment or document. */
const REFERENCE = /\bdecisions[.]md#([\w-]+)/g;
const referencesIn = (text: string): readonly string[] =>
  Array.from(text.matchAll(REFERENCE), ([, name = '']) => name);

describe('src/README.md', () => {
  const map = readDocument('src/README.md');

  it('is one screen', () => {
    expect(map.trimEnd().split('\n').length).toBeLessThanOrEqual(80);
    expect(Buffer.byteLength(map)).toBeLessThanOrEqual(6 * 1024);
  });

  it('has at most ten rules', () => {
    const [, rules = ''] = /^## Rules\n([^]*?)^## /m.exec(map) ?? [];
    const numbers = Array.from(rules.matchAll(/^(\d+)[.] /gm), ([, number]) => Number(number));
    expect(numbers).toEqual(numbers.map((_, index) => index + 1));
    expect(numbers.length).toBeGreaterThan(0);
    expect(numbers.length).toBeLessThanOrEqual(10);
  });
});

describe('src/decisions.md', () => {
  it(`has at most ${MAX_DECISIONS} decisions with names of their own`, () => {
    expect(DECISIONS.length).toBeGreaterThan(0);
    expect(DECISIONS.length).toBeLessThanOrEqual(MAX_DECISIONS);
    const names = DECISIONS.map(({ name }) => name);
    expect(names.filter((name) => !/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(name))).toEqual([]);
    expect(new Set(names).size).toBe(names.length);
  });

  it.each(DECISIONS.map((decision) => [decision.name, decision] as const))(
    '%s is short, and the file that it explains refers to it',
    (name, { lines, path }) => {
      expect(lines.length).toBeGreaterThan(0);
      expect(lines.length).toBeLessThanOrEqual(MAX_LINES);
      expect(lines.filter((line) => line.length > MAX_WIDTH)).toEqual([]);
      const explained = [...SOURCES].filter(
        ([file]) => file === path || (path.endsWith('/') && file.startsWith(path)),
      );
      expect(explained.map(([file]) => file)).not.toEqual([]);
      expect(explained.flatMap(([, text]) => referencesIn(text))).toContain(name);
    },
  );

  it('has every decision that code and documents refer to', () => {
    const names = new Set(DECISIONS.map(({ name }) => name));
    const unknown = [...SOURCES, ...PAPERS].flatMap(([path, text]) =>
      referencesIn(text)
        .filter((name) => !names.has(name))
        .map((name) => `${path}: ${name}`),
    );
    expect(unknown).toEqual([]);
  });

  it('has what src/README.md names by `#name` alone', () => {
    const named = [...inlineCode(readDocument('src/README.md'))].filter((code) => code.startsWith('#'));
    expect(DECISIONS.map(({ name }) => `#${name}`)).toEqual(expect.arrayContaining(named));
  });

  it('is not referred to by numbers', () => {
    const numbered = [...SOURCES, ...PAPERS].filter(([, text]) => /\bD-\d{2,3}\b/.test(text));
    expect(numbered.map(([path]) => path)).toEqual([]);
  });

  it('lists every package of package.json, and no others', () => {
    const used = Object.keys({ ...manifest.dependencies, ...manifest.devDependencies });
    const [, list = ''] = TEXT.split('## Dependencies\n');
    const listed = Array.from(list.matchAll(/\*\*([^*]+)\*\*/g), ([, name = '']) => name);
    expect(listed.toSorted()).toEqual(used.filter((name) => !name.startsWith('@types/')).toSorted());
  });
});
