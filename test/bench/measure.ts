import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { runLoad, type BenchRequest, type LoadResult } from './load.js';

export const print = (line: string): void => void process.stdout.write(`${line}\n`);

/** A server to be measured, in a process of its own. */
export interface BenchServer {
  readonly name: string;
  readonly url: string;
  readonly child: ChildProcess;
}

/** Calls `use` with the path of a database to create; afterwards stops all servers and deletes the database. */
export async function withDatabaseFile(use: (file: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'terminal-gateway-bench-'));
  try {
    await use(join(folder, 'bench.db'));
  } finally {
    await stopServers();
    rmSync(folder, { recursive: true, force: true });
  }
}

const running: BenchServer[] = [];

export async function stopServers(): Promise<void> {
  for (const server of running) await stop(server);
}

/** Starts a program, in TypeScript or built, and waits until it prints `listens on URL`. */
export async function start(
  name: string,
  script: string,
  args: readonly string[],
  env: object,
  { channel = 'ignore', flags = [] }: { channel?: 'ipc' | 'ignore'; flags?: readonly string[] } = {},
): Promise<BenchServer> {
  const path = new URL(script, import.meta.url).pathname;
  const loader = path.endsWith('.ts') ? ['--import', 'tsx'] : [];
  const child = spawn(process.execPath, [...flags, ...loader, path, ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe', channel],
  });
  let output = '';
  const url = await new Promise<string>((resolve, reject) => {
    child.on('exit', () => reject(new Error(`${name} ended: ${output}`)));
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (chunk: Buffer) => {
        output += chunk.toString();
        const match = /listens on (http:\S+)/.exec(output)?.[1];
        if (match !== undefined) resolve(match);
      });
    }
  });
  const server = { name, url, child };
  running.push(server);
  return server;
}

const settingsOf = (file: string): object => ({
  ...{ DATABASE_URL: `file:${file}`, PORT: '0', RATE_LIMIT_PER_HOUR: '0', LOG_LEVEL: 'warn' },
});

/** Builds this server, and starts it on a database file as `npm start` does, without rate limit. */
export async function startGateway(file: string, env: object = {}): Promise<BenchServer> {
  execFileSync('npm', ['run', '-s', 'build']);
  const flags = startCommand().match(/--\S+/g) ?? [];
  return await start('server', '../../dist/boot.js', ['serve'], { ...settingsOf(file), ...env }, { flags });
}

function startCommand(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { readonly scripts: { readonly start: string } }).scripts.start;
}

/** Starts the server. `longestTurn`: longest event loop turn since the last call, in ms of processor time. */
export async function startWatchedGateway(
  file: string,
): Promise<BenchServer & { readonly longestTurn: () => Promise<number> }> {
  const server = await start('server', './watched-server.ts', ['serve'], settingsOf(file), {
    channel: 'ipc',
  });
  const longestTurn = async (): Promise<number> => {
    const answer = once(server.child, 'message') as Promise<[number]>;
    server.child.send('turn');
    const [turn] = await answer;
    return turn;
  };
  return { ...server, longestTurn };
}

async function stop({ child }: BenchServer): Promise<void> {
  child.removeAllListeners('exit');
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
}

export interface Scenario {
  readonly name: string;
  readonly request: BenchRequest;
}

export interface Rounds {
  readonly rounds: number;
  /** Duration of each server's turn in a round. */
  readonly milliseconds: number;
  readonly connections: number;
}

export type Servers = readonly [BenchServer, BenchServer];

/** Measures two servers alternately and prints the medians of all rounds. */
export async function compare(
  servers: Servers,
  scenarios: readonly Scenario[],
  rounds: Rounds,
): Promise<void> {
  print(
    `Medians of ${rounds.rounds} interleaved rounds of ${rounds.milliseconds} ms, ${rounds.connections} connections, Node ${process.version}:`,
  );
  printReport(servers, scenarios, await measure(servers, scenarios, rounds));
}

/** Results by server and scenario; the first round only warms up. */
async function measure(
  servers: Servers,
  scenarios: readonly Scenario[],
  { rounds, milliseconds, connections }: Rounds,
): Promise<Map<string, LoadResult[]>> {
  const results = new Map<string, LoadResult[]>();
  for (let round = 0; round <= rounds; round += 1) {
    for (const scenario of scenarios) {
      for (const server of servers) {
        const result = await runLoad(server.url, scenario.request, {
          milliseconds: round === 0 ? milliseconds / 3 : milliseconds,
          connections,
        });
        if (round === 0) continue;
        const key = `${server.name} ${scenario.name}`;
        results.set(key, [...(results.get(key) ?? []), result]);
      }
    }
    print(round === 0 ? 'Warmed up.' : `Round ${round} of ${rounds}.`);
  }
  return results;
}

export function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

/** The last column is the throughput of the first server divided by that of the second. */
function printReport(
  servers: Servers,
  scenarios: readonly Scenario[],
  results: ReadonlyMap<string, readonly LoadResult[]>,
): void {
  const rounded = (value: number): string => (value >= 100 ? String(Math.round(value)) : value.toFixed(1));
  const headings = servers.flatMap(({ name }) => [`${name}/s`, 'p50 ms', 'p95 ms']);
  const rows = scenarios.map((scenario) => {
    const perServer = servers.map((server) => results.get(`${server.name} ${scenario.name}`) ?? []);
    const rates = perServer.map((loads) => median(loads.map((load) => load.perSecond)));
    const cells = perServer.flatMap((loads, index) => [
      rounded(rates[index] ?? 0),
      rounded(median(loads.map((load) => load.p50))),
      rounded(median(loads.map((load) => load.p95))),
    ]);
    return [scenario.name, ...cells, `${((rates[0] ?? 0) / (rates[1] ?? 1)).toFixed(2)} x`];
  });
  printTable([['', ...headings, `of ${servers[1].name}`], ...rows]);
}

export function printTable(table: readonly (readonly string[])[]): void {
  const widths =
    table[0]?.map((_, column) => Math.max(...table.map((row) => (row[column] ?? '').length))) ?? [];
  for (const row of table) {
    const cells = row.map((cell, column) =>
      column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
    );
    print(cells.join('  '));
  }
}
