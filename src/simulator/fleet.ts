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

const GROUP = `query ($name: String!) { groups(first: 1, filter: { name: { eq: $name } }) { nodes { id databaseId } } }`;
const NUMBERS = `query ($filter: LogicalNumberFilter, $after: String) {
  logicalNumbers(first: ${PAGE}, after: $after, filter: $filter) {
    nodes { devices(first: 1, filter: { enabled: { eq: true } }) { nodes { serialNumber frameworkVersion meta } } }
    pageInfo { hasNextPage endCursor } } }`;
const COMPANY = '{ viewer { company { databaseId } } }';

const nodes = <T extends z.ZodType>(node: T) => z.object({ nodes: z.array(node) });
const Device = z.object({
  serialNumber: z.string(),
  frameworkVersion: z.string().nullable(),
  meta: z.record(z.string(), z.string()),
});
const Groups = z.object({ groups: nodes(z.object({ id: z.string(), databaseId: z.int() })) });
const Numbers = z.object({
  logicalNumbers: nodes(z.object({ devices: nodes(Device) })).extend({
    pageInfo: z.object({ hasNextPage: z.boolean(), endCursor: z.string().nullable() }),
  }),
});
const OwnCompany = z.object({ viewer: z.object({ company: z.object({ databaseId: z.int() }).nullable() }) });

/** The number of the company, which is part of the topics of its terminals. Errors: `SimulationRefused`. */
export async function findCompany(api: Api): Promise<string> {
  const { viewer } = OwnCompany.parse(await api.graphql(COMPANY, {}));
  if (viewer.company === null) throw new SimulationRefused('The token is of no company.');
  return String(viewer.company.databaseId);
}

/** At most `count` devices, of one group if it is named. Errors: `SimulationRefused`. */
export async function findFleet(api: Api, count: number, name: string | undefined): Promise<Fleet> {
  const group = name === undefined ? null : await findGroup(api, name);
  const filter = group === null ? null : { groupId: { eq: group.id } };
  const devices: FleetDevice[] = [];
  for (let after: string | null = null; devices.length < count;) {
    const { logicalNumbers } = Numbers.parse(await api.graphql(NUMBERS, { filter, after }));
    for (const { serialNumber, ...reported } of logicalNumbers.nodes.flatMap((each) => each.devices.nodes)) {
      devices.push({ serialNumber, reported });
    }
    after = logicalNumbers.pageInfo.endCursor;
    if (!logicalNumbers.pageInfo.hasNextPage) break;
  }
  return { devices: devices.slice(0, count), groupId: group?.databaseId ?? null };
}

async function findGroup(
  api: Api,
  name: string,
): Promise<{ readonly id: string; readonly databaseId: number }> {
  const [group] = Groups.parse(await api.graphql(GROUP, { name })).groups.nodes;
  if (group === undefined) throw new SimulationRefused(`There is no group ${name}.`);
  return group;
}
