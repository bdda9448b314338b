const MAX_NAMES = 200;
const MAX_LENGTH = 64;
const NAME = /^[_A-Za-z][_0-9A-Za-z]*$/;
/** A client could hide a card number or a token in a name. */
const MAX_DIGITS = 8;

const OTHER = 'other';

/**
 * Names of operations in metrics and traces. Clients choose them, so at most `MAX_NAMES` are distinguished.
 */
export class OperationNames {
  readonly #known = new Set<string>();

  /** `anonymous` for an operation without a name, `other` for names beyond the limits. */
  shown(name: string | null): string {
    if (name === null) return 'anonymous';
    if (this.#known.has(name)) return name;
    if (this.#known.size >= MAX_NAMES || !isHarmless(name)) return OTHER;
    this.#known.add(name);
    return name;
  }
}

function isHarmless(name: string): boolean {
  return name.length <= MAX_LENGTH && NAME.test(name) && name.replace(/[^0-9]/g, '').length <= MAX_DIGITS;
}
