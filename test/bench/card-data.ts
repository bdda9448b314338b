/**
 * Processor time in milliseconds that the search for card data takes in the worst texts of 64 KiB (least, median and
 * most of 15 rounds), and the number of places that it masks. Not a test.
 *
 *   npm run bench:card-data -- [NAME]
 */
import { scrubText } from '../../src/platform/card-data/card-data.js';
import { printTable } from './servers.js';

const SIZE = 65_536;
const ROUNDS = 15;

const cut = (text: string): string => text.slice(0, SIZE);
const repeated = (unit: string): string => cut(unit.repeat(Math.ceil(SIZE / unit.length)));
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const hex = (text: string): string => Buffer.from(text).toString('hex');
const percent = (text: string): string => hex(text).replace(/../g, '%$&');

let state = 1;
const random = (): number => (state = (state * 48_271) % 2_147_483_647);
const randomDigits = Array.from({ length: SIZE }, () => random() % 10).join('');
const randomBytes = Buffer.from(Array.from({ length: SIZE }, () => random() % 256));

const TEXTS: Readonly<Record<string, string>> = {
  'digits 0': repeated('0'),
  'digits 4111': repeated('4111'),
  'digits, any': randomDigits,
  'digits and spaces': repeated('1 '),
  'digits and gaps of three': repeated('4 - '),
  'digits, any, by points': cut(randomDigits.split('').join('.')),
  'digits and stars': repeated('4*'),
  'groups of four': repeated('4111 '),
  'full-width': repeated('\uff11'),
  'with soft hyphens': repeated('4\u00ad'),
  percent: cut(percent(randomDigits)),
  'percent %34': repeated('%34'),
  'percent of percent': cut(percent(percent(randomDigits))),
  hex: cut(hex(randomDigits)),
  'hex 33': repeated('33'),
  'hex, any': cut(randomBytes.toString('hex')),
  base64: cut(base64(randomDigits)),
  'base64 QUFB': repeated('QUFB'),
  'base64 of base64': cut(base64(base64(randomDigits))),
  'base64, any': cut(randomBytes.toString('base64')),
  letters: repeated('aB'),
  'EMV tag 5A': repeated('5A084111111111111111'),
  'names cvv=': repeated('cvv=1;'),
  'names cvv': repeated('cvv'),
  'names pin 1': repeated('pin 1 '),
  'amounts 1.234,56;': repeated('1.234,56;'),
  dates: repeated('2026-03-01 12:00:00 '),
  assignments: repeated('="'),
  tracks: repeated('4='),
  JSON: repeated('{"nsu":"000123","amount":"10,00","text":"ok 4111111111111111"},'),
  mixed: repeated(`4111 1111 1111 1111 ${percent('4111111111111111')} ${base64('pan 4111111111111111 ok')} `),
};

function measure(name: string, text: string): string[] {
  const times: number[] = [];
  let scrubs = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const before = process.cpuUsage();
    scrubs = scrubText(text).scrubs;
    const { user, system } = process.cpuUsage(before);
    times.push((user + system) / 1_000);
  }
  times.sort((one, other) => one - other);
  const figures = [times[0], times[ROUNDS >> 1], times.at(-1)].map((time) => (time ?? 0).toFixed(1));
  return [name, ...figures, String(scrubs)];
}

const [only] = process.argv.slice(2);
const chosen = Object.entries(TEXTS).filter(([name]) => only === undefined || name === only);
printTable([
  ['text', 'least ms', 'median', 'most', 'masked'],
  ...chosen.map(([name, text]) => measure(name, text)),
]);
