import { beforeAll, describe, expect, it } from 'vitest';

import type { Fields } from '../support/client.js';
import { answered, changed, nodeId, type Page } from '../support/dashboard.js';
import { fleet } from '../support/fleet.js';
import type { Member } from '../support/server.js';
import { softwareOf } from '../support/software.js';
import { useServer } from '../support/use-server.js';

const NOBODYS = 9e6;
const ERRORS = 'userErrors { message path code }';

/** One record of each type, owned by acme. */
interface Records {
  readonly Group: number;
  readonly LogicalNumber: number;
  readonly Device: number;
  readonly Parameter: number;
  readonly Metacontent: number;
  readonly App: number;
  readonly AppVersion: number;
}

async function fill({ client }: Member, suffix = ''): Promise<Records> {
  const Group = await fleet.group(client, `g${suffix}`);
  const software = softwareOf(client);
  const path = await software.app({ name: `a${suffix}` });
  const App = Number(path.split('/')[1]);
  const AppVersion = (await software.version(path, { group_ids: [Group] })).id as number;
  const more = { group_id: Group, app_version_ids: [AppVersion] };
  const LogicalNumber = await fleet.logicalNumber(client, `100${suffix}`, more);
  const Device = await fleet.device(client, `X${suffix}`, { logical_number_id: LogicalNumber });
  const selector = { number: `100${suffix}`, key: 'k' };
  const parameter = await client.post('parameters', { ...selector, value: 'v' });
  const metacontent = await client.post('metacontents', { ...selector, value: 1 });
  const idIn = (reply: typeof parameter, kind: string): number =>
    reply.record(`logical_number_${kind}`).id as number;
  return {
    ...{ Group, LogicalNumber, Device, App, AppVersion },
    ...{ Parameter: idIn(parameter, 'parameter'), Metacontent: idIn(metacontent, 'metacontent') },
  };
}

const server = useServer();
let foreign: Records;
let own: Records;
beforeAll(async () => {
  foreign = await fill(server.acme);
  own = await fill(server.beta, ' own');
});

/** All records of acme, read by acme. */
const SNAPSHOT = `{ groups { nodes { id name updatedAt } } logicalNumbers { nodes { id number updatedAt
    group { id } devices { nodes { id } } } }
  devices { nodes { id serialNumber enabled updatedAt logicalNumber { id } } }
  parameters { nodes { id key value updatedAt } } metacontents { nodes { id key value updatedAt } }
  apps { nodes { id name updatedAt } } appVersions { nodes { id number updatedAt app { id }
    groups { nodes { id } } logicalNumbers { nodes { id } } modules { nodes { id } } } } }`;

