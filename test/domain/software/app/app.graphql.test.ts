import { beforeAll, describe, expect, it } from 'vitest';

import { answered, listed } from '../../../support/dashboard.js';
import { softwareOf } from '../../../support/fleet.js';
import { expectRefused, mutationOf } from '../../../support/mutations.js';
import { useServer, type Fields } from '../../../support/server.js';

const server = useServer();

describe('an app in GraphQL', () => {
  it.each([
    ['a name that has no room for its suffix', 'name', 'n'.repeat(255)],
    ['null for its kind', 'kind', null],
    ['null for its format', 'communicationFormat', null],
  ])('is refused in userErrors with %s', async (_case, field, value) => {
    const input = { name: 'x', [field]: value };
    await expectRefused(server.acme, 'appCreate', { input }, `INVALID input.${field}`);
  });

  it('GQ-13 is refused with an unknown kind', async () => {
    const input = { name: 'x', kind: 'module' };
    const { status, body } = await server.acme.graphql(mutationOf('appCreate'), { input });
    expect([status, body.errors?.[0]?.extensions.code]).toEqual([400, 'BAD_USER_INPUT']);
  });
});

describe('the list of apps', () => {
  beforeAll(async () => {
    const software = softwareOf(server.beta.client);
    await software.app({ name: 'b', kind: 'module' });
    await software.app({ name: 'c', communication_format: 'iso8583' });
    await software.app({ name: 'a.rb' });
  });

  it.each<[Fields, string[]]>([
    [{}, ['b.posxml', 'c.posxml', 'a.rb']],
    [{ orderBy: { field: 'NAME' } }, ['a.rb', 'b.posxml', 'c.posxml']],
    [{ orderBy: { field: 'ID', direction: 'DESC' } }, ['a.rb', 'c.posxml', 'b.posxml']],
    [{ orderBy: { field: 'UPDATED_AT' } }, ['b.posxml', 'c.posxml', 'a.rb']],
    [{ filter: { kind: { eq: 'MODULE' } } }, ['b.posxml']],
    [{ filter: { communicationFormat: { in: ['ISO8583', 'ISO20022'] } } }, ['c.posxml']],
    [{ filter: { language: { eq: 'RUBY' } } }, ['a.rb']],
    [{ filter: { not: { language: { eq: 'RUBY' } } } }, ['b.posxml', 'c.posxml']],
    [{ filter: { name: { startsWith: 'c.' } } }, ['c.posxml']],
    [{ filter: { createdAt: { lt: '2001-01-01T00:00:00Z' } } }, []],
  ])('is ordered and narrowed by %j', async (variables, expected) => {
    expect(await listed(server.beta, 'App', 'name', variables)).toEqual(expected);
  });

  it('has the versions of each app in the given order', async () => {
    const software = softwareOf(server.beta.client);
    const path = await software.app({ name: 'versioned' });
    for (const number of ['1.0', '1.2', '1.1']) await software.version(path, { number });
    const { app } = await answered(
      server.beta,
      `{ app(name: "versioned.posxml") {
        all: versions { totalCount nodes { number } }
        newest: versions(first: 2, orderBy: { field: NUMBER, direction: DESC }) { nodes { number } }
        one: versions(filter: { number: { eq: "1.1" } }) { totalCount nodes { number app { name } } } } }`,
    );
    const of = (...numbers: string[]) => numbers.map((number) => ({ number }));
    expect(app).toEqual({
      all: { totalCount: 3, nodes: of('1.0', '1.2', '1.1') },
      newest: { nodes: of('1.2', '1.1') },
      one: { totalCount: 1, nodes: [{ number: '1.1', app: { name: 'versioned.posxml' } }] },
    });
  });
});
