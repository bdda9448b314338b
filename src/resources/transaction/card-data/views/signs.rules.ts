/** Characters without which a text needs no search of some kind, each as a bit. */
export const SIGNS = {
  /** `^`, of the first track. */
  caret: 1,
  /** What stands after the number of the second track: `=`, `D` or `%3D`. */
  track: 2,
  /** What stands between a name and its value: one of `:=>`, or white space. */
  value: 4,
  /** What escapes begin with: `%`, `\` or `&`. */
  escape: 8,
} as const;

const LAST_OF_ASCII = 127;
/** By ASCII code. */
const OF_CHARACTER = Uint8Array.from({ length: LAST_OF_ASCII + 1 }, (_, code) => {
  const character = String.fromCharCode(code);
  return (
    (character === '^' ? SIGNS.caret : 0) |
    (/[=Dd%]/.test(character) ? SIGNS.track : 0) |
    (/[:=>\s]/.test(character) ? SIGNS.value : 0) |
    (/[%\\&]/.test(character) ? SIGNS.escape : 0)
  );
});

/** The signs that UTF-16 units have; what is not ASCII counts as white space, which some of it is. */
export function signsOf(units: Uint16Array): number {
  let signs = 0;
  const { length } = units;
  for (let at = 0; at < length; at += 1) {
    const unit = units[at] ?? 0;
    signs |= unit > LAST_OF_ASCII ? SIGNS.value : (OF_CHARACTER[unit] ?? 0);
  }
  return signs;
}
