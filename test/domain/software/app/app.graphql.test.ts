import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import type { Fields } from '../../../support/client.js';
import { answered, changed, nodeId, refused, statementsFor, type Page } from '../../../support/dashboard.js';
import { ledgerOf } from '../../../support/fleet.js';
import { startServer, type TestServer } from '../../../support/server.js';
import { softwareOf, unique } from '../../../support/software.js';

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(async () => {
  await server.stop();
});

const FIELDS =
  'id databaseId name description communicationFormat kind language createdVia createdBy { databaseId }';
const ERRORS = 'userErrors { message path code }';
const PAYLOAD = `{ app { ${FIELDS} } ${ERRORS} }`;
const CREATE = `mutation ($input: AppCreateInput!) { appCreate(input: $input) ${PAYLOAD} }`;
const UPDATE = `mutation ($id: ID!, $input: AppUpdateInput!) { appUpdate(id: $id, input: $input) ${PAYLOAD} }`;
const DELETE = `mutation ($id: ID!) { appDelete(id: $id) { deletedId ${ERRORS} } }`;

interface AppFields extends Fields {
  readonly id: string;
  readonly databaseId: number;
}

async function create(input: Fields): Promise<AppFields> {
  const { app, userErrors } = await changed<{ app: AppFields; userErrors: unknown[] }>(server.acme, CREATE, {
    input,
  });
  expect(userErrors).toEqual([]);
  return app;
}

describe('an app in GraphQL', () => {
  it('is created with the given fields and found by each of its keys', async () => {
    const { acme } = server;
    const app = await create({
      ...{ name: 'sale.rb', description: 'Sells.', communicationFormat: 'ISO20022', kind: 'MODULE' },
      language: 'RUBY',
    });
    const { id, databaseId } = app;
    expect(app).toEqual({
      ...{ id: nodeId('App', databaseId), databaseId, name: 'sale.rb', description: 'Sells.' },
      ...{ communicationFormat: 'ISO20022', kind: 'MODULE', language: 'RUBY', createdVia: 'API' },
      createdBy: { databaseId: acme.caller.userId },
    });
    const found = await answered(
      acme,
      `query ($id: ID!, $databaseId: Int!) { a: app(id: $id) { ${FIELDS} }
        b: app(databaseId: $databaseId) { ${FIELDS} } c: app(name: "sale.rb") { ${FIELDS} }
        node(id: $id) { ... on App { ${FIELDS} } } }`,
      { id, databaseId },
    );
    expect(found).toEqual({ a: app, b: app, c: app, node: app });
    expect((await acme.client.get(`apps/${databaseId}`)).record('app')).toMatchObject({
      communication_format: 'iso20022',
      kind: 'module',
      language: 'ruby',
    });
  });

  it('is created with defaults; a POSXML name gets its suffix, a Ruby name is kept', async () => {
    expect(await create({ name: 'plain' })).toMatchObject({
      ...{ name: 'plain.posxml', description: null, communicationFormat: 'HTTP', kind: 'STANDARD' },
      language: 'POSXML',
    });
    expect(await create({ name: 'told.RB' })).toMatchObject({ name: 'told.RB', language: 'RUBY' });
    expect(await create({ name: 'bare', language: 'RUBY' })).toMatchObject({
      name: 'bare',
      language: 'RUBY',
    });
  });

  it('keeps absent fields and clears fields that are null', async () => {
    const { id } = await create({ name: 'kept', description: 'Stays.', communicationFormat: 'ISO8583' });
    const update = async (input: Fields) => await changed(server.acme, UPDATE, { id, input });
    const kept = { communicationFormat: 'ISO8583', kind: 'STANDARD' };
    expect(await update({})).toMatchObject({
      app: { name: 'kept.posxml', description: 'Stays.', ...kept },
      userErrors: [],
    });
    expect(await update({ language: 'RUBY' })).toMatchObject({
      app: { name: 'kept', language: 'RUBY', description: 'Stays.', ...kept },
    });
    expect(await update({ description: null, kind: 'MODULE' })).toMatchObject({
      app: { name: 'kept', description: null, communicationFormat: 'ISO8583', kind: 'MODULE' },
    });
    for (const field of ['name', 'communicationFormat', 'kind', 'language']) {
      expect(await update({ [field]: null })).toMatchObject({
        app: null,
        userErrors: [{ path: ['input', field], code: 'INVALID' }],
      });
    }
  });

  it('stays a module while its versions are parts of others', async () => {
    const software = softwareOf(server.acme.client);
    const { id, databaseId } = await create({ name: 'library', kind: 'MODULE' });
    const module = await software.version(`apps/${databaseId}/versions`);
    await software.version(await software.app(), { module_ids: [module.id] });
    const input = { kind: 'STANDARD' };
    expect(await changed(server.acme, UPDATE, { id, input })).toMatchObject({
      app: null,
      userErrors: [{ path: ['input', 'kind'], code: 'INVALID' }],
    });
  });

  it('is deleted with its versions, each with an entry in the ledger', async () => {
    const { acme } = server;
    const { id, databaseId } = await create({ name: 'gone' });
    const version = await softwareOf(acme.client).version(`apps/${databaseId}/versions`);
    expect(await changed(acme, DELETE, { id })).toEqual({ deletedId: id, userErrors: [] });
    expect(
      await answered(acme, 'query ($v: ID!) { app(name: "gone.posxml") { id } appVersion(id: $v) { id } }', {
        v: nodeId('AppVersion', version.id as number),
      }),
    ).toEqual({ app: null, appVersion: null });
    expect((await ledgerOf(server, acme, 'app', databaseId)).map(({ action }) => action)).toEqual([
      'create',
      'delete',
    ]);
    for (const missing of [id, nodeId('Group', databaseId), 'nonsense']) {
      expect(await changed(acme, DELETE, { id: missing })).toMatchObject({
        deletedId: null,
        userErrors: [{ message: 'No such app.', path: ['id'], code: 'NOT_FOUND' }],
      });
    }
  });

  it.each([
    ['a name that exists', { name: 'known' }, 'name', 'TAKEN'],
    ['no name', { name: '' }, 'name', 'INVALID'],
    ['a name that has no room for its suffix', { name: 'n'.repeat(255) }, 'name', 'INVALID'],
    ['a kind of null', { name: 'x', kind: null }, 'kind', 'INVALID'],
    ['a long description', { name: 'x', description: 'd'.repeat(4_001) }, 'description', 'INVALID'],
  ])('is refused in userErrors with %s', async (_case, input, field, code) => {
    await server.acme.client.post('apps', { name: 'known' });
    const { app, userErrors } = await changed(server.acme, CREATE, { input });
    expect(app).toBeNull();
    expect(userErrors).toMatchObject([{ path: ['input', field], code }]);
  });

  it('GQ-13 is refused with an unknown kind', async () => {
    const { status, body } = await server.acme.graphql(CREATE, { input: { name: 'x', kind: 'module' } });
    expect(status).toBe(400);
    expect(body.errors?.[0]?.extensions.code).toBe('BAD_USER_INPUT');
  });

  it('can be read but not changed by viewers', async () => {
    const viewer = await server.member('acme', 'viewer');
    const { id } = await create({ name: 'looked at' });
    expect(await answered(viewer, '{ app(name: "looked at.posxml") { kind } }')).toEqual({
      app: { kind: 'STANDARD' },
    });
    for (const [mutation, variables] of [
      [CREATE, { input: { name: 'V' } }],
      [UPDATE, { id, input: {} }],
      [DELETE, { id }],
    ] as const) {
      expect((await refused(viewer, mutation, variables)).code).toBe('FORBIDDEN');
    }
  });
});

