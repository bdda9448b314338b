import { MqttClient, type IPublishPacket } from 'mqtt';
import { randomBytes } from 'node:crypto';
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';

import { atMostEvery, MINUTE, pause, SECOND, systemClock } from '../platform/clock.js';
import { yieldToEventLoop } from '../platform/concurrency/event-loop.js';
import type { MqttSettings } from '../platform/config/mqtt.js';
import { codeOf } from '../platform/errors.js';
import type { Logger } from '../platform/logger.js';
import type { MqttStats } from '../platform/terminal.js';
import { CONFIRM_FILTER } from './delivery-queue.js';

export const LINK_TIMES = {
  /** Maximum time from the first packet to the answer of the broker to the subscription. */
  connectMs: 10 * SECOND,
  /** Maximum time from a publish to its acknowledgement: less than the lease of a delivery. */
  acknowledgeMs: 10 * SECOND,
  /** Between a packet to the broker and the next one; it must answer within this time. */
  keepaliveMs: 30 * SECOND,
  /** Before the second attempt to connect; twice as long before each further one, up to `longestPauseMs`. */
  firstPauseMs: SECOND,
  longestPauseMs: 30 * SECOND,
  /** The longest pause after an attempt for which nothing listened: a broker that is started again is used soon. */
  notReachedPauseMs: 2 * SECOND,
  /** A connection that has lasted so long is a success, after which the pause is the first one again. */
  steadyMs: MINUTE,
};
export type LinkTimes = Readonly<typeof LINK_TIMES>;

export interface LinkOptions {
  readonly broker: MqttSettings;
  readonly times: LinkTimes;
  readonly logger: Logger;
  readonly stats: MqttStats;
  /** Called for each message on a topic of `CONFIRM_FILTER`, or whatever else the broker sends, unless it is retained. */
  readonly onMessage: (topic: string, payload: Buffer) => void;
  /** Called when there is a connection. */
  readonly onConnected: () => void;
}

/** Messages handled before yielding to the event loop. */
const MESSAGES_PER_TURN = 32;
const CLOSE_MS = SECOND;
const LOG_MS = MINUTE;

/** A subscription to confirmations; another one follows when it has ended (decisions.md#mqtt-connection). */
export class Connection {
  /** True if a TCP connection was opened: something listens at the address of the broker. */
  isReached = false;
  /** Resolves when the broker has accepted the subscription. Rejects with the reason if it has not in time. */
  readonly opened: Promise<void>;
  /** Resolves to the reason when the connection has ended. */
  readonly ended: Promise<string>;
  readonly #client: MqttClient;
  readonly #acknowledgeMs: number;
  #reason: string | null = null;
  #isOpen = false;
  #messages = 0;

