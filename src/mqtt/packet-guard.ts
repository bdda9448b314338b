/** A publish packet with more bytes after its fixed header is passed on without its payload. */
export const MAX_PUBLISH_BYTES = 8 * 1024;

const PUBLISH = 3;
const NOTHING = Buffer.alloc(0);

interface Head {
  /** The first byte: kind and flags. */
  readonly first: number;
  /** Bytes of the fixed header. */
  readonly size: number;
  /** Bytes of the packet that follow it. */
  readonly length: number;
}

/**
 * Keeps the packets small that a broker sends, which may have 256 MiB and would be collected in memory: the payload of a
 * large publish packet is left out, so that it can be acknowledged and counted. Other packets to a client are small.
 */
export class PacketGuard {
  /** The begin of a packet of which more is needed. */
  #held = NOTHING;
  #passing = 0;
  #skipping = 0;

  /** The bytes to pass on. Errors: an `Error` if the broker sends what no broker sends. */
  take(chunk: Buffer): Buffer[] {
    const bytes = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    const pieces: Buffer[] = [];
    let begin = 0;
    let at = 0;
    const pass = (): void => {
      if (at > begin) pieces.push(bytes.subarray(begin, at));
    };
    while (at < bytes.length) {
      const left = bytes.length - at;
      if (this.#passing > 0) {
        const count = Math.min(this.#passing, left);
        this.#passing -= count;
        at += count;
        continue;
      }
      if (this.#skipping > 0) {
        const count = Math.min(this.#skipping, left);
        this.#skipping -= count;
        at += count;
        begin = at;
        continue;
      }
      const head = headAt(bytes, at);
      if (head === null) break;
      if (head.length <= MAX_PUBLISH_BYTES) {
        this.#passing = head.size + head.length;
        continue;
      }
      const kept = keptOf(head, bytes.subarray(at + head.size));
      if (kept === null) break;
      pass();
      pieces.push(withoutPayload(head, kept));
      this.#skipping = head.size + head.length;
      begin = at;
    }
    pass();
    this.#held = Buffer.from(bytes.subarray(at));
    return pieces;
  }
}

/** Null if its end has not arrived. Errors: an `Error` for a length of more than four bytes. */
function headAt(bytes: Buffer, at: number): Head | null {
  let length = 0;
  for (let index = 1; index <= 4; index += 1) {
    const byte = bytes[at + index];
    if (byte === undefined) return null;
    length += (byte & 0x7f) * 0x80 ** (index - 1);
    if (byte < 0x80) return { first: bytes[at] ?? 0, size: index + 1, length };
  }
  throw new Error('the broker sent a packet with a malformed length');
}

/** Topic and packet id of a large publish packet; null if they have not arrived. Errors: an `Error` for other packets. */
function keptOf({ first, length }: Head, rest: Buffer): Buffer | null {
  if (first >> 4 !== PUBLISH)
    throw new Error(`the broker sent a packet of ${length} bytes that is no message`);
  if (rest.length < 2) return null;
  const hasId = (first & 0b110) !== 0;
  const size = 2 + rest.readUInt16BE(0) + (hasId ? 2 : 0);
  if (size > length) throw new Error('the broker sent a malformed message');
  return rest.length < size ? null : rest.subarray(0, size);
}

function withoutPayload({ first }: Head, kept: Buffer): Buffer {
  const length: number[] = [];
  let left = kept.length;
  do {
    const digit = left % 0x80;
    left = Math.floor(left / 0x80);
    length.push(left > 0 ? digit | 0x80 : digit);
  } while (left > 0);
  return Buffer.concat([Buffer.from([first, ...length]), kept]);
}
