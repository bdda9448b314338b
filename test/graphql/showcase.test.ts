import { ApolloClient, HttpLink, InMemoryCache } from '@apollo/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { createDemo } from '../../src/demo/demo.js';
import { changeCompany } from '../../src/domain/people/company/company.service.js';
import { graphql } from '../gql/gql.js';
import type { ShowcaseQuery } from '../gql/graphql.js';
import { createClient, type Client } from '../support/client.js';
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

describe('a whole fleet in one operation, with Apollo Client and generated types', () => {
  it('takes one statement for each level and one for the counts of a level', async () => {
    await showcase();
    const { statements } = await server.statements(showcase);
    expect(statements).toHaveLength(7);
  });

  it('shows the same values as REST', async () => {
    const list = async (path: string) =>
      (await client.get(path, undefined, { query: { per_page: 100 } })).list(path);
    const [{ groups }, known, numbers, shown] = await Promise.all([
      showcase(),
      list('groups'),
      list('logical_numbers'),
      list('files'),
    ]);
    expect(groups.totalCount).toBe(known.length);
    expect(groups.nodes.map(({ name }) => name)).toEqual(known.slice(0, 10).map(({ name }) => name));
    const all = groups.nodes.flatMap(({ logicalNumbers }) => logicalNumbers.nodes);
    const seen = numbers.filter(({ number }) => all.some((each) => each.number === number));
    expect(seen.length).toBeGreaterThan(50);
    for (const { number, app_version_ids: ids, group_id: groupId } of seen) {
      const { name } = known.find(({ id }) => id === groupId) ?? {};
      const own = groups.nodes.find((group) => group.name === name)?.logicalNumbers.nodes ?? [];
      const versions = own.find((each) => each.number === number)?.appVersions.nodes;
      expect(versions).toHaveLength(Math.min((ids as number[]).length, 5));
    }
    const files = all.flatMap(({ appVersions }) =>
      appVersions.nodes.flatMap((version) => version.files.nodes),
    );
    expect(files.length).toBeGreaterThan(50);
    for (const { name, crc, size } of files) {
      expect(shown.find((file) => file.name === name)).toMatchObject({ crc, size });
    }
  });
});
