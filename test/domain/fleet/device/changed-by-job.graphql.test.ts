import { expect, it } from 'vitest';

import { answered, nodeId } from '../../../support/dashboard.js';
import { fleet } from '../../../support/fleet.js';
import { mutated } from '../../../support/mutations.js';
import { type Fields, type Member, useServer } from '../../../support/server.js';
import { newTerminal } from '../../../support/terminals.js';

const server = useServer();

interface Started {
  readonly job: { readonly id: string };
}

/** Changes all devices, or logical numbers, whose names begin so; resolves to the id of the job when it has ended. */
async function changedAll(mutation: string, filter: Fields, change: Fields): Promise<string> {
  const variables = { target: { filter }, change };
  const { job } = await mutated<Started>(server.acme, mutation, variables, 'job { id }');
  await server.app.steps.idle();
  return job.id;
}
const ofDevices = (name: string, change: Fields) =>
  changedAll('deviceBulkChange', { serialNumber: { startsWith: name } }, change);
const ofNumbers = (name: string, change: Fields) =>
  changedAll('logicalNumberBulkChange', { number: { startsWith: name } }, change);

const QUERY = `query ($device: DeviceFilter, $number: LogicalNumberFilter) {
  devices(filter: $device) { totalCount nodes { serialNumber } }
  logicalNumbers(filter: $number) { totalCount nodes { number } } }`;

interface Found {
  readonly devices: { readonly totalCount: number; readonly nodes: readonly { serialNumber: string }[] };
  readonly logicalNumbers: { readonly totalCount: number; readonly nodes: readonly { number: string }[] };
}

/** Names of the devices, and of the logical numbers, that jobs have changed. */
async function changedBy(jobs: readonly string[], member: Member = server.acme) {
  const filter = { changedByJob: jobs.length === 1 ? { eq: jobs[0] } : { in: jobs } };
  const { devices, logicalNumbers } = await answered<Found>(member, QUERY, {
    device: filter,
    number: filter,
  });
  expect(devices.totalCount).toBe(devices.nodes.length);
  expect(logicalNumbers.totalCount).toBe(logicalNumbers.nodes.length);
  return [
    devices.nodes.map(({ serialNumber }) => serialNumber),
    logicalNumbers.nodes.map(({ number }) => number),
  ];
}

it('lists have the devices and logical numbers that a job has changed, and no others', async () => {
  const { client } = server.acme;
  const group = await fleet.group(client, 'target');
  for (const name of ['A-1', 'A-2', 'B-1']) await newTerminal(server.acme, name);
  await fleet.device(client, 'A-3');
  await fleet.logicalNumber(client, 'number of nobody');
  const disabled = await ofDevices('A', { enabled: false });
  expect(await changedBy([disabled])).toEqual([['A-1', 'A-2', 'A-3'], []]);
  const tokens = await ofDevices('B', { token: {} });
  expect(await changedBy([tokens])).toEqual([['B-1'], []]);
  expect(await changedBy([disabled, tokens])).toEqual([['A-1', 'A-2', 'B-1', 'A-3'], []]);
  const moved = await ofDevices('A', { groupId: nodeId('Group', group) });
  expect(await changedBy([moved])).toEqual([
    ['A-1', 'A-2'],
    ['number of A-1', 'number of A-2'],
  ]);
  const parameter = { key: 'host', value: 'h' };
  const set = await ofNumbers('number of', { parameter });
  expect(await changedBy([set])).toEqual([
    ['A-1', 'A-2', 'B-1'],
    ['number of A-1', 'number of A-2', 'number of B-1', 'number of nobody'],
  ]);
  expect(await changedBy([disabled], server.beta)).toEqual([[], []]);
  // Nothing was changed any more, so the job has changed nothing.
  expect(await changedBy([await ofNumbers('number of', { parameter })])).toEqual([[], []]);
});
