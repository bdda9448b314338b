import { setTimeout as sleep } from 'node:timers/promises';

import { MINUTE, SECOND, systemClock } from '../platform/clock.js';
import type { Logger } from '../platform/logger.js';
import { Connection, CONNECTION_TIMES, type ConnectionOptions, type ConnectionTimes } from './connection.js';
import type { MqttFigures } from './delivery-queue.js';

export interface LinkTimes extends ConnectionTimes {
  /** Before the second attempt to connect; twice as long before each further one, up to `longestPauseMs`. */
  readonly firstPauseMs: number;
  readonly longestPauseMs: number;
  /** The longest pause after an attempt for which nothing listened: a broker that is started again is used soon. */
  readonly notReachedPauseMs: number;
  /** A connection that has lasted so long is a success, after which the pause is the first one again. */
  readonly steadyMs: number;
}

export const LINK_TIMES: LinkTimes = {
  ...CONNECTION_TIMES,
  firstPauseMs: SECOND,
  longestPauseMs: 30 * SECOND,
  notReachedPauseMs: 2 * SECOND,
  steadyMs: MINUTE,
};

const LOG_MS = MINUTE;

export interface LinkOptions extends Omit<ConnectionOptions, 'times'> {
  readonly times: LinkTimes;
  readonly logger: Logger;
  readonly figures: MqttFigures;
  /** Called when there is a connection. */
  readonly onConnected: () => void;
}

/** Keeps a connection to the broker: when it ends, opens another one, with pauses that grow and differ between nodes. */
export class BrokerLink {
  /** Null while there is none. */
  connection: Connection | null = null;
  readonly #options: LinkOptions;
  readonly #stopping = new AbortController();
  /** Also one that is being opened. */
  #latest: Connection | null = null;
  #running = Promise.resolve();
  #pauseMs: number;
  #loggedAt = -Infinity;

  constructor(options: LinkOptions) {
    this.#options = options;
    this.#pauseMs = options.times.firstPauseMs;
  }

  start(): void {
    this.#running = this.#run();
  }

  /** The broker has done something useful: the next pause is the first one again. */
  succeeded(): void {
    this.#pauseMs = this.#options.times.firstPauseMs;
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#latest?.close();
    await this.#running;
  }

  #isStopping(): boolean {
    return this.#stopping.signal.aborted;
  }

  async #run(): Promise<void> {
    while (!this.#isStopping()) {
      const since = systemClock.elapsed();
      const reason = await this.#useConnection();
      if (this.#isStopping()) return;
      this.#logLoss(reason);
      if (systemClock.elapsed() - since >= this.#options.times.steadyMs) this.succeeded();
      await this.#pause();
    }
  }

  /** Resolves to the reason why there is no connection any more. */
  async #useConnection(): Promise<string> {
    const connection = new Connection(this.#options);
    this.#latest = connection;
    try {
      await connection.opened;
    } catch (error) {
      return (error as Error).message;
    }
    const { logger, figures, onConnected } = this.#options;
    this.connection = connection;
    figures.isConnected = true;
    figures.connections += 1;
    this.#loggedAt = -Infinity;
    logger.info('MQTT broker connected');
    onConnected();
    const reason = await connection.ended;
    this.connection = null;
    figures.isConnected = false;
    return reason;
  }

  #logLoss(reason: string): void {
    const now = systemClock.elapsed();
    if (now - this.#loggedAt < LOG_MS) return;
    this.#loggedAt = now;
    this.#options.logger.warn({ reason }, 'MQTT broker not connected, trying again');
  }

  async #pause(): Promise<void> {
    const { longestPauseMs, notReachedPauseMs } = this.#options.times;
    const longest = this.#latest?.isReached === true ? longestPauseMs : notReachedPauseMs;
    const pauseMs = Math.min(longest, this.#pauseMs) * (0.5 + Math.random() / 2);
    this.#pauseMs = Math.min(longest, 2 * this.#pauseMs);
    await sleep(pauseMs, undefined, { signal: this.#stopping.signal }).catch(() => undefined);
  }
}
