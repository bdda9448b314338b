import { randomBytes, randomUUID } from 'node:crypto';

import { MINUTE, SECOND } from '../platform/clock.js';
import { createRandom } from '../platform/random.js';
import { Api } from './api.js';
import { drawFaults, openCommands, SENT_ACTIONS, sendCommand, type WantedFault } from './commands.js';
import { HttpClient } from './http-client.js';
import type { Scenario } from './scenario.js';
import { Pauses, type Shared } from './shared.js';
import { Stats, rounded, SentNotifications } from './stats.js';
import type { Identity } from './terminal-http.js';
import { SEEDS_PER_TERMINAL, SimulatedTerminal } from './terminal.js';

export interface SimulationOptions extends Pick<
  Shared,
  'clock' | 'transport' | 'hasFaults' | 'everyMs' | 'renewEveryMs'
> {
  readonly url: URL;
  readonly terminals: readonly Identity[];
  /** How long terminals are active, the ramp included. The time of those that start slowly does not count. */
  readonly forMs: number;
  /** The terminals start one after the other in this time. */
  readonly rampMs: number;
  readonly seed: number;
  /** True if every second terminal waits over HTTP, whatever the transport. */
  readonly isHalfHttp?: boolean;
  /** A notification each interval to all terminals: to a group, or to each by its logical number. Null: none is sent. */
  readonly notify: {
    readonly token: string;
    readonly everyMs: number;
    readonly groupId: number | null;
  } | null;
  /** Sends a command to a few terminals again and again; the token needs the scopes `read` and `write`. */
  readonly commands?: { readonly token: string; readonly everyMs: number } | null;
  /** Ends the activities of the terminals with its rollout. Null: all of them behave well. */
  readonly scenario: Pick<Scenario, keyof Scenario> | null;
  /** Faults of some terminals with commands. Without them, some fail and are late at random. */
  readonly wantedFaults?: readonly WantedFault[] | null;
}

/** Longer than the lease of a lost answer, and than the longest pause of a terminal, which are 30 s. */
const SETTLE_MS = 75 * SECOND;
const SETTLE_STEP_MS = SECOND / 4;
/** How long terminals may take to start after the ramp. */
const START_MS = 30 * SECOND;
const START_STEP_MS = SECOND / 20;
/** How long terminals may take for their last confirmations and checks. */
const FINISH_MS = 30 * SECOND;

export type Summary = ReturnType<Simulation['summary']>;

export class Simulation {
  readonly #shared: Shared;
  readonly #terminals: readonly SimulatedTerminal[];
  readonly #began: number;
  #isStopped = false;
  #scenario: Awaited<ReturnType<Scenario['run']>> | null = null;

