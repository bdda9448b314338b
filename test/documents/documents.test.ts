import { buildSchema, parse, validate } from 'graphql';
import { existsSync, globSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';

import { formatted } from '../../.config/formatted.js';
import { DOCUMENT } from '../support/openapi-check.js';
import {
  anchors,
  commandLines,
  inlineCode,
  links,
  numberedSections,
  readDocument,
  ROOT,
  tableRows,
} from './markdown.js';
import { commands, pathOf, TABLES, withPrintedTables } from './printed-tables.js';
import { SOURCES } from './sources.js';

const GUIDES = globSync('src/docs/**/*.md', { cwd: ROOT }).toSorted();
/** Lists all other guides. */
const INDEX = 'src/docs/README.md';
/** Documents for users; all others are for developers. */
const PUBLIC = ['README.md', ...GUIDES];
const DOCUMENTS = [
  ...PUBLIC,
  'src/README.md',
  'src/decisions.md',
  'src/rest/CONTRACT.md',
  'test/CASES.md',
  '.github/CONTRIBUTING.md',
  '.github/SECURITY.md',
  '.github/pull_request_template.md',
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
    const named = inlineCode(readDocument(document)).filter((code) => PATH.test(code));
    expect(named.filter((path) => !found(document, path))).toEqual([]);
  });

  it.each(DOCUMENTS)('%s: the links lead to files and headings', (document) => {
    const broken = links(readDocument(document)).filter((target) => {
      if (/^https?:/.test(target)) return false;
      const [path = '', anchor] = target.split('#');
      const file = path === '' ? document : join(dirname(document), path);
      if (!existsSync(join(ROOT, file))) return true;
      return anchor !== undefined && !anchors(readDocument(file)).includes(anchor);
    });
    expect(broken).toEqual([]);
  });

  it.each(PUBLIC)('%s: the links lead to files of the package', (document) => {
    const { files } = JSON.parse(readDocument('package.json')) as { files: readonly string[] };
    const isPacked = (path: string): boolean =>
      files.some((file) => path === file || path.startsWith(`${file}/`));
    const targets = links(readDocument(document)).filter((target) => !/^(?:https?:|#)/.test(target));
    const paths = targets.map((target) => join(dirname(document), target.replace(/#.*/, '')));
    expect(paths.filter((path) => !isPacked(path))).toEqual([]);
  });

  it.each(PUBLIC)('%s: the commands and their options exist', async (document) => {
    const known = new Map((await commands()).map((command) => [pathOf(command), command]));
    const wrong = commandLines(readDocument(document)).filter((words) => {
      const command = known.get(words.slice(0, 2).join(' ')) ?? known.get(words[0] ?? '');
      const flags = words.filter((word) => word.startsWith('--')).map((word) => word.split('=')[0]);
      return (
        command === undefined || flags.some((flag) => command.options.every(({ long }) => long !== flag))
      );
    });
    expect(wrong.map((words) => words.join(' '))).toEqual([]);
  });

  it('README.md leads to the index, and that to every guide once', () => {
    expect(links(readDocument('README.md'))).toContain(INDEX);
    const listed = links(readDocument(INDEX)).map((target) => `src/docs/${target}`);
    expect(listed.filter((path) => GUIDES.includes(path)).toSorted()).toEqual(
      GUIDES.filter((guide) => guide !== INDEX),
    );
  });

  it('the glossary has at most eight words of its own', () => {
    const words = tableRows(readDocument('src/docs/glossary.md'), 'Word');
    expect(words.length).toBeGreaterThan(0);
    expect(words.length).toBeLessThanOrEqual(8);
  });

  it.each(PUBLIC)('%s is short enough to read', (document) => {
    const most = document === 'README.md' ? 8_000 : 12 * 1024;
    expect(Buffer.byteLength(readDocument(document))).toBeLessThanOrEqual(most);
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

  it('the map in src/README.md has every folder and file directly in src/, and no others', () => {
    const [, map = ''] = /^```\n([^]*?)^```/m.exec(readDocument('src/README.md')) ?? [];
    const listed = Array.from(map.matchAll(/^([\w.-]+)(?:\/\S*)? {2,}/gm), ([, name = '']) => name);
    const isCode = (name: string): boolean => !name.endsWith('.md') && name !== 'docs';
    const present = readdirSync(join(ROOT, 'src')).filter(isCode);
    expect([...new Set(listed)].filter(isCode).toSorted()).toEqual(present.toSorted());
  });
});

const SCHEMA = buildSchema(readDocument('schema.graphql'));

/** GraphQL documents: in `"query":"…"`, in blocks of GraphQL, and in template strings of TypeScript. */
function operationsIn(text: string): readonly string[] {
  const quoted = text.matchAll(/"query":("(?:[^"\\]|\\.)*")/g);
  const inJson = Array.from(quoted, ([, json = '']) => JSON.parse(json) as string);
  const blocks = Array.from(text.matchAll(/^```graphql\n([^]*?)^```/gm), ([, block = '']) => block);
  const templates = Array.from(
    text.matchAll(/`\s*((?:query|mutation|subscription) [^`]*\{[^`]*\}\s*)`/g),
    ([, operation = '']) => operation,
  );
  return [...inJson, ...blocks, ...templates];
}

/** Paths below `/v1`, `/terminal/v1` and `/ingest/v1`; not that of the collector of traces. */
function pathsIn(text: string): readonly string[] {
  return text.match(/(?<!:4318)\/(?:terminal\/|ingest\/|export\/)?v1\/[\w/{}%.-]*[\w}](?:\/\$1)?/g) ?? [];
}

const known = Object.keys(DOCUMENT.paths).map(
  (path) => new RegExp(`^${path.replaceAll('.', '[.]').replace(/\{[^}]+\}/g, '[^/]+')}$`),
);

describe('examples in documents for users', () => {
  it.each(PUBLIC)('%s: the GraphQL operations are valid', (document) => {
    for (const operation of operationsIn(readDocument(document))) {
      const problems = validate(SCHEMA, parse(operation)).map(({ message }) => message);
      expect(problems, operation).toEqual([]);
    }
  });

  it.each(PUBLIC)('%s: the paths of REST are documented', (document) => {
    const paths = pathsIn(readDocument(document));
    expect(paths.filter((path) => !known.some((pattern) => pattern.test(path)))).toEqual([]);
  });

  it('are found', () => {
    const all = PUBLIC.map(readDocument).join('\n');
    expect(operationsIn(all).length).toBeGreaterThan(20);
    expect(pathsIn(all).length).toBeGreaterThan(20);
  });
});

describe('tables that guides print from the code', () => {
  it.each(GUIDES)('%s has them as `npm run golden` writes them', async (guide) => {
    const text = await formatted(guide, await withPrintedTables(readDocument(guide)));
    await expect(text).toMatchFileSnapshot(`../../${guide}`);
  });

  it('each table is in one guide', () => {
    const texts = GUIDES.map(readDocument).join('\n');
    const printed = Array.from(texts.matchAll(/^<!-- printed: (.+) -->$/gm), ([, name]) => name);
    expect(printed.toSorted()).toEqual(Object.keys(TABLES).toSorted());
  });

  it('refuses the marker of an unknown table', async () => {
    const text = '<!-- printed: nothing -->\n<!-- end -->';
    await expect(withPrintedTables(text)).rejects.toThrow('No table is called "nothing".');
  });
});

describe('the console', () => {
  it('has each mutation of the schema, but those that its guide lists as not in it', () => {
    const pages = textsIn('src/console/').join('\n');
    const mutations = Object.keys(
      buildSchema(readDocument('schema.graphql')).getMutationType()?.getFields() ?? {},
    );
    const missing = mutations.filter((name) => !new RegExp(`\\bmutations\\.${name}\\b`).test(pages));
    const [, listed = ''] = readDocument('src/docs/use/console.md').split('Not in the console');
    expect(new Set(missing)).toEqual(new Set(inlineCode(listed)));
  });
});
