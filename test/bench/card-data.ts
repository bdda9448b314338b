import { scrubText } from '../../src/platform/card-data/card-data.js';

/**
 * Milliseconds of processor time that the search for card data takes in the worst texts of 64 KiB: least, median and most of 15 rounds, and the places that it masks. `npm run bench:card-data`
 */
const SIZE = 65_536;
const ROUNDS = 15;

const repeated = (unit: string): string => unit.repeat(Math.ceil(SIZE / unit.length)).slice(0, SIZE);
const inner = (encode: (text: string) => string, text: string): string => encode(text).slice(0, SIZE);
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const hex = (text: string): string => Buffer.from(text).toString('hex');
const percent = (text: string): string => `%${hex(text).match(/../g)?.join('%') ?? ''}`;

let state = 1;
const random = (): number => (state = (state * 48_271) % 2_147_483_647);
const randomDigits = Array.from({ length: SIZE }, () => random() % 10).join('');
const fullWidth = (text: string): string =>
  text.replace(/\d/g, (digit) => String.fromCharCode(0xff10 + Number(digit)));

const TEXTS: Readonly<Record<string, string>> = {
  'digits 0': repeated('0'),
  'digits 4111': repeated('4111'),
  'digits, any': randomDigits,
  'digits and spaces': repeated('1 '),
  'digits and gaps of three': repeated('4 - '),
  'digits, any, by points': randomDigits.split('').join('.').slice(0, SIZE),
  'digits and stars': repeated('4*'),
  'full-width': repeated('\uff11'),
  'full-width, any': fullWidth(randomDigits),
  'with soft hyphens': repeated('4\u00ad'),
  'percent once': inner(percent, randomDigits),
  'percent %34': repeated('%34'),
  'percent twice': inner((text) => percent(percent(text)), randomDigits),
  'percent three times': inner((text) => percent(percent(percent(text))), randomDigits),
  'percent of UTF-8': inner(percent, fullWidth(randomDigits)),
  'JSON escapes': repeated('\\u0034'),
  'XML entities': repeated('&#52;'),
  hex: inner(hex, randomDigits),
  'hex 33': repeated('33'),
  'hex, any': hex(
    Buffer.from(Array.from({ length: SIZE / 2 }, () => random() % 256)).toString('latin1'),
  ).slice(0, SIZE),
  base64: inner(base64, randomDigits),
  'base64 QUFB': repeated('QUFB'),
  'base64 of base64': inner((text) => base64(base64(text)), randomDigits),
  'base64 of percent': inner((text) => base64(percent(text)), randomDigits),
  'base64, any': Buffer.from(Array.from({ length: SIZE }, () => random() % 256))
    .toString('base64')
    .slice(0, SIZE),
  letters: repeated('aB'),
  'groups of four': repeated('4111 '),
  'EMV tag 5A': repeated('5A084111111111111111'),
  'EMV tag 5A in base64': Buffer.from(repeated('5A084111111111111111'), 'hex').toString('base64'),
  'names cvv=': repeated('cvv=1;'),
  'amounts 1.': repeated('1.'),
  'amounts 1.234,56;': repeated('1.234,56;'),
  dates: repeated('2026-03-01 12:00:00 '),
  'names cvv': repeated('cvv'),
  'names pin 1': repeated('pin 1 '),
  assignments: repeated('="'),
  tracks: repeated('4='),
  JSON: repeated('{"nsu":"000123","amount":"10,00","text":"ok 4111111111111111"},'),
  mixed: repeated(`4111 1111 1111 1111 ${percent('4111111111111111')} ${base64('pan 4111111111111111 ok')} `),
};

const only = process.argv[2];
for (const [name, text] of Object.entries(TEXTS)) {
  if (only !== undefined && name !== only) continue;
  const times: number[] = [];
  let scrubs = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const { user, system } = process.cpuUsage();
    scrubs = scrubText(text).scrubs;
    const used = process.cpuUsage({ user, system });
    times.push((used.user + used.system) / 1_000);
  }
  times.sort((a, b) => a - b);
  const [least = 0] = times;
  const median = times[ROUNDS >> 1] ?? 0;
  const figures = [least, median, times.at(-1) ?? 0].map((time) => time.toFixed(1).padStart(7));
  process.stdout.write(`${[name.padEnd(28), ...figures, scrubs].join(' ')}\n`);
}
