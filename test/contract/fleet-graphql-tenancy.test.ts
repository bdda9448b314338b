import { beforeAll, describe, expect, it } from 'vitest';

import { EXPORTS } from '../../src/app/graphql/export-lists.js';
import { answered, changed, nodeId } from '../support/dashboard.js';
import { exported } from '../support/export.js';
import { createSampleRecords, type SampleRecords } from '../support/sample-records.js';
import { useServer, type Fields } from '../support/server.js';

const NOBODYS = 9e6;

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

  it.each(
    Object.keys(EXPORTS).filter(
      (list) => !['commands', 'device_logs', 'unknown_terminals', 'jobs'].includes(list),
    ),
  )('AT-10 are in no export of %s', async (list) => {
    expect((await exported(server.acme, list)).text).toMatch(/sample|acme/i);
    const reply = await exported(server.beta, list);
    expect(reply.totals.count).toBeGreaterThan(0);
    expect(reply.text).not.toMatch(/sample|acme/i);
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
