import { beforeAll, expect, it } from 'vitest';

import { answered, type Connection } from '../../../support/dashboard.js';
import { fleet } from '../../../support/fleet.js';
import { mutated } from '../../../support/mutations.js';
import { useServer, type Fields } from '../../../support/server.js';

const server = useServer();

/** Versions of the devices by their serial numbers, in the order of their ids. */
const VERSIONS: Readonly<Record<string, string | null>> = {
  A: '2.0',
  B: null,
  C: '10.0',
  D: null,
  E: '2.0',
  F: '2.1',
};

beforeAll(async () => {
  for (const [serial, version] of Object.entries(VERSIONS)) {
    await fleet.device(server.acme.client, serial);
    const variables = { serialNumber: serial, input: { frameworkVersion: version } };
    await mutated(server.acme, 'deviceReport', variables);
  }
});

const PAGE = `query ($first: Int, $after: String, $last: Int, $before: String, $direction: OrderDirection, $filter: DeviceFilter) {
  devices(first: $first, after: $after, last: $last, before: $before, filter: $filter,
    orderBy: { field: FRAMEWORK_VERSION, direction: $direction }) {
    nodes { serialNumber } pageInfo { hasNextPage endCursor hasPreviousPage startCursor } } }`;

/** Serial numbers of all pages of two devices, each page read from the cursor of the page before. */
async function pages(way: 'forward' | 'backward', variables: Fields): Promise<string> {
  const found: string[] = [];
  let at: string | null = null;
  for (let more = true; more;) {
    const page: Fields = way === 'forward' ? { first: 2, after: at } : { last: 2, before: at };
    const answer = await answered<{ devices: Connection<{ serialNumber: string }> }>(server.acme, PAGE, {
      ...variables,
      ...page,
    });
    const { nodes, pageInfo } = answer.devices;
    const serials = nodes.map(({ serialNumber }) => serialNumber);
    if (way === 'forward') found.push(...serials);
    else found.unshift(...serials);
    more = way === 'forward' ? pageInfo.hasNextPage : pageInfo.hasPreviousPage;
    at = way === 'forward' ? pageInfo.endCursor : pageInfo.startCursor;
  }
  return found.join('');
}

it.each([
  ['ASC', {}, 'BDCAEF'],
  ['DESC', {}, 'FEACDB'],
  ['ASC', { frameworkVersion: { startsWith: '2' } }, 'AEF'],
  ['DESC', { frameworkVersion: { in: ['2.0', '10.0'] } }, 'EAC'],
  ['DESC', { not: { frameworkVersion: { startsWith: '2.0' } } }, 'FCDB'],
  ['ASC', { frameworkVersion: { isNull: true } }, 'BD'],
])('devices are ordered by version %s with %j, in pages both ways', async (direction, filter, expected) => {
  const variables = { direction, filter };
  expect([await pages('forward', variables), await pages('backward', variables)]).toEqual([
    expected,
    expected,
  ]);
});
