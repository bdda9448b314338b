import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { crc16Of, formatCrc16 } from '../../../src/platform/encoding/checksum.js';

/** CRC-16/XMODEM computed bit by bit. */
function crcByDefinition(bytes: Uint8Array): number {
  let crc = 0;
  for (const byte of bytes) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc & 0x8000) === 0 ? crc << 1 : (crc << 1) ^ 0x1021;
    crc &= 0xffff;
  }
  return crc;
}

describe('contract 22: the CRC', () => {
  it.each([
    ['123456789', '31C3'],
    ['', '0000'],
  ])('of "%s" is %s', (text, crc) => {
    expect(formatCrc16(crc16Of(Buffer.from(text)))).toBe(crc);
  });

  it('is CRC-16/XMODEM of any bytes, computed at once or in chunks', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.uint8Array({ maxLength: 300 }), (one, two) => {
        const whole = crcByDefinition(Buffer.concat([one, two]));
        expect(crc16Of(Buffer.concat([one, two]))).toBe(whole);
        expect(crc16Of(two, crc16Of(one))).toBe(whole);
      }),
    );
  });
});
