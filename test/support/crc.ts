/** CRC-16/XMODEM from its definition, bit by bit: 4 upper-case hexadecimal digits. */
export function crcOf(bytes: Uint8Array): string {
  let crc = 0;
  for (const byte of bytes) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit += 1) crc = ((crc << 1) ^ (crc & 0x8000 ? 0x1021 : 0)) & 0xffff;
  }
  return crc.toString(16).toUpperCase().padStart(4, '0');
}
