import { Agent, request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { newDatabase, type TestPlace } from '../support/databases/place.js';
import { prepareDatabase } from '../support/prepared-database.js';
import { startProgram, type Program } from '../support/program.js';

const CONNECTIONS = 100;
const REQUESTS = 3_000;
/** Where requests are kept until the whole heap is collected, it is 8,000 for each of them. */
const MAX_BYTES = 4_000;

const QUERY = JSON.stringify({ query: '{ viewer { role } group(name: "g") { name createdBy { email } } }' });
const KINDS: readonly (readonly [string, string, string | null])[] = [
  ['queries', '/graphql', QUERY],
  ['lists of /v1', '/v1/transactions?per_page=30', null],
];

function send(agent: Agent, path: string, body: string | null): Promise<number> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  return new Promise((resolve, reject) => {
    const method = body === null ? 'GET' : 'POST';
    request(`${program.url}${path}`, { agent, method, headers }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode ?? 0));
    })
      .once('error', reject)
      .end(body ?? undefined);
  });
}

async function oldBytes(): Promise<number> {
  const { text } = await program.client(null).get('/metrics');
  return Number(/^nodejs_heap_space_size_used_bytes\{space="old"\} (\d+)/m.exec(text)?.[1]);
}

let place: TestPlace;
let token: string;
let program: Program;
beforeAll(async () => {
  place = await newDatabase();
  ({ token } = await prepareDatabase(place));
  program = await startProgram(place.url, { nodeOptions: ['--max-semi-space-size=16'] });
  expect((await program.client(token).post('groups', { name: 'g' })).status).toBe(201);
});
afterAll(async () => {
  expect(await program.end('SIGTERM')).toEqual({ code: 0, signal: null });
  await place.remove();
});

/** How many bytes of old memory the program uses more for each request, once all is compiled and cached. */
async function keptBy(path: string, body: string | null): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const sendMany = async (): Promise<number> => {
    let left = REQUESTS;
    const one = async (): Promise<void> => {
      while ((left -= 1) >= 0) expect(await send(agent, path, body)).toBe(200);
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, one));
    return await oldBytes();
  };
  const before = await sendMany();
  const kept = (await sendMany()) - before;
  agent.destroy();
  return kept / REQUESTS;
}

describe('requests that were served', () => {
  it.each(KINDS)('%s are not kept until the whole heap is collected', async (_what, path, body) => {
    expect(await keptBy(path, body)).toBeLessThan(MAX_BYTES);
  });
});
