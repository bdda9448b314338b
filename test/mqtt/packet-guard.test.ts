import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { MAX_PUBLISH_BYTES, PacketGuard } from '../../src/mqtt/packet-guard.js';

const TOPIC = 'terminals/7/0042/confirm';
/** Bytes of a publish packet besides its fixed header and its payload. */
const OVERHEAD = 2 + TOPIC.length + 2;

function packet(first: number, rest: Buffer): Buffer {
  const length: number[] = [];
  for (let left = rest.length; left > 0 || length.length === 0; left >>= 7) {
    length.push((left & 0x7f) | (left > 0x7f ? 0x80 : 0));
  }
  return Buffer.concat([Buffer.from([first, ...length]), rest]);
}

/** With QoS 1 and the id, or with QoS 0 without one. */
function publish(payloadBytes: number, id: number | null): Buffer {
  const ids = id === null ? [] : [0, id];
  const head = [0, TOPIC.length, ...Buffer.from(TOPIC), ...ids];
  return packet(id === null ? 0x30 : 0x32, Buffer.from([...head, ...Buffer.alloc(payloadBytes, 'x')]));
}

const ACK = packet(0x40, Buffer.from([0, 9]));
const PONG = packet(0xd0, Buffer.alloc(0));

/** Bytes that the guard passes on if `bytes` arrive in pieces of these sizes, repeated in order. */
function passing(bytes: Buffer, sizes: readonly number[]): Buffer {
  const guard = new PacketGuard();
  const passed: Buffer[] = [];
  for (let at = 0, index = 0; at < bytes.length; index += 1) {
    const size = sizes[index % sizes.length] ?? 1;
    passed.push(...guard.take(bytes.subarray(at, at + size)));
    at += size;
  }
  return Buffer.concat(passed);
}

describe('packets of a broker', () => {
  it('pass as they are, or without a large payload, in whatever pieces they arrive', () => {
    const small = [publish(10, 1), ACK, publish(0, 3), PONG];
    const bytes = Buffer.concat([...small, publish(100_000, 2), ACK, publish(30_000, null), ...small]);
    const expected = Buffer.concat([...small, publish(0, 2), ACK, publish(0, null), ...small]);
    const sizes = fc.array(fc.integer({ min: 1, max: 70_000 }), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(sizes, (given) => {
        expect(passing(bytes, given).equals(expected)).toBe(true);
      }),
      { numRuns: 50 },
    );
    expect(passing(bytes, [1]).equals(expected)).toBe(true);
  });

  it('keep a payload up to the limit', () => {
    const largest = publish(MAX_PUBLISH_BYTES - OVERHEAD, 1);
    expect(passing(largest, [4_096]).equals(largest)).toBe(true);
    expect(passing(publish(MAX_PUBLISH_BYTES - OVERHEAD + 1, 1), [4_096])).toEqual(publish(0, 1));
  });

  it.each([
    ['a length of five bytes', Buffer.from([0x30, 0xff, 0xff, 0xff, 0xff, 0x01])],
    ['a large packet that is no message', Buffer.from([0x90, 0xff, 0xff, 0x7f, 0x00, 0x01])],
    ['a topic that is longer than its message', Buffer.from([0x32, 0x80, 0x80, 0x01, 0xff, 0xff, 0x00])],
  ])('are refused with %s', (_what, bytes) => {
    const guard = new PacketGuard();
    const long = Buffer.concat([bytes, Buffer.alloc(100)]);
    expect(() => guard.take(long)).toThrow(/the broker sent/);
  });
});
