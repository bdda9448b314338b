import type { MqttClient } from 'mqtt';

import { SECOND } from '../platform/clock.js';
import { NoAnswer } from './http-client.js';

export interface BrokerOptions {
  /** `mqtt://host:1883` or `mqtts://host:8883`. */
  readonly url: URL;
  readonly username: string | undefined;
  readonly password: string | undefined;
  /** Trusted certificates (PEM); undefined for those of Node. */
  readonly ca: string | undefined;
}

export interface OpenOptions {
  readonly broker: BrokerOptions;
  readonly clientId: string;
  readonly topic: string;
  readonly onMessage: (payload: Buffer) => void;
}

const CONNECT_MS = 30 * SECOND;
/** A broker that does not take the good-bye in this time is left without it. */
const END_MS = SECOND;

/** A connection of one terminal to a broker, with one subscription; it is used once. */
export class MqttConnection {
  /** Resolves when the connection has ended. */
  readonly closed: Promise<void>;
  #reason = 'the broker closed the connection';

  private constructor(private readonly client: MqttClient) {
    client.on('error', (error) => this.#endWith(reasonOf(error)));
    this.closed = new Promise((resolve) => {
      client.on('close', () => {
        this.break();
        resolve();
      });
    });
  }

  /** Connects and subscribes. Errors: `NoAnswer`. */
  static async open({ broker, clientId, topic, onMessage }: OpenOptions): Promise<MqttConnection> {
    const { url, username, password, ca } = broker;
    const { connect } = await import('mqtt');
    const client = connect(url.href, {
      clientId,
      ...(username === undefined ? {} : { username }),
      ...(password === undefined ? {} : { password }),
      ...(ca === undefined ? {} : { ca }),
      connectTimeout: CONNECT_MS,
      // With a clean session: what is sent to a terminal without a connection, the server sends again after its lease.
      clean: true,
      reconnectPeriod: 0,
    });
    client.on('message', (_topic, payload) => onMessage(payload));
    const connection = new MqttConnection(client);
    await connection.#subscribe(topic);
    return connection;
  }

  get isOpen(): boolean {
    return this.client.connected;
  }

  /** Publishes a message. Resolves when the broker has acknowledged it. Errors: `NoAnswer`. */
  async publish(topic: string, payload: string): Promise<void> {
    if (!this.isOpen) throw this.#broken();
    await this.client.publishAsync(topic, payload, { qos: 1 }).catch(() => {
      throw this.#broken();
    });
  }

  /** Drops the connection without informing the broker, as a network failure does. */
  break(): void {
    this.client.end(true);
  }

  end(): void {
    this.client.end();
    setTimeout(() => this.client.stream.destroy(), END_MS).unref();
  }

  async #subscribe(topic: string): Promise<void> {
    const { client } = this;
    await Promise.race([new Promise((resolve) => client.once('connect', resolve)), this.closed]);
    if (!this.isOpen) throw this.#broken();
    try {
      await client.subscribeAsync(topic, { qos: 1 });
    } catch (error) {
      if (isAnswer(error)) this.#endWith('the broker refused the subscription');
      throw this.#broken();
    }
  }

  #endWith(reason: string): void {
    this.#reason = reason;
    this.break();
  }

  #broken(): NoAnswer {
    return new NoAnswer(`mqtt: ${this.#reason}`);
  }
}

/** Whether the error came from the broker, and not from the end of the connection. */
const isAnswer = (error: unknown): boolean =>
  error instanceof Error && 'packet' in error && error.packet !== undefined;

/** For example `ECONNREFUSED`; without a code of the system, the message. */
function reasonOf(error: Error): string {
  const { code } = error as { readonly code?: unknown };
  return typeof code === 'string' ? code : error.message;
}
