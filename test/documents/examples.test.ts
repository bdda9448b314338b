import { buildSchema, parse, validate } from 'graphql';
import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

import { DOCUMENT } from '../support/openapi-check.js';
import { readDocument, ROOT } from './markdown.js';

const DOCUMENTS = ['README.md', ...readdirSync(`${ROOT}src/docs`).map((name) => `src/docs/${name}`)];
const SCHEMA = buildSchema(readDocument('schema.graphql'));

/** GraphQL documents: in `"query":"…"`, in blocks of GraphQL, and in template strings of TypeScript. */
function operationsIn(text: string): readonly string[] {
  const inJson = Array.from(
    text.matchAll(/"query":("(?:[^"\\]|\\.)*")/g),
    ([, json = '']) => JSON.parse(json) as string,
  );
  const blocks = Array.from(text.matchAll(/^```graphql\n([^]*?)^```/gm), ([, block = '']) => block);
  const templates = Array.from(
    text.matchAll(/`\s*((?:query|mutation|subscription) [^`]*\{[^`]*\}\s*)`/g),
    ([, operation = '']) => operation,
  );
  return [...inJson, ...blocks, ...templates];
}

/** Paths below `/v1`, `/terminal/v1` and `/ingest/v1`; not that of the collector of traces. */
function pathsIn(text: string): readonly string[] {
  return text.match(/(?<!:4318)\/(?:terminal\/|ingest\/)?v1\/[\w/{}%.-]*[\w}](?:\/\$1)?/g) ?? [];
}

const known = Object.keys(DOCUMENT.paths).map(
  (path) => new RegExp(`^${path.replaceAll('.', '[.]').replace(/\{[^}]+\}/g, '[^/]+')}$`),
);

describe('examples in documents for users', () => {
  it.each(DOCUMENTS)('%s: the GraphQL operations are valid', (document) => {
    for (const operation of operationsIn(readDocument(document))) {
      expect([operation, validate(SCHEMA, parse(operation)).map(({ message }) => message)]).toEqual([
        operation,
        [],
      ]);
    }
  });

  it.each(DOCUMENTS)('%s: the paths of REST are documented', (document) => {
    const paths = pathsIn(readDocument(document));
    expect(paths.filter((path) => !known.some((pattern) => pattern.test(path)))).toEqual([]);
  });

  it('are found', () => {
    const all = DOCUMENTS.map(readDocument).join('\n');
    expect(operationsIn(all).length).toBeGreaterThan(20);
    expect(pathsIn(all).length).toBeGreaterThan(20);
  });
});
