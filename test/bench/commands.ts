/**
 * Measures a command to a whole fleet beside its ordinary load, on a SQLite file with one node and on PostgreSQL with two;
 * then kills nodes while terminals do commands, and fails if one was lost, done twice, or done after its end. Not a test.
 *
 *   npm run bench:commands -- [--terminals N] [--every SECONDS] [--kills N]
 *
 * Terminals are simulated: each waits on a connection of its own, and does something every `--every` seconds.
 */
import Sqlite from 'better-sqlite3';
import { setTimeout as sleep } from 'node:timers/promises';

import { SECOND, systemClock } from '../../src/platform/clock.js';
import { Simulation } from '../../src/simulator/simulation.js';
import { freePort } from '../support/free-port.js';
import { startProgram, type Program } from '../support/program.js';
import { at, beside, timed } from './beside.js';
import { onBoth } from './both-databases.js';
import { buildDatabase, serialOf } from './data.js';
import { flagsOfStart, numbersOf, print, withDatabaseFile } from './servers.js';

const { terminals, every, kills } = numbersOf({ terminals: 10_000, every: 60, kills: 4 });

/** Time of the ordinary load alone, and how long a command is followed. */
const QUIET_MS = 30 * SECOND;
const PATIENCE_MS = 300 * SECOND;
/** Time until all terminals wait again after a kill, and until the end of a command that ends soon. */
const SETTLE_MS = 45 * SECOND;
const SHORT_MS = 45 * SECOND;
/** Terminals that start in a second: each gets its manifest, settings and files then. */
const STARTS_PER_SECOND = 100;

/** Terminals by state. */
type Summary = Readonly<Record<(typeof STATES)[number], number>>;
const STATES = [
  'waiting',
  'sent',
  'confirmed',
  'done',
  'failed',
  'expired',
  'cancelled',
  'replaced',
] as const;

class Fleet {
  readonly #simulations: readonly Simulation[];
  readonly #runs: readonly Promise<unknown>[];

