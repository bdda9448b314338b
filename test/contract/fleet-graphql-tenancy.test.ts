import { beforeAll, describe, expect, it } from 'vitest';

import { EXPORTS } from '../../src/app/graphql/export-lists.js';
import { answered, changed, nodeId } from '../support/dashboard.js';
import { exported } from '../support/export.js';
import { createSampleRecords, type SampleRecords, type SampleType } from '../support/sample-records.js';
import { useServer, type Fields } from '../support/server.js';

const NOBODYS = 9e6;
const ERRORS = 'userErrors { message path code }';

const server = useServer();
let foreign: SampleRecords['ids'];
let own: SampleRecords['ids'];
beforeAll(async () => {
  ({ ids: foreign } = await createSampleRecords(server, server.acme));
  ({ ids: own } = await createSampleRecords(server, server.beta, 'own'));
});

const BY_NAME = `{ group(name: "sample group") { id } logicalNumber(number: "sample number") { id }
  device(serialNumber: "sample serial") { id } }`;

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
    const nothing = { group: null, logicalNumber: null, device: null };
    expect(await answered(server.beta, BY_NAME)).toEqual(nothing);
    expect(await answered(server.beta, '{ app(name: "sample app.posxml") { id } }')).toEqual({ app: null });
  });

  it.each(Object.keys(EXPORTS).filter((list) => !['unknown_terminals', 'jobs'].includes(list)))(
    'AT-10 are in no export of %s',
    async (list) => {
      expect((await exported(server.acme, list)).text).toMatch(/sample|acme/i);
      const reply = await exported(server.beta, list);
      expect(reply.totals.count).toBeGreaterThan(0);
      expect(reply.text).not.toMatch(/sample|acme/i);
    },
  );

  it.each<[SampleType, string]>([
    ['Group', 'groupUpdate(id: $id, input: { name: "mine" }) { group { id } }'],
    ['Group', 'groupDelete(id: $id) { deletedId }'],
    ['LogicalNumber', 'logicalNumberUpdate(id: $id, input: { number: "7" }) { logicalNumber { id } }'],
    ['LogicalNumber', 'logicalNumberDelete(id: $id) { deletedId }'],
    ['LogicalNumber', 'logicalNumberMove(id: $id, groupId: null) { logicalNumber { id } }'],
    ['LogicalNumber', 'logicalNumberSetAppVersions(id: $id, appVersionIds: []) { logicalNumber { id } }'],
    ['Device', 'deviceUpdate(id: $id, input: { enabled: false }) { device { id } }'],
    ['Device', 'deviceDelete(id: $id) { deletedId }'],
    ['Device', 'deviceEnable(id: $id) { device { id } }'],
    ['Device', 'deviceDisable(id: $id) { device { id } }'],
    ['Device', 'deviceAssign(id: $id, logicalNumberId: null) { device { id } }'],
    ['Parameter', 'parameterUpdate(id: $id, input: { value: "7" }) { parameter { id } }'],
    ['Parameter', 'parameterDelete(id: $id) { deletedId }'],
    ['Metacontent', 'metacontentUpdate(id: $id, input: { value: 7 }) { metacontent { id } }'],
    ['Metacontent', 'metacontentDelete(id: $id) { deletedId }'],
    ['App', 'appUpdate(id: $id, input: { name: "7" }) { app { id } }'],
    ['App', 'appDelete(id: $id) { deletedId }'],
    ['AppVersion', 'appVersionUpdate(id: $id, input: { number: "7" }) { appVersion { id } }'],
    ['AppVersion', 'appVersionDelete(id: $id) { deletedId }'],
    ['AppVersion', 'appVersionSetModules(id: $id, moduleIds: []) { appVersion { id } }'],
    ['Group', 'groupAttachAppVersions(id: $id, appVersionIds: []) { group { id } }'],
    ['Group', 'groupDetachAppVersions(id: $id, appVersionIds: []) { group { id } }'],
    ['Group', 'groupSetDefaultAppVersions(id: $id, appVersionIds: []) { group { id } }'],
  ])('AT-10 cannot be changed through a %s: %s', async (typeName, field) => {
    const mutation = `mutation ($id: ID!) { ${field.slice(0, -1)} ${ERRORS} } }`;
    const before = await answered(server.acme, SNAPSHOT);
    const attempt = async (databaseId: number) =>
      (await server.beta.graphql(mutation, { id: nodeId(typeName, databaseId) })).text;
    const answer = await attempt(foreign[typeName]);
    const isAbout = (text: string): string => text.replace(/"requestId":"[^"]*"/g, '');
    expect(isAbout(answer)).toBe(isAbout(await attempt(NOBODYS)));
    expect(answer).toContain('"NOT_FOUND"');
    expect(await answered(server.acme, SNAPSHOT)).toEqual(before);
  });

  it.each<[ref: SampleType, call: string, own?: SampleType]>([
    ['Group', 'logicalNumberMove(id: $id, groupId: $ref)', 'LogicalNumber'],
    ['Group', 'logicalNumberUpdate(id: $id, input: { groupId: $ref })', 'LogicalNumber'],
    ['Group', 'logicalNumberCreate(input: { number: "new", groupId: $ref })'],
    ['AppVersion', 'logicalNumberSetAppVersions(id: $id, appVersionIds: [$ref])', 'LogicalNumber'],
    ['AppVersion', 'groupAttachAppVersions(id: $id, appVersionIds: [$ref])', 'Group'],
    ['AppVersion', 'groupDetachAppVersions(id: $id, appVersionIds: [$ref])', 'Group'],
    ['AppVersion', 'appVersionSetModules(id: $id, moduleIds: [$ref])', 'AppVersion'],
    ['AppVersion', 'appVersionCreate(input: { appId: $id, number: "new", baseVersionId: $ref })', 'App'],
    ['Group', 'appVersionUpdate(id: $id, input: { groupIds: [$ref] })', 'AppVersion'],
    ['App', 'appVersionCreate(input: { appId: $ref, number: "new" })'],
    ['LogicalNumber', 'deviceAssign(id: $id, logicalNumberId: $ref)', 'Device'],
    ['LogicalNumber', 'deviceCreate(input: { serialNumber: "new", logicalNumberId: $ref })'],
    ['Group', 'parameterCreate(input: { owner: { groupId: $ref }, key: "new", value: "v" })'],
    ['LogicalNumber', 'metacontentCreate(input: { owner: { logicalNumberId: $ref }, key: "new", value: 1 })'],
    ['Group', 'parameterBulkSet(rows: [{ owner: { groupId: $ref }, key: "key", value: "v" }])'],
  ])('AT-11 of type %s cannot be referenced: %s', async (typeName, call, ofOwn = 'Group') => {
    const before = [await answered(server.acme, SNAPSHOT), await answered(server.beta, SNAPSHOT)];
    const payload = call.startsWith('parameterBulkSet') ? `results { ${ERRORS} }` : ERRORS;
    const id = nodeId(ofOwn, own[ofOwn]);
    const attempt = async (databaseId: number): Promise<string> => {
      const ref = nodeId(typeName, databaseId);
      const mutation = call.replace('$id', `"${id}"`).replace('$ref', `"${ref}"`);
      const answer = await changed(server.beta, `mutation { ${mutation} { ${payload} } }`);
      return JSON.stringify(answer).replaceAll(/not \d+/g, 'not N');
    };
    const answer = await attempt(foreign[typeName]);
    expect(answer).toBe(await attempt(NOBODYS));
    expect(answer).toMatch(/"(NOT_FOUND|INVALID)"/);
    expect([await answered(server.acme, SNAPSHOT), await answered(server.beta, SNAPSHOT)]).toEqual(before);
  });

  it('AT-12 may have the same names; each company changes its own', async () => {
    const { ids: twin } = await createSampleRecords(server, server.beta);
    expect(await answered(server.beta, BY_NAME)).toEqual({
      group: { id: nodeId('Group', twin.Group) },
      logicalNumber: { id: nodeId('LogicalNumber', twin.LogicalNumber) },
      device: { id: nodeId('Device', twin.Device) },
    });
    const before = await answered(server.acme, SNAPSHOT);
    const bulk = `mutation ($owner: OwnerInput!) {
      parameterBulkSet(rows: [{ owner: $owner, key: "key", value: "of beta" }]) { count } }`;
    const owner = { logicalNumberId: nodeId('LogicalNumber', twin.LogicalNumber) };
    expect(await changed(server.beta, bulk, { owner })).toEqual({ count: 1 });
    const remove = 'mutation ($id: ID!) { deviceDelete(id: $id) { deletedId } }';
    await changed(server.beta, remove, { id: nodeId('Device', twin.Device) });
    expect(await answered(server.acme, SNAPSHOT)).toEqual(before);
  });
});
