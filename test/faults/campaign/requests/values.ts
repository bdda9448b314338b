import type { Random } from '../../../../src/platform/random.js';

/** JSON text that `JSON.stringify` cannot write, for example `1e309` or an object with a repeated key. */
export class Raw {
  constructor(readonly text: string) {}
}

/** Writes a value as JSON, with its `Raw` parts as they are. */
export function toJson(value: unknown): string {
  if (value instanceof Raw) return value.text;
  if (Array.isArray(value)) return `[${value.map(toJson).join()}]`;
  if (typeof value === 'object' && value !== null) {
    return `{${Object.entries(value)
      .map(([name, field]) => `${JSON.stringify(name)}:${toJson(field)}`)
      .join()}}`;
  }
  return value === undefined ? 'null' : JSON.stringify(value);
}

const nested = (open: string, close: string, depth: number): Raw =>
  new Raw(`${open.repeat(depth)}1${close.repeat(depth)}`);

const TEXTS: readonly string[] = [
  '',
  ' ',
  'A\u0000B',
  '\ud800',
  'x\udc00y',
  '１２３４５',
  '\u202eexe.txt',
  '\u200b',
  'e\u0301',
  '\ufeff1',
  '%00',
  '%2e%2e%2f',
  '../../etc/passwd',
  "' OR '1'='1",
  '"); DROP TABLE devices;--',
  "' UNION SELECT name FROM sqlite_schema--",
  '${7*7}',
  '<script>alert(1)</script>',
  'line\r\nSet-Cookie: a=b',
  '\u001b[31m',
  '01',
  '1.0',
  '1e0',
  '+1',
  '-0',
  '0x1',
  '9007199254740993',
  'NaN',
  'true',
  'null',
  '[object Object]',
  '__proto__',
  'constructor',
  'hasOwnProperty',
  '2026-02-30T00:00:00Z',
  '99999-01-01',
  '2026-01-01',
  'a'.repeat(300),
  'é'.repeat(70_000),
  'SHOW_MESSAGE|x',
  'AAAA',
  '*',
  '%',
  '_',
];

const JSONS: readonly unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  1.5,
  1e21,
  2 ** 31,
  2 ** 53,
  new Raw('9007199254740993'),
  new Raw('1e309'),
  new Raw('-0'),
  new Raw('0.1e1'),
  new Raw('01'),
  new Raw('{"a":1,"a":2}'),
  new Raw('{"__proto__":{"enabled":false}}'),
  new Raw('{"constructor":{"prototype":{"polluted":1}}}'),
  nested('[', ']', 40),
  nested('{"a":', '}', 40),
  nested('[', ']', 20_000),
  [],
  {},
  [[]],
  [null],
  { length: 3 },
  { toString: 'x' },
  Array.from({ length: 1_100 }, (_, n) => n),
];

/** Makes odd values from a seed. */
export class OddValues {
  /** Card numbers that were put into texts of transactions. */
  readonly cards = new Set<string>();

  constructor(
    readonly random: Random,
    /** Ids of records of both companies. */
    private readonly ids: () => readonly number[],
  ) {}

  text(): string {
    return this.random.pick(TEXTS);
  }

  id(): string {
    const { random } = this;
    return random.chance(0.6) ? String(random.pick(this.ids())) : this.text();
  }

  json(): unknown {
    const { random } = this;
    if (random.chance(0.45)) return this.text();
    if (random.chance(0.3)) return random.pick(this.ids());
    if (random.chance(0.2)) return Array.from({ length: 3 }, () => random.pick(this.ids()));
    return random.pick(JSONS);
  }

  /** A text of a transaction with a card number that no other text has. */
  cardText(): string {
    const { random } = this;
    const digits = `${random.pick(['4', '51', '6362'])}${random.digits(14)}`.slice(0, 15);
    const card = digits + checkDigit(digits);
    this.cards.add(card);
    const spaced = card.replace(/(.{4})(?=.)/g, `$1${random.pick(['', '', ' ', '-'])}`);
    return random.pick([
      `0200 2=${spaced} 4=1250`,
      `{"pan":"${spaced}"}`,
      `;${card}=29121010000?`,
      `card ${spaced}.`,
    ]);
  }

  /** The value with one of its parts changed, removed, repeated or added. */
  mutated(value: unknown): unknown {
    const { random } = this;
    if (Array.isArray(value) && value.length > 0 && random.chance(0.7)) {
      const index = random.whole(0, value.length - 1);
      return value.map((each: unknown, n) => (n === index ? this.mutated(each) : each));
    }
    if (typeof value === 'object' && value !== null && !(value instanceof Raw) && !Array.isArray(value)) {
      const fields = value as Readonly<Record<string, unknown>>;
      const names = Object.keys(fields);
      if (names.length > 0 && random.chance(0.8)) return this.#withChange(fields, random.pick(names));
      return this.#withMore(fields);
    }
    return this.json();
  }

  #withChange(fields: Readonly<Record<string, unknown>>, name: string): unknown {
    const { random } = this;
    const { [name]: changed, ...rest } = fields;
    if (random.chance(0.15)) return rest;
    if (random.chance(0.1)) {
      const repeated = JSON.stringify(name);
      return new Raw(`${toJson(fields).slice(0, -1)},${repeated}:${toJson(this.json())}}`);
    }
    return { ...fields, [name]: this.mutated(changed) };
  }

  #withMore(fields: Readonly<Record<string, unknown>>): unknown {
    const name = this.random.pick(['__proto__', 'constructor', 'id', 'company_id', 'companyId', 'x', '']);
    const separator = Object.keys(fields).length === 0 ? '' : ',';
    return new Raw(
      `${toJson(fields).slice(0, -1)}${separator}${JSON.stringify(name)}:${toJson(this.json())}}`,
    );
  }

  /** The bytes with some of them changed, removed, repeated or made invalid UTF-8. */
  corrupted(bytes: Buffer): Buffer {
    const { random } = this;
    const at = random.whole(0, Math.max(0, bytes.length - 1));
    const before = bytes.subarray(0, at);
    const after = bytes.subarray(at);
    const cut = after.subarray(random.whole(0, Math.min(after.length, 20)));
    switch (random.whole(0, 5)) {
      case 0:
        return Buffer.concat([before, Buffer.from([0xc3, 0x28]), after]);
      case 1:
        return Buffer.concat([before, Buffer.from([0xed, 0xa0, 0x80]), after]);
      case 2:
        return Buffer.concat([before, random.bytes(random.whole(1, 8)), after]);
      case 3:
        return Buffer.concat([before, cut]);
      case 4:
        return Buffer.concat([before, Buffer.from([0]), after]);
      default:
        return Buffer.from(bytes.toString('utf8'), random.chance(0.5) ? 'utf16le' : 'latin1');
    }
  }
}

/** The last digit of a card number, after Luhn. */
function checkDigit(digits: string): string {
  const sum = digits
    .split('')
    .reverse()
    .reduce((total, digit, index) => {
      const doubled = Number(digit) * (index % 2 === 0 ? 2 : 1);
      return total + (doubled > 9 ? doubled - 9 : doubled);
    }, 0);
  return String((10 - (sum % 10)) % 10);
}
