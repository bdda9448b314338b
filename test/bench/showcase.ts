/**
 * Compares the query from groups down to files on this server and on the same libraries used plainly, on the same
 * database and machine, in interleaved rounds. Not a test.
 *
 *   npm run bench:graphql -- [--rounds N] [--milliseconds N]
 */
import { isDeepStrictEqual, parseArgs } from 'node:util';

import { buildDatabase } from './data.js';
import type { BenchRequest } from './load.js';
import {
  compare,
  print,
  start,
  startGateway,
  withDatabaseFile,
  type BenchServer,
  type Scenario,
  type Servers,
} from './measure.js';
import { SHOWCASE } from './postgres/showcase-query.js';

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    milliseconds: { type: 'string', default: '4000' },
  },
});
const ROUNDS = { rounds: Number(options.rounds), milliseconds: Number(options.milliseconds) };

const requestFor = (groups: number, token: string): BenchRequest => ({
  method: 'POST',
  path: '/graphql',
  headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
  body: () => JSON.stringify({ query: SHOWCASE, variables: { groups } }),
});

async function send(server: BenchServer, request: BenchRequest): Promise<{ data: unknown; bytes: number }> {
  const response = await fetch(server.url + request.path, {
    method: request.method,
    headers: { ...request.headers },
    body: request.body?.() ?? null,
  });
  const text = await response.text();
  const { data, errors } = JSON.parse(text) as { data: unknown; errors?: unknown };
  if (errors !== undefined) throw new Error(`${server.name}: ${text.slice(0, 1_000)}`);
  return { data, bytes: text.length };
}

async function requireSameResponses([one, other]: Servers, scenarios: readonly Scenario[]): Promise<void> {
  for (const { name, request } of scenarios) {
    const [first, second] = [await send(one, request), await send(other, request)];
    if (!isDeepStrictEqual(first.data, second.data)) throw new Error(`The responses differ: ${name}`);
    print(`The responses are the same: ${name}, ${first.bytes} bytes.`);
  }
}

await withDatabaseFile(async (file) => {
  const { token } = await buildDatabase(file, 1_000);
  const env = { NODE_ENV: 'production' };
  const servers = [await startGateway(file, env), await start('plain', 'plain.ts', [file], env)] as const;
  const scenarios = [10, 1].map((groups) => ({
    name: `showcase, ${groups} of 50 groups`,
    request: requestFor(groups, token),
  }));
  await requireSameResponses(servers, scenarios);
  for (const connections of [1, 32]) await compare(servers, scenarios, { ...ROUNDS, connections });
});
