/** CRC-16/XMODEM by its arithmetic, without the tables of the server: 4 upper-case hexadecimal digits. */
export function crcOf(bytes: Uint8Array): string {
  const crc = bytes.reduce((before, byte) => {
    const high = (before >> 8) ^ byte;
    const mixed = high ^ (high >> 4);
    return ((before << 8) ^ (mixed << 12) ^ (mixed << 5) ^ mixed) & 0xffff;
  }, 0);
  return crc.toString(16).toUpperCase().padStart(4, '0');
}
