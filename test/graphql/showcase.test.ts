import { ApolloClient, HttpLink, InMemoryCache } from '@apollo/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { createDemo } from '../../src/demo/demo.js';
import { changeCompany } from '../../src/domain/people/company/company.service.js';
import { graphql } from '../gql/gql.js';
import type { ShowcaseQuery } from '../gql/graphql.js';
import { createClient, type Client, type Fields } from '../support/client.js';
import { testConfig } from '../support/config.js';
import { useServer } from '../support/server.js';

/** The query of a dashboard of the whole fleet. */
const Showcase = graphql(`
  query Showcase {
    groups(first: 10) {
      totalCount
      nodes {
        name
        logicalNumbers(first: 20) {
          totalCount
          nodes {
            number
            appVersions(first: 5) {
              nodes {
                number
                app {
                  name
                }
                files(first: 3) {
                  nodes {
                    name
                    crc
                    size
                  }
                }
              }
            }
          }
        }
      }
    }
  }
`);

const server = useServer();
let token: string;
let client: Client;
let apollo: ApolloClient;
beforeAll(async () => {
  // The companies of the demo have the same names.
  for (const { caller } of [server.acme, server.beta]) {
    const name = `Company ${caller.companyId} of the test`;
    await server.app.units.write(caller, (work) => changeCompany(work, { name }));
  }
  const tokenSecret = testConfig(server.place.url).tokenSecret ?? '';
  ({ token } = await createDemo(server.app.database, server.clock, { seed: 3, tokenSecret }));
  client = createClient(server.url, token);
  apollo = new ApolloClient({
    cache: new InMemoryCache(),
    link: new HttpLink({ uri: `${server.url}/graphql`, headers: { authorization: `Bearer ${token}` } }),
  });
});
afterAll(() => {
  apollo.stop();
});

/** Sends the query again without the cache. */
async function showcase(): Promise<ShowcaseQuery> {
  const { data } = await apollo.query({ query: Showcase, fetchPolicy: 'no-cache' });
  if (data === undefined) throw new Error('Nothing was answered');
  return data;
}

/** All records of a REST list. */
async function all(path: string, wrapper: string, record: string): Promise<Fields[]> {
  const pages: Fields[] = [];
  for (let page = 1; ; page += 1) {
    const reply = await client.get(path, undefined, { query: { page, per_page: 100 } });
    const records = reply.list(wrapper).map((each) => (each[record] as Fields | undefined) ?? each);
    pages.push(...records);
    if (records.length < 100) return pages;
  }
}

describe('a whole fleet in one operation, with Apollo Client and generated types', () => {
  it('takes one statement for each level and one for the counts of a level', async () => {
    await showcase();
    const { statements } = await server.statements(showcase);
    expect(statements).toHaveLength(7);
  });

  it('shows the same values as REST', async () => {
    const { groups } = await showcase();
    const numbers = await all('logical_numbers', 'logical_numbers', 'logical_number');
    const known = await all('groups', 'groups', 'group');
    expect(groups.totalCount).toBe(known.length);
    expect(groups.nodes.map(({ name }) => name)).toEqual(known.slice(0, 10).map(({ name }) => name));
    for (const [index, { logicalNumbers }] of groups.nodes.entries()) {
      const own = numbers.filter((number) => number.group_id === known[index]?.id);
      expect(logicalNumbers.totalCount).toBe(own.length);
      expect(logicalNumbers.nodes.map(({ number }) => number)).toEqual(
        own.slice(0, 20).map(({ number }) => number),
      );
      for (const [place, { appVersions }] of logicalNumbers.nodes.entries()) {
        const ids = own[place]?.app_version_ids as number[];
        expect(appVersions.nodes).toHaveLength(Math.min(ids.length, 5));
      }
    }
    const versions = groups.nodes.flatMap(({ logicalNumbers }) =>
      logicalNumbers.nodes.flatMap(({ appVersions }) => appVersions.nodes),
    );
    const files = versions.flatMap((version) => version.files.nodes);
    expect(files.length).toBeGreaterThan(50);
    expect(new Set(versions.map(({ app }) => app.name)).size).toBeGreaterThan(2);
    const shown = await all('files', 'files', 'file');
    for (const { name, crc, size } of files) {
      expect(shown.find((file) => file.name === name)).toMatchObject({ crc, size });
    }
  });
});
