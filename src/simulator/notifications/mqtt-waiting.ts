import { SECOND } from '../../platform/clock.js';
import { NoAnswer } from '../http-client.js';
import { PushedText } from '../messages.js';
import { MqttConnection, type BrokerOptions } from '../mqtt-connection.js';
import { RunIsOver } from '../terminal-http.js';
import type { TerminalParts } from '../terminal-parts.js';
import type { Confirmations } from './confirmations.js';

/** The topics of one terminal, for example `terminals/1/110000/notifications`. */
export interface Topics {
  readonly notifications: string;
  readonly confirm: string;
  /** Under which the access rules of brokers know the terminal: `1/110000`. */
  readonly username: string;
}

/** The logical number is percent-encoded (RFC 3986). */
export function topicsOf(companyId: string, logicalNumber: string): Topics {
  const level = encodeURIComponent(logicalNumber).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  const username = `${companyId}/${level}`;
  const own = `terminals/${username}`;
  return { username, notifications: `${own}/notifications`, confirm: `${own}/confirm` };
}

const LONGEST_PAUSE_MS = 30 * SECOND;

/** Keeps one terminal connected to a broker; it has its own user name if there is a password without one. */
export class MqttWait {
  #connection: MqttConnection | null = null;
  /** Counts connections. */
  #number = 0;

  constructor(
    private readonly broker: BrokerOptions,
    private readonly topics: Topics,
    private readonly parts: TerminalParts,
  ) {}

  /** Receives until the run ends. Errors: `RunIsOver`. */
  async receive(confirmations: Confirmations): Promise<never> {
    const { random, shared } = this.parts;
    for (let pause = SECOND; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
      if (shared.all.hasEnded()) throw new RunIsOver();
      try {
        const connection = await this.#open(confirmations);
        this.#connection = connection;
        pause = SECOND;
        if (shared.hasFaults) void this.#loseSometime(connection);
        await connection.closed;
      } catch (error) {
        if (!(error instanceof NoAnswer)) throw error;
        if (!shared.all.hasEnded()) shared.figures.error(error.message);
      }
      await shared.all.pause(pause / 2 + random.whole(0, pause));
    }
  }

  /** Publishes when there is a connection, again if it breaks. Errors: `RunIsOver`. */
  async confirm(payload: string): Promise<void> {
    const { random, shared } = this.parts;
    for (;;) {
      try {
        if (this.#connection !== null) {
          await this.#connection.publish(this.topics.confirm, payload);
          return;
        }
      } catch (error) {
        if (!(error instanceof NoAnswer)) throw error;
      }
      if (shared.all.hasEnded()) throw new RunIsOver();
      await shared.all.pause(random.whole(200, 1_000));
    }
  }

  /** Whether it receives what is published now. */
  get isConnected(): boolean {
    return this.#connection?.isOpen === true;
  }

  end(): void {
    this.#connection?.end();
  }

  async #open(confirmations: Confirmations): Promise<MqttConnection> {
    const { serialNumber, shared } = this.parts;
    this.#number += 1;
    const connection = this.#number;
    const onMessage = (payload: Buffer): void => {
      const message = messageOf(payload);
      if (message === null) {
        shared.figures.error(`mqtt: a message that is none: ${payload.toString('utf8', 0, 100)}`);
      } else {
        confirmations.take(message, { at: shared.clock.elapsed(), connection });
      }
    };
    const clientId = `simulated-${serialNumber}`;
    const { notifications: topic, username: own } = this.topics;
    const { password, username = password === undefined ? undefined : own } = this.broker;
    const broker = { ...this.broker, username };
    const opened = await MqttConnection.open({ broker, clientId, topic, onMessage });
    await opened.publish(this.topics.confirm, '{"type":"hello"}');
    return opened;
  }

  async #loseSometime(connection: MqttConnection): Promise<void> {
    const { random, shared } = this.parts;
    await shared.work.pause(random.whole(10, 180) * SECOND);
    if (shared.work.hasEnded() || connection !== this.#connection) return;
    shared.figures.count('connections_lost');
    connection.break();
  }
}

/** Null for a text of another form. */
function messageOf(payload: Buffer): { readonly id: string; readonly message: string } | null {
  try {
    const { message } = PushedText.parse(JSON.parse(payload.toString()));
    const [id = ''] = message.split('|');
    return { id, message };
  } catch {
    return null;
  }
}