describe('the list of apps', () => {
  const LIST = `query ($first: Int, $filter: AppFilter, $orderBy: AppOrder) {
    apps(first: $first, filter: $filter, orderBy: $orderBy) { totalCount nodes { name }
      pageInfo { hasNextPage } } }`;
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
    const { apps } = await answered<{ apps: Page<{ name: string }> }>(server.beta, LIST, variables);
    expect(apps.nodes.map(({ name }) => name)).toEqual(expected);
    expect(apps.totalCount).toBe(expected.length);
  });

  it('is read page by page', async () => {
    const variables = { first: 2, orderBy: { field: 'NAME' } };
    expect(await answered(server.beta, LIST, variables)).toEqual({
      apps: {
        totalCount: 3,
        nodes: [{ name: 'a.rb' }, { name: 'b.posxml' }],
        pageInfo: { hasNextPage: true },
      },
    });
  });

  it('takes one statement for each level and one for its counts, for any number of apps', async () => {
    const member = await server.member('beta', 'operator');
    const query = `{ apps(first: 50) { totalCount nodes { name createdBy { name }
      versions(first: 3, orderBy: { field: NUMBER, direction: DESC }) { totalCount nodes { number
        app { name } } } } } }`;
    const software = softwareOf(member.client);
    await software.version(await software.app());
    const few = await statementsFor(server, member, query);
    for (let n = 0; n < 12; n += 1) {
      const path = await software.app();
      for (let m = 0; m < 4; m += 1) await software.version(path, { number: unique() });
    }
    const many = await statementsFor(server, member, query);
    expect(many).toHaveLength(few.length);
    expect(many).toHaveLength(7);
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
