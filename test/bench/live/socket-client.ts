import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';

const OPENED = '\r\n\r\n';
const [TEXT, PING] = [0x81, 0x89];
const PONG = 0x8a;
/** A frame of at most 125 bytes, of at most 64 KiB, of more. */
const [MEDIUM, LONG] = [126, 127];

/** A WebSocket that does as little as it can with what it receives: no message is copied or parsed. */
export class SocketClient {
  readonly #socket: Socket;
  #rest: Buffer = Buffer.alloc(0);
  #isOpen = false;

  /** `onText` gets the buffer that has the text, from `start` to `end`. */
  constructor(
    { hostname, port }: URL,
    localAddress: string,
    private readonly onOpen: () => void,
    private readonly onText: (bytes: Buffer, start: number, end: number) => void,
    onClose: () => void,
  ) {
    this.#socket = connect({ host: hostname, port: Number(port), localAddress, noDelay: true });
    this.#socket.write(
      `GET /graphql HTTP/1.1\r\nHost: ${hostname}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
        `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${randomBytes(16).toString('base64')}\r\n` +
        'Sec-WebSocket-Protocol: graphql-transport-ws\r\n\r\n',
    );
    this.#socket
      .on('data', (bytes) => this.#receive(bytes))
      .on('error', () => undefined)
      .on('close', onClose);
  }

  /** Sends a text of at most 64 KiB. */
  say(message: object): void {
    this.#write(TEXT, Buffer.from(JSON.stringify(message)));
  }

  end(): void {
    this.#socket.destroy();
  }

  #receive(bytes: Buffer): void {
    let all = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    if (!this.#isOpen) {
      const end = all.indexOf(OPENED);
      if (end === -1) {
        this.#rest = all;
        return;
      }
      if (!all.toString('latin1', 0, end).startsWith('HTTP/1.1 101')) {
        throw new Error(all.toString('latin1', 0, end));
      }
      all = all.subarray(end + OPENED.length);
      this.#isOpen = true;
      this.onOpen();
    }
    this.#rest = all.subarray(this.#frames(all));
  }

  /** Handles the complete frames; returns where the incomplete one begins. */
  #frames(bytes: Buffer): number {
    let at = 0;
    while (bytes.length - at >= 2) {
      const short = bytes.readUInt8(at + 1);
      const head = short === LONG ? 10 : short === MEDIUM ? 4 : 2;
      if (bytes.length - at < head) return at;
      const length =
        head === 2 ? short : head === 4 ? bytes.readUInt16BE(at + 2) : Number(bytes.readBigUInt64BE(at + 2));
      const start = at + head;
      if (bytes.length < start + length) return at;
      const kind = bytes.readUInt8(at);
      if (kind === TEXT) this.onText(bytes, start, start + length);
      else if (kind === PING) this.#write(PONG, bytes.subarray(start, start + length));
      else throw new Error(`A frame of another kind: ${kind}`);
      at = start + length;
    }
    return at;
  }

  #write(kind: number, payload: Buffer): void {
    const isMedium = payload.length >= MEDIUM;
    // The mask is zero, which leaves the bytes as they are.
    const head = Buffer.alloc(isMedium ? 8 : 6);
    head.writeUInt8(kind, 0);
    head.writeUInt8(0x80 | (isMedium ? MEDIUM : payload.length), 1);
    if (isMedium) head.writeUInt16BE(payload.length, 2);
    this.#socket.write(Buffer.concat([head, payload]));
  }
}