  constructor({ broker, times, onMessage }: LinkOptions) {
    this.#acknowledgeMs = times.acknowledgeMs;
    const client = new MqttClient(() => openStream(broker, () => (this.isReached = true)), {
      protocolVersion: 4,
      clean: true,
      clientId: `gateway${randomBytes(8).toString('hex')}`,
      ...(broker.username === null ? {} : { username: broker.username }),
      ...(broker.password === null ? {} : { password: broker.password }),
      keepalive: Math.max(1, Math.round(times.keepaliveMs / SECOND)),
      // Another connection is another client: nothing is repeated, or waits, inside of this one.
      reconnectPeriod: 0,
      resubscribe: false,
      queueQoSZero: false,
    });
    this.#client = client;
    client.handleMessage = (packet, done) => void this.#handle(packet, onMessage).then(() => done());
    client.on('error', (error) => this.#end(codeOf(error) ?? error.message));
    this.ended = new Promise((resolve) => {
      client.on('close', () => {
        this.#end('the broker closed the connection');
        resolve(this.#reason ?? '');
      });
    });
    this.opened = this.#open(times.connectMs);
  }

  /**
   * Resolves when the broker has acknowledged the message. Rejects when it has not in time, or the connection ended. With
   * `isForNow`, the broker gets it at QoS 0, and keeps it for no terminal that is away: it could come after its end.
   */
  async publish(topic: string, payload: string, isForNow = false): Promise<void> {
    if (this.#reason !== null) throw new Error(this.#reason);
    const timer = setTimeout(() => this.#end('the broker did not acknowledge in time'), this.#acknowledgeMs);
    try {
      await this.#client.publishAsync(topic, payload, { qos: isForNow ? 0 : 1 });
    } finally {
      clearTimeout(timer);
    }
  }

  /** Says good-bye to the broker and ends the connection. Call it when no message waits for its acknowledgement. */
  async close(): Promise<void> {
    if (!this.#isOpen) this.#end('closed');
    else this.#client.end();
    this.#reason ??= 'closed';
    const timer = setTimeout(() => this.#client.stream.destroy(), CLOSE_MS);
    await this.ended;
    clearTimeout(timer);
  }

  async #open(connectMs: number): Promise<void> {
    const timer = setTimeout(() => this.#end('the broker did not answer in time'), connectMs);
    try {
      await Promise.race([new Promise((resolve) => this.#client.once('connect', resolve)), this.ended]);
      if (this.#reason !== null) throw new Error(this.#reason);
      await this.#client.subscribeAsync(CONFIRM_FILTER, { qos: 1 });
      this.#isOpen = true;
    } catch (error) {
      if (isAnswer(error)) this.#end(`the broker refuses to send ${CONFIRM_FILTER}`);
      throw new Error(await this.ended);
    } finally {
      clearTimeout(timer);
    }
  }

  /** The broker gets its acknowledgement, and the next message is read, when this has resolved. */
  async #handle({ topic, payload, retain }: IPublishPacket, onMessage: LinkOptions['onMessage']) {
    this.#messages += 1;
    if (this.#messages % MESSAGES_PER_TURN === 0) await yieldToEventLoop();
    // A retained message comes with each subscription: its terminal may have been away for months.
    if (!retain) onMessage(topic, typeof payload === 'string' ? Buffer.from(payload) : payload);
  }

  /** Ends the connection at once: publishes that wait for their acknowledgement are rejected. */
  #end(reason: string): void {
    this.#reason ??= reason;
    this.#isOpen = false;
    this.#client.end(true);
  }
}

/** True if the error came from the broker, and not from the end of the connection. */
const isAnswer = (error: unknown): boolean =>
  error instanceof Error && 'packet' in error && error.packet !== undefined;

function openStream({ host, port, tls }: MqttSettings, onReached: () => void): Socket {
  const name = isIP(host) === 0 ? { servername: host } : {};
  const ca = tls?.ca ?? null;
  const socket =
    tls === null
      ? connectTcp({ host, port })
      : connectTls({ host, port, ...name, ...(ca !== null && { ca }), minVersion: 'TLSv1.2' });
  socket.once('connect', onReached);
  socket.setNoDelay(true);
  return socket;
}

/** Keeps a connection to the broker: when it ends, opens another one, with pauses that grow and differ between nodes. */
export class BrokerLink {
  /** Null while there is none. */
  connection: Connection | null = null;
  readonly #stopping = new AbortController();
  /** The latest connection, also one that is being opened. */
  #latest: Connection | null = null;
  #running = Promise.resolve();
  #pauseMs: number;
  #isLogDue = atMostEvery(LOG_MS);

  constructor(private readonly options: LinkOptions) {
    this.#pauseMs = options.times.firstPauseMs;
  }

  start(): void {
    this.#running = this.#run();
  }

  /** The broker has done something useful: the next pause is the first one again. */
  succeeded(): void {
    this.#pauseMs = this.options.times.firstPauseMs;
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
      if (systemClock.elapsed() - since >= this.options.times.steadyMs) this.succeeded();
      await this.#pause();
    }
  }

  /** Resolves to the reason why there is no connection any more. */
  async #useConnection(): Promise<string> {
    const connection = new Connection(this.options);
    this.#latest = connection;
    try {
      await connection.opened;
    } catch (error) {
      return (error as Error).message;
    }
    const { logger, stats, onConnected } = this.options;
    this.connection = connection;
    stats.isConnected = true;
    stats.connections += 1;
    this.#isLogDue = atMostEvery(LOG_MS);
    logger.info('MQTT broker connected');
    onConnected();
    const reason = await connection.ended;
    this.connection = null;
    stats.isConnected = false;
    return reason;
  }

  #logLoss(reason: string): void {
    if (this.#isLogDue()) this.options.logger.warn({ reason }, 'MQTT broker not connected, trying again');
  }

  async #pause(): Promise<void> {
    const { longestPauseMs, notReachedPauseMs } = this.options.times;
    const longest = this.#latest?.isReached === true ? longestPauseMs : notReachedPauseMs;
    const pauseMs = Math.min(longest, this.#pauseMs) * (0.5 + Math.random() / 2);
    this.#pauseMs = Math.min(longest, 2 * this.#pauseMs);
    await pause(pauseMs, this.#stopping.signal);
  }
}
