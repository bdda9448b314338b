import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';

import { SECOND } from '../../platform/clock.js';
import { NoAnswer } from '../http-client.js';
import {
  connectPacket,
  DISCONNECT,
  PacketReader,
  PINGREQ,
  pubackPacket,
  publishPacket,
  subscribePacket,
  type ConnectFields,
  type Packet,
} from './packets.js';

export interface BrokerOptions {
  /** `mqtt://host:1883` or `mqtts://host:8883`. */
  readonly url: URL;
  readonly username: string | undefined;
  readonly password: string | undefined;
  /** Trusted certificates (PEM); undefined for those of Node. */
  readonly ca: string | undefined;
}

const KEEP_ALIVE_SECONDS = 60;
const CONNECT_MS = 30 * SECOND;
const MAX_PACKET_ID = 0xffff;
/** First code in SUBACK that means a refused subscription. */
const REFUSED = 0x80;
/** Meaning of the codes in CONNACK by which a broker refuses a connection. */
const REFUSALS: Readonly<Record<number, string>> = {
  1: 'it does not know MQTT 3.1.1',
  2: 'the client id is not allowed',
  3: 'it is not available',
  4: 'the user name or the password is wrong',
  5: 'the user is not authorized',
};

export interface OpenOptions {
  readonly broker: BrokerOptions;
  readonly clientId: string;
  readonly topic: string;
  readonly onMessage: (payload: Buffer) => void;
}

/**
 * Connection of one terminal to a broker, with one subscription. Does not use the MQTT library of the server:
 * a fault on both sides could cancel out, and 10,000 connections of it need more memory.
 */
export class MqttConnection {
  /** Resolves when the connection has ended. */
  readonly closed: Promise<void>;
  readonly #reader = new PacketReader();
  /** Callbacks for packets that wait for their acknowledgement, by packet id. */
  readonly #waiting = new Map<
    number,
    { readonly resolve: () => void; readonly reject: (error: Error) => void }
  >();
  #lastId = 0;
  #onConnected: (() => void) | null = null;
  /** Reason why the connection ended, as far as known. */
  #reason = 'the broker closed the connection';

  private constructor(
    private readonly socket: Socket,
    private readonly onMessage: (payload: Buffer) => void,
  ) {
    this.closed = new Promise((resolve) => socket.once('close', () => resolve()));
    socket.on('error', (error: NodeJS.ErrnoException) => (this.#reason = error.code ?? error.message));
    socket.on('data', (piece) => this.#take(piece));
    const ping = setInterval(() => socket.write(PINGREQ), (KEEP_ALIVE_SECONDS * SECOND) / 2);
    void this.closed.then(() => {
      clearInterval(ping);
      for (const { reject } of this.#waiting.values()) reject(this.#broken());
      this.#waiting.clear();
    });
  }

  /** Connects and subscribes. Errors: `NoAnswer`. */
  static async open({ broker, clientId, topic, onMessage }: OpenOptions): Promise<MqttConnection> {
    const { url, username, password, ca } = broker;
    const isTls = url.protocol === 'mqtts:';
    const at = {
      host: url.hostname.replaceAll(/[[\]]/g, ''),
      port: Number(url.port || (isTls ? 8883 : 1883)),
    };
    const name = isIP(at.host) === 0 ? { servername: at.host } : {};
    const socket = isTls ? connectTls({ ...at, ...name, ...(ca === undefined ? {} : { ca }) }) : connect(at);
    const connection = new MqttConnection(socket, onMessage);
    const timer = setTimeout(() => connection.#endWith('the broker did not answer'), CONNECT_MS);
    const fields = { clientId, username, password, keepAliveSeconds: KEEP_ALIVE_SECONDS };
    try {
      await connection.#connect(fields, isTls ? 'secureConnect' : 'connect');
      await connection.#acknowledged((packetId) => subscribePacket(packetId, topic));
    } catch (error) {
      socket.destroy();
      throw error;
    } finally {
      clearTimeout(timer);
    }
    return connection;
  }

  get isOpen(): boolean {
    return !this.socket.destroyed;
  }

  /** Publishes a message. Resolves when the broker has acknowledged it. Errors: `NoAnswer`. */
  async publish(topic: string, payload: string): Promise<void> {
    await this.#acknowledged((packetId) => publishPacket(packetId, topic, payload));
  }

  /** Drops the connection without informing the broker, as a network failure does. */
  break(): void {
    this.socket.destroy();
  }

  end(): void {
    this.socket.end(DISCONNECT);
    this.socket.destroySoon();
  }

  async #connect(fields: ConnectFields, event: 'connect' | 'secureConnect'): Promise<void> {
    const connected = new Promise<void>((resolve) => (this.#onConnected = resolve));
    this.socket.once(event, () => this.socket.write(connectPacket(fields)));
    const refused = this.closed.then(() => {
      throw this.#broken();
    });
    await Promise.race([connected, refused]);
    refused.catch(() => undefined);
  }

  async #acknowledged(packetOf: (packetId: number) => Buffer): Promise<void> {
    if (this.socket.destroyed) throw this.#broken();
    this.#lastId = (this.#lastId % MAX_PACKET_ID) + 1;
    const packetId = this.#lastId;
    await new Promise<void>((resolve, reject) => {
      this.#waiting.set(packetId, { resolve, reject });
      this.socket.write(packetOf(packetId));
    });
  }

  #take(piece: Buffer): void {
    try {
      for (const packet of this.#reader.read(piece)) this.#handle(packet);
    } catch {
      this.#endWith('the broker sent what is no MQTT');
    }
  }

  #handle(packet: Packet): void {
    switch (packet.type) {
      case 'connack':
        if (packet.code === 0) this.#onConnected?.();
        else this.#endWith(`the broker refused the connection: ${REFUSALS[packet.code] ?? packet.code}`);
        return;
      case 'suback':
        if (packet.code >= REFUSED) this.#endWith('the broker refused the subscription');
        else this.#resolve(packet.packetId);
        return;
      case 'puback':
        this.#resolve(packet.packetId);
        return;
      case 'publish':
        if (packet.packetId !== null) this.socket.write(pubackPacket(packet.packetId));
        this.onMessage(packet.payload);
        return;
      case 'other':
    }
  }

  #endWith(reason: string): void {
    this.#reason = reason;
    this.socket.destroy();
  }

  #broken(): NoAnswer {
    return new NoAnswer(`mqtt: ${this.#reason}`);
  }

  #resolve(packetId: number): void {
    this.#waiting.get(packetId)?.resolve();
    this.#waiting.delete(packetId);
  }
}
