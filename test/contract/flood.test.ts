import { beforeAll, expect, it } from 'vitest';

import { fleet, wideFleet } from '../support/fleet.js';
import { useServer } from '../support/server.js';
import { newTerminal, report } from '../support/terminals.js';

const NUMBERS = 1_000;
const REQUESTS = 20;
/**
 * Responses to the company that floods before one of another company, at most, by the number of its connections. Large
 * operations have places, so that most of them wait, however many there are. Others that arrive together are answered
 * together, once before a request of another company is read, and once more before it is answered.
 */
const [BESIDE_PLACES, TOGETHER] = [1 / 4, 2] as const;

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
    { connections: 200, share: BESIDE_PLACES },
    graphql(
      '{ groups(first: 1) { nodes { logicalNumbers(first: 40) { nodes { number appVersions(first: 2) { nodes { number app { name } files(first: 2) { nodes { name } } } } } } } } }',
    ),
  ],
  [
    'searches',
    { connections: 60, share: TOGETHER },
    graphql(
      '{ logicalNumbers(first: 100, filter: { number: { contains: "9" } }) { totalCount nodes { number group { name } } } }',
    ),
  ],
  ['states of the fleet', { connections: 60, share: BESIDE_PLACES }, graphql('{ fleetState }')],
  [
    'lists of /v1',
    { connections: 60, share: TOGETHER },
    () => server.acme.client.get('logical_numbers', { per_page: 100, page: 8 }),
  ],
])(
  'RU-95 %s of one company do not delay another company and its terminals',
  async (_what, { connections, share }, send) => {
    let [responses, isOver] = [0, false];
    const flood = Array.from({ length: connections }, async () => {
      while (!isOver) {
        expect((await send()).status).toBe(200);
        responses += 1;
      }
    });
    await expect.poll(() => responses).toBeGreaterThan(connections);
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
    expect(median).toBeLessThanOrEqual(connections * share);
  },
);
