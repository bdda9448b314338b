import type { MqttClient } from 'mqtt';
import { z } from 'zod';

import { SECOND } from '../platform/clock.js';
import { codeOf } from '../platform/errors.js';
import { levelOf } from '../platform/terminal.js';
import type { Confirmations, PushedMessage, Wait } from './inbox.js';
import type { Transport } from './shared.js';
import { RunIsOver, type TerminalParts } from './terminal-http.js';

const CONNECT_MS = 30 * SECOND;
const LONGEST_PAUSE_MS = 30 * SECOND;
/** The longest time of a timer, 24 days. */
const FOREVER_MS = 2 ** 31 - 1;
const CLOSED = 'the broker closed the connection';

/** Keeps one terminal connected to a broker; it has its own user name if there is a password without one. */
export class MqttWait implements Wait {
  isConnected = false;
  #client: MqttClient | null = null;
  /** Number of the connection; grows when one begins, and when it ends. */
  #number = 0;
  /** Before the next connection; doubles until there is one. */
  #pauseMs = SECOND;
  #reason = CLOSED;
  /** Under which the access rules of brokers know the terminal: `1/110000`. */
  readonly #username: string;

  constructor(
    private readonly transport: Extract<Transport, { over: 'mqtt' }>,
    logicalNumber: string,
    private readonly parts: TerminalParts,
  ) {
    this.#username = `${transport.companyId}/${levelOf(logicalNumber)}`;
  }

  /** For example `terminals/1/110000/notifications`. */
  #topic(name: 'notifications' | 'confirm'): string {
    return `terminals/${this.#username}/${name}`;
  }

  async receive(confirmations: Confirmations): Promise<never> {
    const { serialNumber, shared } = this.parts;
    const { url, password, ca } = this.transport.broker;
    const { username = password === undefined ? undefined : this.#username } = this.transport.broker;
    const { connect } = await import('mqtt');
    const client = connect(url.href, {
      clientId: `simulated-${serialNumber}`,
      ...(username === undefined ? {} : { username }),
      ...(password === undefined ? {} : { password }),
      ...(ca === undefined ? {} : { ca }),
      connectTimeout: CONNECT_MS,
      // A clean session: what is sent to a terminal without a connection, the server sends again after its lease.
      clean: true,
      resubscribe: false,
      reconnectPeriod: SECOND,
      reconnectOnConnackError: true,
    });
    this.#client = client;
    client.on('connect', () => void this.#opened(client));
    client.on('message', (_topic, payload) => this.#take(payload, confirmations));
    client.on('error', (error) => (this.#reason = codeOf(error) ?? error.message));
    client.on('close', () => this.#closed(client));
    await shared.all.pause(FOREVER_MS);
    throw new RunIsOver();
  }

  /** Publishes when there is a connection, again if it breaks. */
  async confirm(payload: string): Promise<void> {
    await this.#client?.publishAsync(this.#topic('confirm'), payload, { qos: 1 }).catch(() => {
      throw new RunIsOver();
    });
  }

  end(): void {
    this.#client?.end(true);
  }

  async #opened(client: MqttClient): Promise<void> {
    const { random, shared } = this.parts;
    this.#number += 1;
    const number = this.#number;
    try {
      await client.subscribeAsync(this.#topic('notifications'), { qos: 1 });
    } catch (error) {
      if (isAnswer(error)) this.#reason = 'the broker refused the subscription';
      client.stream.destroy();
      return;
    }
    this.isConnected = true;
    this.#pauseMs = SECOND;
    void this.confirm('{"type":"hello"}').catch(() => undefined);
    if (!shared.hasFaults) return;
    await shared.work.pause(random.whole(10, 180) * SECOND);
    if (shared.work.hasEnded() || number !== this.#number) return;
    shared.stats.count('connections_lost');
    // The broker is not informed, as in a failure of the network.
    client.stream.destroy();
  }

  #closed({ options }: MqttClient): void {
    const { random, shared } = this.parts;
    if (!this.isConnected && !shared.all.hasEnded()) shared.stats.error(`mqtt: ${this.#reason}`);
    this.isConnected = false;
    this.#number += 1;
    this.#reason = CLOSED;
    options.reconnectPeriod = this.#pauseMs / 2 + random.whole(0, this.#pauseMs);
    this.#pauseMs = Math.min(this.#pauseMs * 2, LONGEST_PAUSE_MS);
  }

  #take(payload: Buffer, confirmations: Confirmations): void {
    const { clock, stats } = this.parts.shared;
    const message = messageOf(payload);
    if (message !== null) confirmations.take(message, { at: clock.elapsed(), connection: this.#number });
    else stats.error(`mqtt: a message that is none: ${payload.toString('utf8', 0, 100)}`);
  }
}

/** True if the error came from the broker, and not from the end of the connection. */
const isAnswer = (error: unknown): boolean =>
  error instanceof Error && 'packet' in error && error.packet !== undefined;

/** A message over MQTT. Its id is in its text only. */
const PushedText = z.object({
  message: z.string(),
  command: z.string().optional(),
  expires_at: z.string().optional(),
});

/** Null for a text of another form. */
function messageOf(payload: Buffer): PushedMessage | null {
  try {
    const pushed = PushedText.parse(JSON.parse(payload.toString()));
    const [id = ''] = pushed.message.split('|');
    return { id, ...pushed };
  } catch {
    return null;
  }
}
