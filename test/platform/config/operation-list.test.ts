import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { readConfig } from '../../../src/platform/config/config.js';
import { operationHash } from '../../../src/platform/config/parsing.js';
import { removeFolder, scratchFolder } from '../../support/scratch.js';

const QUERY = '{ viewer { role } }';

describe('GraphQL settings', () => {
  let folder: string;
  beforeAll(() => {
    folder = scratchFolder();
  });
  afterAll(() => removeFolder(folder));
  const fileWith = (content: string): string => {
    const file = join(folder, `${crypto.randomUUID()}.json`);
    writeFileSync(file, content);
    return file;
  };

  it('default to no development mode and no allow-list', () => {
    const { graphqlDevelopment, graphqlAllowList } = readConfig({});
    expect([graphqlDevelopment, graphqlAllowList]).toEqual([false, null]);
    expect(readConfig({ GRAPHQL_DEVELOPMENT: '1' }).graphqlDevelopment).toBe(true);
  });

  it.each([
    ['a list of documents', JSON.stringify([QUERY])],
    ['an object by hash', JSON.stringify({ [operationHash(QUERY)]: QUERY })],
    ['hashes in upper case', JSON.stringify({ [operationHash(QUERY).toUpperCase()]: QUERY })],
  ])('accept %s as the allow-list', (_what, content) => {
    const { graphqlAllowList } = readConfig({ GRAPHQL_ALLOW_LIST: fileWith(content) });
    expect([...(graphqlAllowList ?? [])]).toEqual([[operationHash(QUERY), QUERY]]);
  });

  it.each<[string, string, RegExp]>([
    ['GRAPHQL_DEVELOPMENT', 'yes', /GRAPHQL_DEVELOPMENT: must be 0 or 1/],
    ['GRAPHQL_ALLOW_LIST', '/nowhere/list.json', /cannot be read \(the folder \/nowhere does not exist\)/],
  ])('%s=%s is refused', (name, value, message) => {
    expect(() => readConfig({ [name]: value })).toThrow(message);
  });

  it.each<[string, RegExp]>([
    ['{', /JSON/],
    ['7', /must hold a JSON list of documents/],
    ['null', /must hold a JSON list of documents/],
    ['[7]', /must hold a JSON list of documents/],
    [JSON.stringify({ abc: QUERY }), /"abc" is not the SHA-256 of its document/],
  ])('an allow-list file with the content %j is refused', (content, message) => {
    expect(() => readConfig({ GRAPHQL_ALLOW_LIST: fileWith(content) })).toThrow(message);
  });
});
