import { describe, expect, it } from 'vitest';

import {
  connectPacket,
  PacketReader,
  pubackPacket,
  publishPacket,
  subscribePacket,
  type Packet,
} from '../../src/simulator/mqtt/packets.js';

const hex = (bytes: Buffer): string => bytes.toString('hex');

/** Given to the reader in pieces of `size` bytes. */
function readIn(bytes: Buffer, size: number): readonly Packet[] {
  const reader = new PacketReader();
  const packets: Packet[] = [];
  for (let at = 0; at < bytes.length; at += size) packets.push(...reader.read(bytes.subarray(at, at + size)));
  return packets;
}

describe('packets of MQTT 3.1.1', () => {
  it('have the bytes of the standard', () => {
    const fields = { clientId: 't', username: 'u', password: 'p', keepAliveSeconds: 60 };
    expect(hex(connectPacket(fields))).toBe('101300044d51545404c2003c000174000175000170');
    expect(hex(connectPacket({ ...fields, username: undefined, password: undefined }))).toBe(
      '100d00044d5154540402003c000174',
    );
    expect(hex(subscribePacket(1, 'a/b'))).toBe('820800010003612f6201');
    expect(hex(publishPacket(258, 'a', 'é'))).toBe('32070001610102c3a9');
    expect(hex(pubackPacket(258))).toBe('40020102');
  });

  it.each([1, 3, 1_000])('are read from pieces of %i bytes', (size) => {
    const long = 'x'.repeat(300);
    const bytes = Buffer.concat([
      Buffer.from('20020000', 'hex'),
      Buffer.from('9003000180', 'hex'),
      publishPacket(7, 'a/b', long),
      Buffer.from('31050001616869', 'hex'),
      Buffer.from('d000', 'hex'),
      pubackPacket(9),
    ]);
    expect(readIn(bytes, size)).toEqual([
      { type: 'connack', code: 0 },
      { type: 'suback', packetId: 1, code: 0x80 },
      { type: 'publish', topic: 'a/b', payload: Buffer.from(long), packetId: 7, isRetained: false },
      { type: 'publish', topic: 'a', payload: Buffer.from('hi'), packetId: null, isRetained: true },
      { type: 'other' },
      { type: 'puback', packetId: 9 },
    ]);
  });

  it('are refused with a length of five bytes', () => {
    expect(() => readIn(Buffer.from('30ffffffff7f', 'hex'), 1)).toThrow('no MQTT');
  });
});
