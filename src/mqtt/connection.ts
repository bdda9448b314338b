import { randomBytes } from 'node:crypto';
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';

import { MqttClient, type IPublishPacket } from 'mqtt';

import { SECOND } from '../platform/clock.js';
import { enterEventLoop } from '../platform/concurrency/event-loop.js';
import type { MqttSettings } from '../platform/config/mqtt.js';
import { GuardedStream } from './guarded-stream.js';
import { CONFIRM_FILTER } from './topics.js';

export interface ConnectionTimes {
  /** From the first packet to the answer of the broker to the subscription, at most. */
  readonly connectMs: number;
  /** From a publish to its acknowledgement, at most: less than the lease of a delivery. */
  readonly acknowledgeMs: number;
  /** Between a packet to the broker and the next one; it must answer within this time. */
  readonly keepaliveMs: number;
}

export const CONNECTION_TIMES: ConnectionTimes = {
  connectMs: 10 * SECOND,
  acknowledgeMs: 10 * SECOND,
  keepaliveMs: 30 * SECOND,
};

export interface ConnectionOptions {
  readonly broker: MqttSettings;
  readonly times: ConnectionTimes;
  /** Called for each message on a topic of `CONFIRM_FILTER`, or whatever else the broker sends, unless it is retained. */
  readonly onMessage: (topic: string, payload: Buffer) => void;
}

/**
 * A connection that is subscribed to the confirmations. When it has ended, another one is opened
 * (decisions.md#mqtt-connection).
 */
export interface Connection {
  /** Resolves when the broker has acknowledged the message. Rejects when it has not in time, or the connection ended. */
  publish(topic: string, payload: string): Promise<void>;
  /** Resolves to the reason when the connection has ended. */
  readonly ended: Promise<string>;
  /** Says good-bye to the broker and ends the connection. */
  close(): Promise<void>;
}

/** Nothing listens at the address of the broker, or the network does not lead there. */
export class BrokerNotReached extends Error {}

/** Messages handled before yielding to the event loop. */
const MESSAGES_PER_TURN = 32;
const CLOSE_MS = SECOND;

/**
 * Connects and subscribes. Rejects with the reason if that fails, or takes longer than it may: with `BrokerNotReached` if
 * not even a TCP connection was opened.
 */
export async function openConnection(options: ConnectionOptions): Promise<Connection> {
  const connection = new BrokerConnection(options);
  await connection.opened;
  return connection;
}

class BrokerConnection implements Connection {
  readonly opened: Promise<void>;
  readonly ended: Promise<string>;
  readonly #client: MqttClient;
  readonly #acknowledgeMs: number;
  readonly #unacknowledged = new Set<(error: Error) => void>();
  #reason: string | null = null;
  #isReached = false;
  #messages = 0;

  constructor({ broker, times, onMessage }: ConnectionOptions) {
    this.#acknowledgeMs = times.acknowledgeMs;
    const client = new MqttClient(() => openStream(broker, () => (this.#isReached = true)), {
      protocolVersion: 4,
      clean: true,
      clientId: `gateway${randomBytes(8).toString('hex')}`,
      ...(broker.username === null ? {} : { username: broker.username }),
      ...(broker.password === null ? {} : { password: broker.password }),
      keepalive: Math.max(1, Math.round(times.keepaliveMs / SECOND)),
      connectTimeout: times.connectMs,
      // Another connection is another client: nothing is repeated, or waits, inside of this one.
      reconnectPeriod: 0,
      resubscribe: false,
      queueQoSZero: false,
      manualConnect: true,
    });
    this.#client = client;
    client.handleMessage = (packet, done) => void this.#handle(packet, onMessage).then(() => done());
    client.on('error', (error) => this.#end(reasonOf(error)));
    this.ended = new Promise((resolve) => {
      client.on('close', () => {
        this.#reason ??= 'the broker closed the connection';
        this.#failPublishes();
        resolve(this.#reason);
      });
    });
    this.opened = this.#open(times.connectMs);
    client.connect();
    client.stream.on('error', (error: Error) => {
      this.#reason ??= reasonOf(error);
    });
  }

  publish(topic: string, payload: string): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#reason !== null) {
        reject(new Error(this.#reason));
        return;
      }
      const timer = setTimeout(
        () => this.#end('the broker did not acknowledge in time'),
        this.#acknowledgeMs,
      );
      const settle = (error?: Error | null): void => {
        clearTimeout(timer);
        if (!this.#unacknowledged.delete(settle)) return;
        if (error instanceof Error) reject(error);
        else resolve();
      };
      this.#unacknowledged.add(settle);
      this.#client.publish(topic, payload, { qos: 1, retain: false }, settle);
    });
  }

  async close(): Promise<void> {
    this.#reason ??= 'closed';
    const timer = setTimeout(() => this.#client.stream.destroy(), CLOSE_MS);
    this.#client.end(false);
    await this.ended;
    clearTimeout(timer);
  }

  async #open(connectMs: number): Promise<void> {
    const client = this.#client;
    const timer = setTimeout(() => this.#end('the broker did not answer in time'), connectMs);
    const subscribed = new Promise<void>((resolve, reject) => {
      client.on('connect', () => {
        client.subscribe(CONFIRM_FILTER, { qos: 1 }, (error) => {
          if (error === null) resolve();
          else if (isAnswer(error)) reject(new Error(`the broker refuses to send ${CONFIRM_FILTER}`));
          else reject(new Error(this.#reason ?? error.message));
        });
      });
    });
    const failed = this.ended.then((reason) => Promise.reject(new Error(reason)));
    try {
      await Promise.race([subscribed, failed]);
    } catch (error) {
      const { message } = error as Error;
      this.#end(message);
      throw this.#isReached ? error : new BrokerNotReached(message);
    } finally {
      clearTimeout(timer);
      failed.catch(() => undefined);
    }
  }

  /** The broker gets its acknowledgement, and the next message is read, when this has resolved. */
  async #handle(
    { topic, payload, retain }: IPublishPacket,
    onMessage: ConnectionOptions['onMessage'],
  ): Promise<void> {
    this.#messages += 1;
    if (this.#messages % MESSAGES_PER_TURN === 0) await enterEventLoop();
    // A retained message comes with each subscription: its terminal may have been away for months.
    if (!retain) onMessage(topic, typeof payload === 'string' ? Buffer.from(payload) : payload);
  }

  #end(reason: string): void {
    this.#reason ??= reason;
    this.#client.stream.destroy();
  }

  #failPublishes(): void {
    const error = new Error(this.#reason ?? 'the connection ended');
    for (const settle of [...this.#unacknowledged]) settle(error);
  }
}

/** Whether it came from the broker, and not from the end of the connection. */
const isAnswer = (error: Error): boolean => 'packet' in error && error.packet !== undefined;

/** For example `ECONNREFUSED`; without a code of the system, the message. */
function reasonOf(error: Error): string {
  const { code } = error as { readonly code?: unknown };
  return typeof code === 'string' ? code : error.message;
}

function openStream({ host, port, tls }: MqttSettings, onReached: () => void): GuardedStream {
  const socket = tls === null ? connectTcp({ host, port }) : openTls(host, port, tls.ca);
  socket.once('connect', onReached);
  socket.setNoDelay(true);
  socket.setKeepAlive(true, 30 * SECOND);
  return new GuardedStream(socket);
}

function openTls(host: string, port: number, ca: string | null): Socket {
  const name = isIP(host) === 0 ? { servername: host } : {};
  return connectTls({ host, port, ...name, ...(ca === null ? {} : { ca }), minVersion: 'TLSv1.2' });
}