  /** Each node has its share of the terminals: one that finds its node down tries again until it is back. */
  constructor(
    private readonly nodes: Program[],
    private readonly ports: readonly number[],
    private readonly start: (port: number) => Promise<Program>,
    private readonly token: string,
  ) {
    this.#simulations = nodes.map(({ url }, node) => {
      const own = Array.from({ length: terminals }, (_, n) => n).filter((n) => n % nodes.length === node);
      return new Simulation({
        url: new URL(url),
        clock: systemClock,
        renewEveryMs: null,
        scenario: null,
        hasFaults: false,
        seed: 1 + node,
        everyMs: every * SECOND,
        forMs: 86_400_000,
        rampMs: (own.length / STARTS_PER_SECOND) * SECOND,
        notify: null,
        transport: { over: 'http' },
        terminals: own.map((n) => ({ serialNumber: serialOf(n), token, isNamed: true })),
      });
    });
    this.#runs = this.#simulations.map((simulation) => simulation.run());
  }

  sum(name: 'connected' | 'commands_done' | 'errors' | 'requests'): number {
    return this.#simulations.reduce((sum, each) => sum + each.summary()[name], 0);
  }

  get broken(): readonly unknown[] {
    return this.#simulations.flatMap((each) => each.summary().broken);
  }

  async started(): Promise<void> {
    while (this.sum('connected') < terminals) await sleep(SECOND);
  }

  async ask<T>(query: string, variables: object = {}): Promise<T> {
    for (;;) {
      try {
        const response = await fetch(`${this.nodes[0]?.url ?? ''}/graphql`, {
          method: 'POST',
          headers: { authorization: `Bearer ${this.token}`, 'content-type': 'application/json' },
          body: JSON.stringify({ query, variables }),
        });
        const { data, errors } = (await response.json()) as { data: T; errors?: unknown };
        if (errors !== undefined) throw new SyntaxError(JSON.stringify(errors));
        return data;
      } catch (error) {
        if (error instanceof SyntaxError) throw error;
        await sleep(SECOND / 4); // The node is down.
      }
    }
  }

  readonly readDevice = (): Promise<unknown> =>
    this.ask(
      'query ($serial: String!) { devices(filter: { serialNumber: { eq: $serial } }) { nodes { id } } }',
      {
        serial: serialOf(Math.floor(Math.random() * terminals)),
      },
    );

  /** Sends a command to all; resolves to its id. */
  async send(action: string, expiresAt: Date | null = null): Promise<string> {
    const SEND = `mutation ($input: CommandSendInput!) { commandSend(input: $input, target: { all: true }) {
      command { id } userErrors { message } } }`;
    const input = { action, ...(expiresAt !== null && { expiresAt: expiresAt.toISOString() }) };
    const { commandSend } = await this.ask<{ commandSend: { command: { id: string } | null } }>(SEND, {
      input,
    });
    if (commandSend.command === null) throw new Error(JSON.stringify(commandSend));
    return commandSend.command.id;
  }

  async summary(id: string): Promise<Summary> {
    const query = `query ($id: ID!) { command(id: $id) { summary { ${STATES.join(' ')} } } }`;
    return (await this.ask<{ command: { summary: Summary } }>(query, { id })).command.summary;
  }

  /** Resolves when the command is over; an `Error` if that takes too long. */
  async followed(id: string, isOver: (summary: Summary) => boolean): Promise<Summary> {
    const until = performance.now() + PATIENCE_MS;
    for (;;) {
      const summary = await this.summary(id);
      const total = STATES.reduce((sum, state) => sum + summary[state], 0);
      if (total === terminals && isOver(summary)) return summary;
      if (performance.now() > until) throw new Error(`It is not over: ${JSON.stringify(summary)}`);
      await sleep(SECOND / 4);
    }
  }

  async measure(name: string, work: () => Promise<unknown>): Promise<void> {
    const before = this.sum('requests');
    const { seconds, times } = await beside(work, this.readDevice);
    const rate = (this.sum('requests') - before) / Number(seconds);
    const row = [name, `${seconds} s`, `${rate.toFixed(0)} requests/s`];
    print([...row, ...[0.5, 0.95, 1].map((share) => `${at(times, share)} ms`)].join('  '));
  }

  /** Kills a node with SIGKILL and starts it again, `kills` times, at random moments. */
  async killed(): Promise<void> {
    for (let n = 0; n < kills; n += 1) {
      await sleep(Math.random() * 6 * SECOND);
      const index = n % this.nodes.length;
      await this.nodes[index]?.end('SIGKILL');
      await sleep(Math.random() * SECOND);
      this.nodes[index] = await this.start(this.ports[index] ?? 0);
    }
  }

  async end(): Promise<void> {
    for (const each of this.#simulations) each.abort();
    await Promise.all(this.#runs);
    for (const node of this.nodes) await node.end('SIGKILL');
  }
}

function require(holds: boolean, what: string, found: unknown): void {
  if (!holds) throw new Error(`${what}: ${JSON.stringify(found)}`);
}

const isConfirmed = ({ waiting, sent }: Summary): boolean => waiting + sent === 0;
const isDone = ({ done }: Summary): boolean => done === terminals;

async function measure(databaseUrl: string, token: string): Promise<void> {
  const ports = await Promise.all(
    Array.from({ length: databaseUrl.startsWith('postgres') ? 2 : 1 }, freePort),
  );
  const start = (port: number): Promise<Program> =>
    startProgram(databaseUrl, {
      environment: { LOG_LEVEL: 'error', PORT: String(port) },
      nodeOptions: flagsOfStart(),
    });
  const fleet = new Fleet(await Promise.all(ports.map(start)), ports, start, token);
  await timed(() => fleet.started()).then((ms) => print(`connected in ${(ms / SECOND).toFixed(0)} s`));
  await fleet.measure('ordinary load alone', () => sleep(QUIET_MS));
  let id = '';
  await fleet.measure('a command to all, until confirmed', async () => {
    id = await fleet.send('SYSTEM_UPDATE');
    await fleet.followed(id, isConfirmed);
  });
  await fleet.followed(id, isDone);
  require(fleet.sum('commands_done') === terminals, 'done', fleet.sum('commands_done'));
  id = await fleet.send('SETUP_DEVICE_CONFIG');
  const [all] = await Promise.all([fleet.followed(id, isDone), fleet.killed()]);
  print(`after ${kills} kills: ${JSON.stringify(all)}, ${fleet.sum('errors')} cut or refused requests`);
  require(fleet.sum('commands_done') === 2 * terminals, 'done twice or not at all', fleet.sum(
    'commands_done',
  ));
  // All are back before the next one, which ends while nodes are killed: some terminals have not got it by then.
  await sleep(SETTLE_MS);
  const [short] = await Promise.all([
    fleet.send('TIMEZONE_UPDATE', new Date(Date.now() + SHORT_MS)).then((sent) => (id = sent)),
    fleet.killed(),
  ]);
  await sleep(SHORT_MS);
  const ended = await fleet.followed(short, isConfirmed);
  print(`of one that ends in ${SHORT_MS / SECOND} s, with as many kills: ${JSON.stringify(ended)}`);
  require(fleet.sum('commands_done') <= 2 * terminals + ended.done, 'done more often than told', ended);
  require(fleet.broken.length === 0, 'broken promises', fleet.broken);
  await fleet.end();
}

await withDatabaseFile(async (file) => {
  print(`Building a database of ${terminals} terminals ...`);
  const { token } = await buildDatabase(file, { devices: terminals, transactions: 0, wide: 0, others: 1 });
  // Their content is random: terminals would refuse it.
  const database = new Sqlite(file);
  database.exec('delete from logical_number_app_versions; delete from app_version_groups');
  database.close();
  await onBoth(file, (url) => measure(url, token));
});
