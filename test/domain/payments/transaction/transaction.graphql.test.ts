import { beforeAll, describe, expect, it } from 'vitest';

import { DAY } from '../../../../src/platform/clock.js';
import { answered, nodeId, statementsFor, type Page } from '../../../support/dashboard.js';
import { fleet } from '../../../support/fleet.js';
import { useServer, type Fields } from '../../../support/server.js';
import { payment, record, report, START } from './records.js';

const at = (milliseconds: number): Date => new Date(START.getTime() + milliseconds);

const server = useServer();
beforeAll(async () => {
  const { acme, beta } = server;
  const group = await fleet.group(acme.client, 'Shops');
  for (const number of ['L-1', 'L-2', 'L-3']) {
    await fleet.logicalNumber(acme.client, number, { group_id: group });
  }
  await fleet.device(acme.client, 'S-1');
  await acme.client.post('apps', { name: 'shop.rb', language: 'ruby' });
  await fleet.logicalNumber(beta.client, 'L-1');
  await fleet.device(beta.client, 'S-1');
  await record(server, acme, [
    report({ detail: 'Release 7', frameworkVersion: '8.30.0' }),
    { ...payment({ nsuReference: '000122', amount: 999_999_999_999 }), startedAt: at(1_000), sent: '0200' },
    report({ status: 'running', finishedAt: null, startedAt: at(-DAY), sent: '', received: '0210' }),
    report({ status: 'fail', transactionType: 'get_asset', serialNumber: 'a%_*b', appName: 'é.posxml' }),
    { ...payment({ status: 'denied', card: {}, merchant: {}, metadata: {} }), logicalNumber: 'L-2' },
  ]);
  await record(server, beta, [report({ detail: 'of beta' }), report({ serialNumber: 'S-BETA' })]);
});

describe('a transaction in GraphQL', () => {
  it('shows when the server recorded it, in a list and alone', async () => {
    const query = `query ($id: ID!) { transaction(databaseId: 1) { recordedAt }
      node(id: $id) { ... on Transaction { recordedAt } } transactions(filter: { id: { eq: $id } }) { nodes { recordedAt } } }`;
    const found = await answered<{ transaction: { recordedAt: string } }>(server.acme, query, {
      id: nodeId('Transaction', 1),
    });
    const { transaction: shown } = found;
    expect(found).toEqual({ transaction: shown, node: shown, transactions: { nodes: [shown] } });
    const { now } = server.clock;
    expect(Math.abs(Date.parse(shown.recordedAt) - now().getTime())).toBeLessThan(DAY);
  });

  it('shows the device and app that have its serial number and app name now, in one statement for all', async () => {
    const member = await server.member('acme', 'operator');
    const query = '{ transactions { nodes { databaseId device { serialNumber } app { name } } } }';
    const device = { serialNumber: 'S-1' };
    const app = { name: 'shop.rb' };
    const { transactions } = await answered<{ transactions: Page<Fields> }>(member, query);
    expect(transactions.nodes).toEqual([
      { databaseId: 2, device, app },
      { databaseId: 5, device, app },
      { databaseId: 4, device: null, app: null },
      { databaseId: 1, device, app },
      { databaseId: 3, device, app },
    ]);
    expect(await statementsFor(server, member, query)).toHaveLength(3);
  });

  it('keeps its names when the device is deleted and the number is renamed', async () => {
    const { beta } = server;
    await fleet.device(beta.client, 'S-OLD');
    await fleet.logicalNumber(beta.client, 'L-OLD');
    await record(server, beta, [report({ serialNumber: 'S-OLD', logicalNumber: 'L-OLD' })]);
    await beta.client.delete('devices/S-OLD');
    await beta.client.put('logical_numbers/L-OLD', { number: 'L-NEW' });
    const query = `{ transactions(filter: { serialNumber: { eq: "S-OLD" } }) {
        nodes { serialNumber logicalNumber device { id } } }
      logicalNumber(number: "L-NEW") { transactions { totalCount nodes { id } } } }`;
    expect(await answered(beta, query)).toEqual({
      transactions: { nodes: [{ serialNumber: 'S-OLD', logicalNumber: 'L-OLD', device: null }] },
      logicalNumber: { transactions: { totalCount: 0, nodes: [] } },
    });
  });
});

describe('transactions of devices and of logical numbers', () => {
  const LISTS = `{ logicalNumbers { nodes { number transactions { totalCount nodes { databaseId } } } }
    devices { nodes { serialNumber transactions(orderBy: { field: ID }) { totalCount nodes { databaseId } } } } }`;

  it('are those recorded under their names, newest first by default', async () => {
    const ids = (...databaseIds: number[]) => ({
      totalCount: databaseIds.length,
      nodes: databaseIds.map((databaseId) => ({ databaseId })),
    });
    expect(await answered(server.acme, LISTS)).toEqual({
      logicalNumbers: {
        nodes: [
          { number: 'L-1', transactions: ids(2, 4, 1, 3) },
          { number: 'L-2', transactions: ids(5) },
          { number: 'L-3', transactions: ids() },
        ],
      },
      devices: { nodes: [{ serialNumber: 'S-1', transactions: ids(1, 2, 3, 5) }] },
    });
  });

  it('AT-12 AT-13 never show transactions of another company with the same names', async () => {
    const { beta } = server;
    const theirs = nodeId('Transaction', 1);
    const query = `query ($id: ID!) { transaction(databaseId: 1) { id } node(id: $id) { id }
      byId: transactions(filter: { id: { eq: $id } }) { totalCount nodes { id } }
      transactions(filter: { serialNumber: { in: ["S-1", "S-BETA"] } }) { totalCount nodes { detail } }
      logicalNumber(number: "L-1") { transactions { totalCount nodes { detail } } }
      device(serialNumber: "S-1") { transactions { totalCount nodes { detail device { createdBy { databaseId } } } } } }`;
    const device = { createdBy: { databaseId: beta.caller.userId } };
    const seen = await answered(beta, query, { id: theirs });
    expect(seen).toMatchObject({
      transaction: null,
      node: null,
      byId: { totalCount: 0, nodes: [] },
      transactions: { totalCount: 2 },
      device: { transactions: { totalCount: 1, nodes: [{ detail: 'of beta', device }] } },
    });
    expect(JSON.stringify(seen)).not.toContain('Release 7');
  });
});
