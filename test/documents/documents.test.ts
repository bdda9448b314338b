import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';

import { SETTINGS } from '../../src/platform/config/config.js';
import { firstCells, inlineCode, numberedSections, readDocument, ROOT, tableRows } from './markdown.js';
import { SOURCES } from './sources.js';

const DOCUMENTS = [
  'README.md',
  'src/README.md',
  'src/decisions.md',
  'src/SCALING.md',
  'src/rest/CONTRACT.md',
  'test/CASES.md',
];
const CASES = readDocument('test/CASES.md');

const textsIn = (folder: string): string[] =>
  [...SOURCES].flatMap(([path, text]) => (path.startsWith(folder) ? [text] : []));

function matchesIn(texts: readonly string[], pattern: RegExp): Set<string> {
  return new Set(texts.flatMap((text) => text.match(pattern) ?? []));
}

/** The numbers in `contract 2` and in `contract 13, 32` or `contract 2 and 16`. */
function contractNumbers(text: string): number[] {
  const references = text.match(/\bcontract \d+(?:(?:, | and )\d+)*/g) ?? [];
  return references.flatMap((reference) => reference.match(/\d+/g) ?? []).map(Number);
}

describe('codes and numbers', () => {
  it('test/CASES.md has the codes that tests name, and no others', () => {
    const prefixes = Array.from(CASES.matchAll(/^## ([A-Z]{2}): /gm), ([, prefix]) => prefix);
    const code = new RegExp(`\\b(?:${prefixes.join('|')})-\\d{2}\\b`, 'g');
    const listed = tableRows(CASES, 'Code').map(([cell = '']) => cell);
    const named = matchesIn(textsIn('test/'), code);
    expect(listed.toSorted()).toEqual([...named].toSorted());
    const elsewhere = matchesIn([...textsIn('src/'), ...DOCUMENTS.map(readDocument)], code);
    for (const other of elsewhere) expect(listed).toContain(other);
  });

  it('every `contract N` is a section of src/rest/CONTRACT.md', () => {
    const sections = numberedSections(readDocument('src/rest/CONTRACT.md'));
    const unknown = [...SOURCES, ...DOCUMENTS.map((path) => [path, readDocument(path)] as const)].flatMap(
      ([path, text]) =>
        contractNumbers(text)
          .filter((number) => !sections.has(number))
          .map((number) => `${path}: contract ${number}`),
    );
    expect(unknown).toEqual([]);
  });

  it('nothing refers to documents outside of the repository', () => {
    const outside =
      /\bdecisions? \d|\bissues? #?\d|shared\/(?:contract|design)\b|cases[.]json|design\/\w+[.]md|http-api[.]md/i;
    const texts = [...SOURCES, ...DOCUMENTS.map((path) => [path, readDocument(path)] as const)];
    expect(texts.filter(([, text]) => outside.test(text)).map(([path]) => path)).toEqual([]);
  });
});

describe('what documents name', () => {
  /** A file or folder of the repository: `src/main.ts`, `graphql/live/`, `schema.graphql`. */
  const PATH = /^(?:[.]{0,2}[\w-]+\/)*(?:[\w.-]+[.](?:tsx?|md|graphql|json|cjs)|[\w-]+\/)$/;
  const found = (document: string, path: string): boolean =>
    [dirname(document), 'src', '.'].some((folder) => existsSync(join(ROOT, folder, path)));

  it.each(DOCUMENTS)('%s: the paths exist', (document) => {
    const text = readDocument(document);
    const links = Array.from(text.matchAll(/\]\(([^)#:]+)\)/g), ([, target = '']) => target);
    const named = [...inlineCode(text).filter((code) => PATH.test(code)), ...links];
    expect(named.filter((path) => !found(document, path))).toEqual([]);
  });

  it.each(DOCUMENTS)('%s: the npm scripts exist', (document) => {
    const { scripts } = JSON.parse(readDocument('package.json')) as { scripts: Record<string, string> };
    const text = readDocument(document);
    const named = Array.from(text.matchAll(/npm (?:run (?:-s )?([\w:-]+)|(test|start)\b)/g), (match) => {
      const [, run, own = ''] = match;
      return run ?? own;
    });
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
  });

  it('README.md has every setting, and no others', () => {
    const documented = firstCells(readDocument('README.md'), 'Variable');
    expect(documented.toSorted()).toEqual(SETTINGS.map(({ name }) => name).toSorted());
  });

  it('the map in src/README.md has every folder and file directly in src/, and no others', () => {
    const [, map = ''] = /^```\n([^]*?)^```/m.exec(readDocument('src/README.md')) ?? [];
    const listed = Array.from(map.matchAll(/^([\w.-]+)(?:\/\S*)? {2,}/gm), ([, name = '']) => name);
    const isCode = (name: string): boolean => !name.endsWith('.md') && name !== 'docs';
    const present = readdirSync(join(ROOT, 'src')).filter(isCode);
    expect([...new Set(listed)].filter(isCode).toSorted()).toEqual(present.toSorted());
  });
});
