import { z } from 'zod';

import { SimulationRefused, type Api } from './api.js';
import type { Reported } from './terminal-http.js';

export interface FleetDevice {
  readonly serialNumber: string;
  readonly reported: Reported;
}

/** Devices of the company that may use the service, one of each logical number. */
export interface Fleet {
  readonly devices: readonly FleetDevice[];
  /** Null if no group was named. */
  readonly groupId: number | null;
}

const PAGE = 100;

const DEVICES = `query ($after: String) {
  devices(first: ${PAGE}, after: $after, filter: { enabled: { eq: true }, logicalNumberId: { isNull: false } }) {
    nodes { serialNumber frameworkVersion meta logicalNumber { number } } pageInfo { hasNextPage endCursor } } }`;
const GROUP = `query ($name: String!, $after: String) {
  groups(first: 1, filter: { name: { eq: $name } }) { nodes { databaseId
    logicalNumbers(first: ${PAGE}, after: $after) {
      nodes { devices(first: 1, filter: { enabled: { eq: true } }) { nodes { serialNumber frameworkVersion meta } } }
      pageInfo { hasNextPage endCursor } } } } }`;
const COMPANY = '{ viewer { company { databaseId } } }';

const pageInfo = z.object({ hasNextPage: z.boolean(), endCursor: z.string().nullable() });
const device = z.object({
  serialNumber: z.string(),
  frameworkVersion: z.string().nullable(),
  meta: z.record(z.string(), z.string()),
});
const Devices = z.object({
  devices: z.object({
    nodes: z.array(device.extend({ logicalNumber: z.object({ number: z.string() }).nullable() })),
    pageInfo,
  }),
});
const Groups = z.object({
  groups: z.object({
    nodes: z.array(
      z.object({
        databaseId: z.int(),
        logicalNumbers: z.object({
          nodes: z.array(z.object({ devices: z.object({ nodes: z.array(device) }) })),
          pageInfo,
        }),
      }),
    ),
  }),
});
const OwnCompany = z.object({ viewer: z.object({ company: z.object({ databaseId: z.int() }).nullable() }) });

/** At most `count` devices, of one group if it is named. Errors: `SimulationRefused`. */
export async function findFleet(api: Api, count: number, group: string | undefined): Promise<Fleet> {
  return group === undefined ? await anyDevices(api, count) : await devicesOf(api, count, group);
}

/** The number of the company, which is part of the topics of its terminals. Errors: `SimulationRefused`. */
export async function findCompany(api: Api): Promise<string> {
  const { viewer } = OwnCompany.parse(await api.graphql(COMPANY, {}));
  if (viewer.company === null) throw new SimulationRefused('The token is of no company.');
  return String(viewer.company.databaseId);
}

async function anyDevices(api: Api, count: number): Promise<Fleet> {
  const byNumber = new Map<string, FleetDevice>();
  for (let after: string | null = null; byNumber.size < count;) {
    const { devices } = Devices.parse(await api.graphql(DEVICES, { after }));
    for (const { logicalNumber, ...found } of devices.nodes) {
      const number = logicalNumber?.number;
      if (number !== undefined && !byNumber.has(number)) byNumber.set(number, fleetDevice(found));
    }
    after = devices.pageInfo.endCursor;
    if (!devices.pageInfo.hasNextPage) break;
  }
  return { devices: [...byNumber.values()].slice(0, count), groupId: null };
}

async function devicesOf(api: Api, count: number, name: string): Promise<Fleet> {
  const found: FleetDevice[] = [];
  let after: string | null = null;
  for (;;) {
    const data: unknown = await api.graphql(GROUP, { name, after });
    const [group] = Groups.parse(data).groups.nodes;
    if (group === undefined) throw new SimulationRefused(`There is no group ${name}.`);
    const { nodes, pageInfo: page } = group.logicalNumbers;
    found.push(...nodes.flatMap(({ devices }) => devices.nodes.map(fleetDevice)));
    after = page.endCursor;
    if (found.length >= count || !page.hasNextPage) {
      return { devices: found.slice(0, count), groupId: group.databaseId };
    }
  }
}

const fleetDevice = ({ serialNumber, ...reported }: z.output<typeof device>): FleetDevice => ({
  serialNumber,
  reported,
});
