/** By the number of bytes: the bits of the first one that are of the code, and the least code that needs so many. */
const FIRST_BITS = [0, 0x7f, 0x1f, 0x0f, 0x07];
const LEAST = [0, 0, 0x80, 0x800, 0x1_0000];

/** How many bytes of UTF-8 the character has that begins at a byte; 1 where none does: the byte stands for itself. */
export function lengthAt(bytes: Uint8Array, at: number, end: number): number {
  const first = bytes[at] ?? 0;
  if (first < 0xc2 || first > 0xf4) return 1;
  const length = 2 + Number(first >= 0xe0) + Number(first >= 0xf0);
  if (at + length > end) return 1;
  for (let next = at + 1; next < at + length; next += 1) if (((bytes[next] ?? 0) & 0xc0) !== 0x80) return 1;
  const code = codeAt(bytes, at, length);
  const isCharacter = code >= (LEAST[length] ?? 0) && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
  return isCharacter ? length : 1;
}

/** The code point of a character of so many bytes. */
export function codeAt(bytes: Uint8Array, at: number, length: number): number {
  const first = bytes[at] ?? 0;
  if (length === 1) return first;
  let code = first & (FIRST_BITS[length] ?? 0);
  for (let next = at + 1; next < at + length; next += 1) code = (code << 6) | ((bytes[next] ?? 0) & 0x3f);
  return code;
}

/** Whether all of the first bytes are UTF-8. */
export function isUtf8(bytes: Uint8Array, end: number): boolean {
  for (let at = 0; at < end;) {
    const length = (bytes[at] ?? 0) < 0x80 ? 1 : lengthAt(bytes, at, end);
    if (length === 1 && (bytes[at] ?? 0) >= 0x80) return false;
    at += length;
  }
  return true;
}
