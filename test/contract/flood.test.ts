import { beforeAll, expect, it } from 'vitest';

import { fleet, wideFleet } from '../support/fleet.js';
import { useServer } from '../support/server.js';
import { newTerminal, report } from '../support/terminals.js';

const CONNECTIONS = 60;
const NUMBERS = 1_000;
const REQUESTS = 20;
/**
 * Responses to the company that floods before one of another company, at most. Large operations have places, so that most
 * of them wait; what arrives together otherwise is answered together.
 */
const [BESIDE_PLACES, TOGETHER] = [CONNECTIONS / 4, CONNECTIONS] as const;

const server = useServer();
let terminal: string;
beforeAll(async () => {
  const { number } = await wideFleet(server, server.acme, NUMBERS);
  await fleet.device(server.acme.client, 'flooding', {
    logical_number_id: (await server.acme.client.get(`logical_numbers/${number}`)).body.id,
  });
  await fleet.group(server.beta.client, 'calm');
  terminal = (await newTerminal(server.beta, 'calm')).token;
});

const graphql = (query: string) => () => server.acme.graphql(query);

it.each([
  [
    'nested queries',
    BESIDE_PLACES,
    graphql(
      '{ groups(first: 1) { nodes { logicalNumbers(first: 40) { nodes { number appVersions(first: 2) { nodes { number app { name } files(first: 2) { nodes { name } } } } } } } } }',
    ),
  ],
  [
    'searches',
    TOGETHER,
    graphql(
      '{ logicalNumbers(first: 100, filter: { number: { contains: "9" } }) { totalCount nodes { number group { name } } } }',
    ),
  ],
  ['states of the fleet', BESIDE_PLACES, graphql('{ fleetState }')],
  ['lists of /v1', TOGETHER, () => server.acme.client.get('logical_numbers', { per_page: 100, page: 8 })],
])('RU-95 %s of one company do not delay another company and its terminals', async (_what, most, send) => {
  let [responses, isOver] = [0, false];
  const flood = Array.from({ length: CONNECTIONS }, async () => {
    while (!isOver) {
      expect((await send()).status).toBe(200);
      responses += 1;
    }
  });
  await expect.poll(() => responses).toBeGreaterThan(CONNECTIONS);
  const before: number[] = [];
  for (let n = 0; n < REQUESTS; n += 1) {
    for (const request of [() => server.beta.client.get('groups'), () => report(server, terminal)]) {
      const answered = responses;
      expect((await request()).status).toBe(200);
      before.push(responses - answered);
    }
  }
  isOver = true;
  await Promise.all(flood);
  const median = before.toSorted((a, b) => a - b)[REQUESTS] ?? Infinity;
  expect(median).toBeLessThanOrEqual(most);
});
