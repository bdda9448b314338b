interface Character {
  /** Its code point. */
  readonly code: number;
  /** Its bytes. */
  readonly length: number;
}

/** By the number of bytes: the bits of the first one that are of the code, and the least code that needs so many. */
const FIRST_BITS = [0, 0x7f, 0x1f, 0x0f, 0x07];
const LEAST = [0, 0, 0x80, 0x800, 0x1_0000];

/** The character of UTF-8 that begins at a byte; where none does, the byte as a character. */
export function characterAt(bytes: Uint8Array, at: number): Character {
  const first = bytes[at] ?? 0;
  const alone = { code: first, length: 1 };
  if (first < 0xc2 || first > 0xf4) return alone;
  let length = 2;
  if (first >= 0xf0) length = 4;
  else if (first >= 0xe0) length = 3;
  let code = first & (FIRST_BITS[length] ?? 0);
  for (let next = at + 1; next < at + length; next += 1) {
    const byte = bytes[next] ?? 0;
    if ((byte & 0xc0) !== 0x80) return alone;
    code = (code << 6) | (byte & 0x3f);
  }
  const isCharacter = code >= (LEAST[length] ?? 0) && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
  return isCharacter ? { code, length } : alone;
}