  constructor(private readonly options: SimulationOptions) {
    const { url, clock, terminals, seed, isHalfHttp = false, wantedFaults = null } = options;
    const serials = terminals.map(({ serialNumber }) => serialNumber);
    const [stats, run] = [new Stats(), randomBytes(4).toString('hex')];
    this.#began = clock.elapsed();
    this.#shared = {
      ...options,
      stats,
      run,
      client: new HttpClient(url, stats, clock),
      sent: new SentNotifications(run, stats),
      work: new Pauses(),
      all: new Pauses(),
      commandFaults: wantedFaults && drawFaults(wantedFaults, serials, seed),
    };
    const overHttp: Shared = { ...this.#shared, transport: { over: 'http' } };
    this.#terminals = terminals.map((identity, index) => {
      const shared = isHalfHttp && index % 2 === 1 ? overHttp : this.#shared;
      return new SimulatedTerminal(identity, shared, seed + index * SEEDS_PER_TERMINAL);
    });
  }

  /** Resolves at the end, or soon after `stop`. Errors: `SimulationRefused` if notifications cannot be sent. */
  async run(): Promise<Summary> {
    const { work, all, client } = this.#shared;
    try {
      const running = this.#terminals.map((terminal, index) => this.#startOne(terminal, index));
      await this.#started();
      const ends = work.pause(this.options.forMs - this.options.rampMs).then(() => work.end());
      await Promise.all([ends, this.#notify(), this.#command(), this.#runScenario()]);
      await atMost(FINISH_MS, Promise.all(running));
      await this.#settle();
      const finished = Promise.allSettled(this.#terminals.map((terminal) => terminal.finish()));
      await atMost(FINISH_MS, finished);
      return this.summary();
    } finally {
      work.end();
      all.end();
      for (const terminal of this.#terminals) terminal.end();
      client.close();
    }
  }

  /** Ends the activities, as at the end of their time: what is outstanding may still arrive. */
  endWork(): void {
    this.#shared.work.end();
  }

  stop(): void {
    this.#isStopped = true;
    this.endWork();
  }

  /** Ends everything at once: terminals break their connections, and confirm and check nothing more. */
  abort(): void {
    this.stop();
    this.#shared.all.end();
    this.#shared.client.close();
  }

  /** How many terminals have what they wait with: over MQTT, a connection to the broker. */
  get receiving(): number {
    return this.#terminals.filter(({ isReceiving }) => isReceiving).length;
  }

  /** The result of the run, as `--json` prints it. */
  summary() {
    const { stats, sent, clock } = this.#shared;
    const { latencies, counts, errors, broken } = stats;
    const seconds = (clock.elapsed() - this.#began) / SECOND;
    return {
      terminals: this.#terminals.length,
      connected: this.#terminals.filter(({ isConnected }) => isConnected).length,
      seconds: rounded(seconds),
      requests_per_second: rounded(counts.requests / seconds),
      latency_ms: latencies,
      ...counts,
      /** Notifications not received by the end, without those counted as lost. */
      notifications_outstanding: sent.outstanding,
      scenario: this.#scenario,
      error_examples: [...errors],
      broken,
    };
  }

  async #startOne(terminal: SimulatedTerminal, index: number): Promise<void> {
    const { work } = this.#shared;
    await work.pause((this.options.rampMs * index) / this.#terminals.length);
    if (!work.hasEnded()) await terminal.run();
  }

  /** Waits for the ramp, and until all terminals have started or one has failed. */
  async #started(): Promise<void> {
    const { work, clock, stats } = this.#shared;
    const { forMs, rampMs } = this.options;
    await work.pause(Math.min(rampMs, forMs));
    if (forMs <= rampMs) return;
    const end = clock.elapsed() + START_MS;
    const hasFailed = (): boolean => stats.counts.errors + stats.counts.refused > 0;
    while (this.receiving < this.#terminals.length && !hasFailed()) {
      if (work.hasEnded() || clock.elapsed() > end) return;
      await work.pause(START_STEP_MS);
    }
  }

  /** Sends notifications through `/v1` until activities end. Errors: `SimulationRefused`. */
  async #notify(): Promise<void> {
    if (this.options.notify === null) return;
    const { token, everyMs, groupId } = this.options.notify;
    const { client, all, work, sent, stats } = this.#shared;
    const api = new Api(client, token, all);
    for (;;) {
      await work.pause(everyMs);
      if (work.hasEnded()) return;
      const connected = this.#terminals.filter(({ isConnected }) => isConnected);
      if (connected.length === 0) continue;
      const content = sent.add(connected.map(({ serialNumber }) => serialNumber));
      const numbers = connected.map(({ logicalNumber }) => logicalNumber);
      const target =
        groupId === null
          ? { range: 'specific_logical_numbers', logical_numbers: numbers }
          : { range: 'group', group_id: groupId };
      // The key makes a repetition after a lost answer safe.
      const headers = { 'idempotency-key': randomUUID() };
      const body = JSON.stringify({ content, ...target });
      await api.ask({ method: 'POST', path: '/v1/notifications', headers, body });
      stats.count('notifications_sent');
    }
  }

  async #command(): Promise<void> {
    const { commands } = this.options;
    if (commands == null) return;
    const { client, all, work, stats, clock } = this.#shared;
    const api = new Api(client, commands.token, all);
    const random = createRandom(this.options.seed);
    for (;;) {
      await work.pause(commands.everyMs);
      if (work.hasEnded()) return;
      const connected = this.#terminals.filter(({ isConnected }) => isConnected);
      if (connected.length === 0) continue;
      const some = Array.from({ length: 3 }, () => random.pick(connected).serialNumber);
      const input = {
        action: random.pick(SENT_ACTIONS),
        expiresAt: new Date(clock.now().getTime() + random.whole(1, 60) * MINUTE),
        urgent: random.chance(0.2),
      };
      await sendCommand(api, input, some);
      stats.count('commands_sent');
    }
  }

  async #runScenario(): Promise<void> {
    if (this.options.scenario === null) return;
    this.#scenario = await this.options.scenario.run(this.#shared, this.#terminals.length);
    this.endWork();
  }

  /** Waits until the commands of the run are confirmed; resolves to how many are not. */
  async #openCommands(isOver: () => boolean): Promise<number> {
    const { commands } = this.options;
    const { client, all, clock } = this.#shared;
    if (commands == null) return 0;
    const api = new Api(client, commands.token, all);
    for (;;) {
      const open = await openCommands(api, clock.now());
      if (open === 0 || isOver()) return open;
      await all.pause(SETTLE_STEP_MS);
    }
  }

  /** Waits until terminals have received everything; what is missing then is lost. */
  async #settle(): Promise<void> {
    const { clock, sent, all, transport } = this.#shared;
    const now = clock.elapsed();
    // The pauses of a server that publishes double, so the next one is not longer than all of them before.
    const end = now + SETTLE_MS + (transport.over === 'mqtt' ? now - this.#began : 0);
    const isOver = (): boolean => this.#isStopped || clock.elapsed() >= end;
    while (sent.outstanding > 0 && !isOver()) await all.pause(SETTLE_STEP_MS);
    if (!this.#isStopped) sent.noteLost();
    const open = await this.#openCommands(isOver);
    if (open > 0 && !this.#isStopped) this.#shared.stats.broke('lost_delivery', `${open} commands`);
  }
}

async function atMost(ms: number, work: Promise<unknown>): Promise<void> {
  const limit = new Pauses();
  await Promise.race([work, limit.pause(ms)]);
  limit.end();
}
