/**
 * Memory of a server that gets requests from many IPv6 networks, through a trusted proxy. Not a test.
 *
 *   npm run bench:networks -- [--networks N]
 */
import { execFileSync } from 'node:child_process';
import { Agent, request } from 'node:http';
import { parseArgs } from 'node:util';

import { buildDatabase } from './data.js';
import { print, startGateway, withDatabaseFile, type BenchServer } from './measure.js';

const { values } = parseArgs({ options: { networks: { type: 'string', default: '300000' } } });
const NETWORKS = Number(values.networks);
const CONNECTIONS = 32;
const LIMIT = 100;

const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });

/** Resolves to the status of a request from an address. */
function send({ url }: BenchServer, address: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = { 'x-forwarded-for': address };
    const sent = request(`${url}/v1/none`, { agent, headers }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode ?? 0));
    });
    sent.once('error', reject).end();
  });
}

/** Number of responses by status. */
async function sendFrom(
  server: BenchServer,
  count: number,
  addressOf: (n: number) => string,
): Promise<string> {
  const statuses: Record<number, number> = {};
  let next = 0;
  const sendAll = async (): Promise<void> => {
    while (next < count) {
      const status = await send(server, addressOf(next++));
      statuses[status] = (statuses[status] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, sendAll));
  return JSON.stringify(statuses);
}

/** Resident memory of a server in MB. */
function memoryOf({ child }: BenchServer): number {
  const kilobytes = execFileSync('ps', ['-o', 'rss=', '-p', String(child.pid)], { encoding: 'utf8' });
  return Math.round((Number(kilobytes) * 1024) / 1_000_000);
}

const hex = (n: number): string => n.toString(16);

await withDatabaseFile(async (file) => {
  await buildDatabase(file, 1_000);
  const settings = { RATE_LIMIT_PER_HOUR: String(LIMIT), TRUST_PROXY: '127.0.0.1' };
  const server = await startGateway(file, settings);
  await sendFrom(server, 30_000, () => '192.0.2.1');
  const before = memoryOf(server);
  // 16 networks in each /48, so that no limit of a wider network stops them.
  const many = await sendFrom(
    server,
    NETWORKS,
    (n) => `2001:${hex(0xd00 + (n >> 18))}:${hex((n >> 4) & 0xffff)}:${hex(n & 15)}::1`,
  );
  const after = memoryOf(server);
  print(
    `${NETWORKS} networks: ${many}; memory ${before} MB before, ${after} MB after: +${after - before} MB`,
  );
  print(`a client over its limit before: ${await sendFrom(server, 1, () => '192.0.2.1')}`);
  print(
    `${LIMIT + 1} requests of another client: ${await sendFrom(server, LIMIT + 1, () => '198.51.100.9')}`,
  );
});
agent.destroy();
