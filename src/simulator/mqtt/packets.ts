/** MQTT 3.1.1 packets that a terminal uses. */
export type Packet =
  | { readonly type: 'connack'; readonly code: number }
  | { readonly type: 'suback'; readonly packetId: number; readonly code: number }
  | { readonly type: 'puback'; readonly packetId: number }
  | {
      readonly type: 'publish';
      readonly topic: string;
      readonly payload: Buffer;
      /** Null with QoS 0, which needs no acknowledgement. */
      readonly packetId: number | null;
      readonly isRetained: boolean;
    }
  | { readonly type: 'other' };

const TYPES = {
  connect: 1,
  connack: 2,
  publish: 3,
  puback: 4,
  subscribe: 8,
  suback: 9,
  pingreq: 12,
  disconnect: 14,
};
const CLEAN_SESSION = 0x02;
const [HAS_USERNAME, HAS_PASSWORD] = [0x80, 0x40];
const QOS_1 = 1;
/** Maximum bytes of the length field in MQTT. */
const MAX_LENGTH_BYTES = 4;

export interface ConnectFields {
  readonly clientId: string;
  readonly username: string | undefined;
  readonly password: string | undefined;
  readonly keepAliveSeconds: number;
}

/** CONNECT with a clean session: the broker stores nothing, since the server sends again after the lease. */
export function connectPacket({ clientId, username, password, keepAliveSeconds }: ConnectFields): Buffer {
  const given = [username, password].filter((text) => text !== undefined);
  const flags =
    CLEAN_SESSION | (username === undefined ? 0 : HAS_USERNAME) | (password === undefined ? 0 : HAS_PASSWORD);
  return packet(TYPES.connect, 0, [
    text('MQTT'),
    Buffer.from([4, flags]),
    number16(keepAliveSeconds),
    text(clientId),
    ...given.map(text),
  ]);
}

export function subscribePacket(packetId: number, topic: string): Buffer {
  return packet(TYPES.subscribe, 2, [number16(packetId), text(topic), Buffer.from([QOS_1])]);
}

export function publishPacket(packetId: number, topic: string, payload: string): Buffer {
  return packet(TYPES.publish, QOS_1 << 1, [text(topic), number16(packetId), Buffer.from(payload)]);
}

export const pubackPacket = (packetId: number): Buffer => packet(TYPES.puback, 0, [number16(packetId)]);
export const PINGREQ = Buffer.from([TYPES.pingreq << 4, 0]);
export const DISCONNECT = Buffer.from([TYPES.disconnect << 4, 0]);

function packet(type: number, flags: number, parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  const length: number[] = [];
  for (let left = body.length; length.length === 0 || left > 0; left >>= 7) {
    length.push((left & 0x7f) | (left > 0x7f ? 0x80 : 0));
  }
  return Buffer.concat([Buffer.from([(type << 4) | flags, ...length]), body]);
}

function number16(value: number): Buffer {
  return Buffer.from([value >> 8, value & 0xff]);
}

function text(value: string): Buffer {
  const bytes = Buffer.from(value);
  return Buffer.concat([number16(bytes.length), bytes]);
}

/** Splits the bytes from a broker into packets. */
export class PacketReader {
  #rest: Buffer = Buffer.alloc(0);

  /** Yields the complete packets. Errors: an `Error` if the bytes are not MQTT. */
  *read(piece: Buffer): Generator<Packet, undefined> {
    this.#rest = this.#rest.length === 0 ? piece : Buffer.concat([this.#rest, piece]);
    for (;;) {
      const header = lengthIn(this.#rest);
      if (header === null || this.#rest.length < header.end + header.length) return;
      const body = this.#rest.subarray(header.end, header.end + header.length);
      const first = this.#rest[0] ?? 0;
      this.#rest = this.#rest.subarray(header.end + header.length);
      yield packetOf(first, body);
    }
  }
}

/** Length of the packet's body and the position where it begins; null if more bytes are needed. */
function lengthIn(bytes: Buffer): { readonly length: number; readonly end: number } | null {
  let length = 0;
  for (let index = 0; index < MAX_LENGTH_BYTES; index += 1) {
    const byte = bytes[index + 1];
    if (byte === undefined) return null;
    length |= (byte & 0x7f) << (7 * index);
    if (byte < 0x80) return { length, end: index + 2 };
  }
  throw new Error('The broker sent what is no MQTT packet.');
}

function packetOf(first: number, body: Buffer): Packet {
  switch (first >> 4) {
    case TYPES.connack:
      return { type: 'connack', code: body.readUInt8(1) };
    case TYPES.suback:
      return { type: 'suback', packetId: body.readUInt16BE(0), code: body.readUInt8(2) };
    case TYPES.puback:
      return { type: 'puback', packetId: body.readUInt16BE(0) };
    case TYPES.publish:
      return publishOf(first, body);
    default:
      return { type: 'other' };
  }
}

function publishOf(first: number, body: Buffer): Packet {
  const end = 2 + body.readUInt16BE(0);
  const hasId = (first & 0x06) !== 0;
  return {
    type: 'publish',
    topic: body.toString('utf8', 2, end),
    // A copy, so that the rest of the received buffer can be freed.
    payload: Buffer.from(body.subarray(hasId ? end + 2 : end)),
    packetId: hasId ? body.readUInt16BE(end) : null,
    isRetained: (first & 0x01) !== 0,
  };
}
