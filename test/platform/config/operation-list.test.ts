import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { readConfig } from '../../../src/platform/config/config.js';
import { operationHash } from '../../../src/platform/config/operation-list.js';
import { removeFolder, scratchFolder } from '../../support/database.js';

const QUERY = '{ viewer { role } }';

describe('the settings of GraphQL', () => {
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

  it('are closed and without a list unless told otherwise', () => {
    const { graphqlDevelopment, graphqlAllowList } = readConfig({});
    expect([graphqlDevelopment, graphqlAllowList]).toEqual([false, null]);
    expect(readConfig({ GRAPHQL_DEVELOPMENT: '1' }).graphqlDevelopment).toBe(true);
  });

  it.each([
    ['a list of documents', JSON.stringify([QUERY])],
    ['an object by hash', JSON.stringify({ [operationHash(QUERY)]: QUERY })],
    ['hashes in capitals', JSON.stringify({ [operationHash(QUERY).toUpperCase()]: QUERY })],
  ])('take %s as the only operations', (_what, content) => {
    const { graphqlAllowList } = readConfig({ GRAPHQL_ALLOW_LIST: fileWith(content) });
    expect([...(graphqlAllowList ?? [])]).toEqual([[operationHash(QUERY), QUERY]]);
  });

  it.each<[string, string, RegExp]>([
    ['GRAPHQL_DEVELOPMENT', 'yes', /GRAPHQL_DEVELOPMENT: must be 0 or 1/],
    ['GRAPHQL_ALLOW_LIST', '/nowhere/list.json', /cannot be read \(ENOENT\)/],
  ])('%s is refused as %s', (name, value, message) => {
    expect(() => readConfig({ [name]: value })).toThrow(message);
  });

  it.each<[string, RegExp]>([
    ['{', /JSON/],
    ['7', /must hold a JSON list of documents/],
    ['null', /must hold a JSON list of documents/],
    ['[7]', /must hold a JSON list of documents/],
    [JSON.stringify({ abc: QUERY }), /"abc" is not the SHA-256 of its document/],
  ])('a list that holds %j is refused', (content, message) => {
    expect(() => readConfig({ GRAPHQL_ALLOW_LIST: fileWith(content) })).toThrow(message);
  });
});
