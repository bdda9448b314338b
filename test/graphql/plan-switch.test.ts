import { beforeAll, describe, expect, it } from 'vitest';

import { fleet, softwareOf } from '../support/fleet.js';
import { type TestServer, useServer } from '../support/server.js';

const QUERIES = {
  planned:
    '{ groups(first: 5) { nodes { name logicalNumbers(first: 5) { nodes { number appVersions { nodes { number } } } } } } }',
  partly_planned: '{ groups(first: 5) { totalCount nodes { name } } viewer { role } }',
  executed: '{ viewer { role } }',
} as const;

/** Queries by how they were read, from the metrics. */
async function countsOf(server: TestServer): Promise<Record<string, number>> {
  const { text } = await server.anonymous.get('/metrics');
  const counts = text.matchAll(/^graphql_queries_total\{reading="(\w+)"\} (\d+)$/gm);
  return Object.fromEntries(Array.from(counts, ([, reading = '', count]) => [reading, Number(count)]));
}

const server = useServer();
const without = useServer({ graphqlPlans: false });
beforeAll(async () => {
  for (const { client } of [server.acme, without.acme]) {
    const group = await fleet.group(client, 'north');
    const software = softwareOf(client);
    const version = await software.version(await software.app(), { number: '1.0', group_ids: [group] });
    for (const number of ['1', '2']) {
      await fleet.logicalNumber(client, number, { group_id: group, app_version_ids: [version.id] });
    }
  }
});

describe('queries with plans and without', () => {
  it.each(Object.entries(QUERIES))('one that is %s gets the same response', async (_reading, query) => {
    const data = async (of: TestServer): Promise<unknown> => (await of.acme.graphql(query)).body.data;
    expect(await data(server)).toEqual(await data(without));
  });

  it('are counted by how they were read', async () => {
    expect(await countsOf(server)).toEqual({ planned: 1, partly_planned: 1, executed: 1 });
    expect(await countsOf(without)).toEqual({ executed: 3 });
  });

  it('are executed by the resolvers after a fault of a plan, which is counted and logged', async () => {
    let hasFailed = false;
    const unwatch = server.app.database.watchStatements((text) => {
      if (hasFailed || !text.includes('from "groups"')) return undefined;
      hasFailed = true;
      throw new TypeError('A fault of the plan.');
    });
    const { body } = await server.acme.graphql(QUERIES.planned);
    unwatch();
    expect(body.errors).toBeUndefined();
    expect(body.data).toEqual((await without.acme.graphql(QUERIES.planned)).body.data);
    expect(await countsOf(server)).toMatchObject({ failed: 1 });
    const faults = server.logs.filter((line) => line.includes('unexpected error'));
    expect(faults).toEqual([expect.stringContaining('A fault of the plan.')]);
  });
});
