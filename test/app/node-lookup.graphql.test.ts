import { beforeAll, describe, expect, it } from 'vitest';

import { answered, nodeId, refused } from '../support/dashboard.js';
import { fleet } from '../support/fleet.js';
import { createSampleRecords } from '../support/sample-records.js';
import { useServer } from '../support/server.js';

const server = useServer();
let ids: Readonly<Record<string, string>>;
beforeAll(async () => {
  const { acme } = server;
  const group = await fleet.group(acme.client, 'g');
  const number = await fleet.logicalNumber(acme.client, '1', { group_id: group });
  const device = await fleet.device(acme.client, 'D');
  const parameter = await acme.client.post('parameters', { number: '1', key: 'p', value: 'v' });
  const metacontent = await acme.client.post('metacontents', { name: 'g', key: 'm', value: 1 });
  ids = {
    Company: nodeId('Company', acme.caller.companyId),
    User: nodeId('User', acme.caller.userId),
    ApiToken: nodeId('ApiToken', acme.caller.tokenId ?? 0),
    Group: nodeId('Group', group),
    LogicalNumber: nodeId('LogicalNumber', number),
    Device: nodeId('Device', device),
    Parameter: nodeId('Parameter', parameter.record('logical_number_parameter').id as number),
    Metacontent: nodeId('Metacontent', metacontent.record('group_metacontent').id as number),
    LedgerEntry: nodeId('LedgerEntry', 1),
  };
});

const NODE = 'query ($id: ID!) { node(id: $id) { __typename id databaseId } }';
const NODES = 'query ($ids: [ID!]!) { nodes(ids: $ids) { __typename id } }';

describe('node and nodes', () => {
  it('return records of every type by their global ids', async () => {
    for (const [typeName, id] of Object.entries(ids)) {
      const databaseId = Number(Buffer.from(id, 'base64url').toString().split(':')[1]);
      const { node } = await answered(server.acme, NODE, { id });
      // The first ledger entry may belong to no company.
      if (typeName === 'LedgerEntry' && node === null) continue;
      expect(node).toEqual({ __typename: typeName, id, databaseId });
    }
  });

  it('return the fields of each type', async () => {
    const fields =
      '... on Device { serialNumber logicalNumber { number } } ... on LogicalNumber { group { name } }';
    const found = await answered(
      server.acme,
      `query ($a: ID!, $b: ID!) { a: node(id: $a) { ${fields} } b: node(id: $b) { ${fields} } }`,
      { a: ids.Device, b: ids.LogicalNumber },
    );
    expect(found).toEqual({ a: { serialNumber: 'D', logicalNumber: null }, b: { group: { name: 'g' } } });
  });

  it('AT-10 return null for unknown ids, ids of another company and texts that are not ids', async () => {
    const none = [nodeId('Device', 9e6), nodeId('Nothing', 1), 'none', '', '1 OR 1=1', nodeId('Device', 0)];
    for (const id of none) expect(await answered(server.acme, NODE, { id })).toEqual({ node: null });
    for (const [typeName, id] of Object.entries(ids)) {
      // Entries of the ledger count for each company.
      if (typeName === 'LedgerEntry') continue;
      expect(await answered(server.beta, NODE, { id }), typeName).toEqual({ node: null });
    }
    const entries = '{ ledger(last: 1) { nodes { databaseId } } }';
    const { ledger } = await answered<{ ledger: { nodes: { databaseId: number }[] } }>(server.acme, entries);
    const last = nodeId('LedgerEntry', ledger.nodes[0]?.databaseId ?? 0);
    expect(await answered(server.acme, NODE, { id: last })).not.toEqual({ node: null });
    expect(await answered(server.beta, NODE, { id: last })).toEqual({ node: null });
  });

  it('return many records in the order of their ids, with one statement for each type', async () => {
    const wanted = [ids.Device, nodeId('Device', 9e6), ids.Group, ids.Device, ids.LogicalNumber];
    const ask = () => answered<{ nodes: unknown[] }>(server.acme, NODES, { ids: wanted });
    await ask();
    const { result, statements } = await server.statements(ask);
    expect(result.nodes).toEqual([
      { __typename: 'Device', id: ids.Device },
      null,
      { __typename: 'Group', id: ids.Group },
      { __typename: 'Device', id: ids.Device },
      { __typename: 'LogicalNumber', id: ids.LogicalNumber },
    ]);
    expect(statements).toHaveLength(3);
  });

  it('refuse only the records that the caller may not read', async () => {
    const viewer = await server.member('acme', 'viewer');
    const { body } = await viewer.graphql(NODES, { ids: [ids.Device, ids.User, ids.Group] });
    expect(body.data).toMatchObject({ nodes: [{ id: ids.Device }, null, { id: ids.Group }] });
    expect(body.errors).toMatchObject([{ path: ['nodes', 1], extensions: { code: 'FORBIDDEN' } }]);
  });

  it('refuse more than a hundred ids', async () => {
    const many = Array.from({ length: 101 }, () => ids.Device);
    expect(await refused(server.acme, NODES, { ids: many })).toEqual({
      message: 'nodes takes at most 100 ids, not 101.',
      code: 'BAD_USER_INPUT',
    });
  });
});

describe('the look-up of one record:', () => {
  beforeAll(async () => {
    await createSampleRecords(server, server.beta);
  });

  it.each<[string, string?]>([
    ['group', 'name'],
    ['logicalNumber', 'number'],
    ['device', 'serialNumber'],
    ['app', 'name'],
    ['appVersion'],
    ['file'],
    ['parameter'],
    ['metacontent'],
    ['notification'],
    ['transaction'],
    ['user'],
    ['apiToken'],
  ])('%s finds it by each of its keys', async (field, key = '') => {
    const fields = `{ __typename id databaseId ${key} }`;
    const { list } = await answered<{ list: { nodes: Record<string, unknown>[] } }>(
      server.beta,
      `{ list: ${field}s(first: 1) { nodes ${fields} } }`,
    );
    const [record = {}] = list.nodes;
    const { __typename: type, id, databaseId } = record;
    expect(id).toBe(nodeId(String(type), Number(databaseId)));
    const byName = key === '' ? '' : `name: ${field}(${key}: ${JSON.stringify(record[key])}) ${fields}`;
    const found = await answered(
      server.beta,
      `query ($id: ID!, $databaseId: Int!) { id: ${field}(id: $id) ${fields} ${byName}
        number: ${field}(databaseId: $databaseId) ${fields} node(id: $id) { ... on ${String(type)} ${fields} } }`,
      { id, databaseId },
    );
    for (const [way, same] of Object.entries(found)) expect(same, way).toEqual(record);
  });
});