describe("another company's records in GraphQL", () => {
  it.each(['Group', 'LogicalNumber', 'Device', 'Parameter', 'Metacontent', 'App', 'AppVersion'] as const)(
    'AT-10 are nowhere to be found by the id of a %s',
    async (typeName) => {
      const field = typeName.charAt(0).toLowerCase() + typeName.slice(1);
      const query = `query ($id: ID!, $databaseId: Int!, $ids: [ID!]!) { a: ${field}(id: $id) { id }
        b: ${field}(databaseId: $databaseId) { id } node(id: $id) { id } nodes(ids: $ids) { id }
        ${field}s(filter: { id: { in: $ids } }) { totalCount nodes { id } } }`;
      const look = (databaseId: number): Promise<Fields> => {
        const id = nodeId(typeName, databaseId);
        return answered(server.beta, query, { id, databaseId, ids: [id] });
      };
      expect(await look(foreign[typeName])).toEqual(await look(NOBODYS));
      expect((await look(own[typeName])).a).not.toBeNull();
    },
  );

  it('AT-10 are not found by their names', async () => {
    expect(
      await answered(
        server.beta,
        `{ group(name: "g") { id } logicalNumber(number: "100") { id } device(serialNumber: "X") { id }
          app(name: "a.posxml") { id } }`,
      ),
    ).toEqual({ group: null, logicalNumber: null, device: null, app: null });
  });

  const change = (name: string, rest: string, field: string): string =>
    `mutation ($id: ID!) { ${name}(id: $id${rest}) { ${field} ${ERRORS} } }`;

  it.each<[keyof Records, string]>([
    ['Group', change('groupUpdate', ', input: { name: "mine" }', 'group { id }')],
    ['Group', change('groupDelete', '', 'deletedId')],
    ['LogicalNumber', change('logicalNumberUpdate', ', input: { number: "7" }', 'logicalNumber { id }')],
    ['LogicalNumber', change('logicalNumberDelete', '', 'deletedId')],
    ['LogicalNumber', change('logicalNumberMove', ', groupId: null', 'logicalNumber { id }')],
    ['LogicalNumber', change('logicalNumberSetAppVersions', ', appVersionIds: []', 'logicalNumber { id }')],
    ['Device', change('deviceUpdate', ', input: { enabled: false }', 'device { id }')],
    ['Device', change('deviceDelete', '', 'deletedId')],
    ['Device', change('deviceEnable', '', 'device { id }')],
    ['Device', change('deviceDisable', '', 'device { id }')],
    ['Device', change('deviceAssign', ', logicalNumberId: null', 'device { id }')],
    ['Parameter', change('parameterUpdate', ', input: { value: "7" }', 'parameter { id }')],
    ['Parameter', change('parameterDelete', '', 'deletedId')],
    ['Metacontent', change('metacontentUpdate', ', input: { value: 7 }', 'metacontent { id }')],
    ['Metacontent', change('metacontentDelete', '', 'deletedId')],
    ['App', change('appUpdate', ', input: { name: "7" }', 'app { id }')],
    ['App', change('appDelete', '', 'deletedId')],
    ['AppVersion', change('appVersionUpdate', ', input: { number: "7" }', 'appVersion { id }')],
    ['AppVersion', change('appVersionDelete', '', 'deletedId')],
    ['AppVersion', change('appVersionSetModules', ', moduleIds: []', 'appVersion { id }')],
    ['Group', change('groupAttachAppVersions', ', appVersionIds: []', 'group { id }')],
    ['Group', change('groupDetachAppVersions', ', appVersionIds: []', 'group { id }')],
    ['Group', change('groupSetDefaultAppVersions', ', appVersionIds: []', 'group { id }')],
  ])('AT-10 cannot be changed through a %s: %s', async (typeName, mutation) => {
    const before = await answered(server.acme, SNAPSHOT);
    const attempt = async (databaseId: number) =>
      (await server.beta.graphql(mutation, { id: nodeId(typeName, databaseId) })).text;
    const answer = await attempt(foreign[typeName]);
    const isAbout = (text: string): string => text.replace(/"requestId":"[^"]*"/g, '');
    expect(isAbout(answer)).toBe(isAbout(await attempt(NOBODYS)));
    expect(answer).toContain('"NOT_FOUND"');
    expect(await answered(server.acme, SNAPSHOT)).toEqual(before);
  });

  it.each<[keyof Records, string, () => Fields]>([
    [
      'Group',
      'mutation ($id: ID!, $ref: ID!) { logicalNumberMove(id: $id, groupId: $ref) PAYLOAD }',
      () => ({
        id: nodeId('LogicalNumber', own.LogicalNumber),
      }),
    ],
    [
      'Group',
      'mutation ($id: ID!, $ref: ID!) { logicalNumberUpdate(id: $id, input: { groupId: $ref }) PAYLOAD }',
      () => ({
        id: nodeId('LogicalNumber', own.LogicalNumber),
      }),
    ],
    [
      'Group',
      'mutation ($ref: ID!) { logicalNumberCreate(input: { number: "new", groupId: $ref }) PAYLOAD }',
      () => ({}),
    ],
    [
      'AppVersion',
      'mutation ($id: ID!, $ref: ID!) { logicalNumberSetAppVersions(id: $id, appVersionIds: [$ref]) PAYLOAD }',
      () => ({
        id: nodeId('LogicalNumber', own.LogicalNumber),
      }),
    ],
    [
      'AppVersion',
      'mutation ($id: ID!, $ref: ID!) { groupAttachAppVersions(id: $id, appVersionIds: [$ref]) PAYLOAD }',
      () => ({ id: nodeId('Group', own.Group) }),
    ],
    [
      'AppVersion',
      'mutation ($id: ID!, $ref: ID!) { groupDetachAppVersions(id: $id, appVersionIds: [$ref]) PAYLOAD }',
      () => ({ id: nodeId('Group', own.Group) }),
    ],
    [
      'AppVersion',
      'mutation ($id: ID!, $ref: ID!) { appVersionSetModules(id: $id, moduleIds: [$ref]) PAYLOAD }',
      () => ({ id: nodeId('AppVersion', own.AppVersion) }),
    ],
    [
      'AppVersion',
      'mutation ($id: ID!, $ref: ID!) { appVersionCreate(input: { appId: $id, number: "new", baseVersionId: $ref }) PAYLOAD }',
      () => ({ id: nodeId('App', own.App) }),
    ],
    [
      'Group',
      'mutation ($id: ID!, $ref: ID!) { appVersionUpdate(id: $id, input: { groupIds: [$ref] }) PAYLOAD }',
      () => ({ id: nodeId('AppVersion', own.AppVersion) }),
    ],
    [
      'App',
      'mutation ($ref: ID!) { appVersionCreate(input: { appId: $ref, number: "new" }) PAYLOAD }',
      () => ({}),
    ],
    [
      'LogicalNumber',
      'mutation ($id: ID!, $ref: ID!) { deviceAssign(id: $id, logicalNumberId: $ref) PAYLOAD }',
      () => ({
        id: nodeId('Device', own.Device),
      }),
    ],
    [
      'LogicalNumber',
      'mutation ($ref: ID!) { deviceCreate(input: { serialNumber: "new", logicalNumberId: $ref }) PAYLOAD }',
      () => ({}),
    ],
    [
      'Group',
      'mutation ($ref: ID!) { parameterCreate(input: { owner: { groupId: $ref }, key: "new", value: "v" }) PAYLOAD }',
      () => ({}),
    ],
    [
      'LogicalNumber',
      'mutation ($ref: ID!) { metacontentCreate(input: { owner: { logicalNumberId: $ref }, key: "new", value: 1 }) PAYLOAD }',
      () => ({}),
    ],
    [
      'Group',
      'mutation ($ref: ID!) { parameterBulkSet(rows: [{ owner: { groupId: $ref }, key: "k", value: "v" }]) { results { PROBLEMS } } }',
      () => ({}),
    ],
  ])('AT-11 of type %s cannot be referenced: %s', async (typeName, mutation, variables) => {
    const before = [await answered(server.acme, SNAPSHOT), await answered(server.beta, SNAPSHOT)];
    const query = mutation.replace('PAYLOAD', `{ ${ERRORS} }`).replace('PROBLEMS', ERRORS);
    const attempt = async (databaseId: number): Promise<string> =>
      JSON.stringify(
        await changed(server.beta, query, { ...variables(), ref: nodeId(typeName, databaseId) }),
      ).replaceAll(/not \d+/g, 'not N');
    const answer = await attempt(foreign[typeName]);
    expect(answer).toBe(await attempt(NOBODYS));
    expect(answer).toMatch(/"(NOT_FOUND|INVALID)"/);
    expect([await answered(server.acme, SNAPSHOT), await answered(server.beta, SNAPSHOT)]).toEqual(before);
  });

  it('AT-12 may have the same names; each company changes its own', async () => {
    const twin = await fill(server.beta);
    const names =
      '{ group(name: "g") { id } logicalNumber(number: "100") { id } device(serialNumber: "X") { id } }';
    expect(await answered(server.beta, names)).toEqual({
      group: { id: nodeId('Group', twin.Group) },
      logicalNumber: { id: nodeId('LogicalNumber', twin.LogicalNumber) },
      device: { id: nodeId('Device', twin.Device) },
    });
    const before = await answered(server.acme, SNAPSHOT);
    const bulk = `mutation ($owner: OwnerInput!) {
      parameterBulkSet(rows: [{ owner: $owner, key: "k", value: "of beta" }]) { count } }`;
    const owner = { logicalNumberId: nodeId('LogicalNumber', twin.LogicalNumber) };
    expect(await changed(server.beta, bulk, { owner })).toEqual({ count: 1 });
    const remove = 'mutation ($id: ID!) { deviceDelete(id: $id) { deletedId } }';
    await changed(server.beta, remove, { id: nodeId('Device', twin.Device) });
    expect(await answered(server.acme, SNAPSHOT)).toEqual(before);
  });

  it('AT-13 are not counted in lists, pages or summaries', async () => {
    const { client } = server.acme;
    for (let n = 0; n < 40; n += 1) await fleet.device(client, `ACME ${n}`, { enabled: false });
    const seen = await answered<{ devices: Page<Fields>; disabled: Page<Fields>; deviceSummary: Fields }>(
      server.beta,
      `{ devices(first: 100) { totalCount nodes { serialNumber createdBy { databaseId } } }
        disabled: devices(filter: { not: { enabled: { eq: true } } }) { totalCount nodes { id } }
        deviceSummary { total disabled } }`,
    );
    const { databaseId } = { databaseId: server.beta.caller.userId };
    expect(seen).toEqual({
      devices: { totalCount: 1, nodes: [{ serialNumber: 'X own', createdBy: { databaseId } }] },
      disabled: { totalCount: 0, nodes: [] },
      deviceSummary: { total: 1, disabled: 0 },
    });
  });
});
