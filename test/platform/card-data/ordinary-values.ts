import { createHash } from 'node:crypto';

import { createRandom } from '../../../src/platform/random.js';

const seeded = createRandom(20_260_101);
const upTo = (max: number): number => seeded.whole(0, max - 1);
/** From 0 to 1. */
const random = (): number => seeded.whole(0, 2 ** 32 - 1) / 2 ** 32;
const digits = (count: number): string => seeded.digits(count);
const oneOf = <T>(values: readonly T[]): T => seeded.pick(values);
const hex = (bytes: number): string => seeded.bytes(bytes).toString('hex');

function withLuhn(body: string): string {
  const sum = Array.from(body, Number)
    .reverse()
    .reduce((total, digit, place) => total + (place % 2 === 1 ? digit : digit * 2 - (digit > 4 ? 9 : 0)), 0);
  return body + String((10 - (sum % 10)) % 10);
}
function withEan(body: string): string {
  const sum = Array.from(body, Number).reduce(
    (total, digit, at) => total + digit * (at % 2 === 0 ? 1 : 3),
    0,
  );
  return body + String((10 - (sum % 10)) % 10);
}
/** Check digits modulo 11, with weights that begin again at 2 after `highest`. */
function withModulo11(body: string, highest: number, count = 1): string {
  if (count === 0) return body;
  const sum = Array.from(body, Number)
    .reverse()
    .reduce((total, digit, place) => total + digit * (2 + (place % (highest - 1))), 0);
  const rest = sum % 11;
  return withModulo11(body + String(rest < 2 ? 0 : 11 - rest), highest, count - 1);
}

const time = (): Date =>
  new Date(Date.UTC(2020 + upTo(15), upTo(12), 1 + upTo(28), upTo(24), upTo(60), upTo(60), upTo(1_000)));
const two = (value: number): string => String(value).padStart(2, '0');
const cnpj = (): string => withModulo11(`${digits(8)}000${String(1 + upTo(9))}`, 9, 2);
const nfe = (): string =>
  withModulo11(
    `${oneOf(['35', '33', '31'])}26${two(1 + upTo(12))}${cnpj()}55001${digits(9)}1${digits(8)}`,
    9,
  );
const date = (): string => time().toISOString();
const compact = (): string => date().replaceAll(/\D/g, '').slice(0, 14);
const dayFirst = (at: Date): string =>
  `${two(at.getUTCDate())}${two(at.getUTCMonth() + 1)}${String(at.getUTCFullYear())}${two(at.getUTCHours())}${two(at.getUTCMinutes())}${two(at.getUTCSeconds())}`;
const cents = (): number => Math.floor(10 ** (random() * 12));
const emv = (): string =>
  [
    `9F0206${String(cents()).padStart(12, '0')}9F03060000000000009F1A020076`,
    `95050000008000${oneOf(['5F2A020986', '5F340101'])}9A03${compact().slice(2, 8)}9C01009F3704${hex(4)}`,
    `82021C009F360200${digits(2)}9F4104${digits(8)}9F2608${hex(8)}9F2701809F1012${hex(18)}9F3303E0F8C8`,
  ].join('');
/** Bit 2 of the bitmap is not set. */
const iso = (): string =>
  `0${oneOf(['200', '210', '400', '420', '800'])}${oneOf(['3', '2', 'B'])}${hex(7)}${oneOf(['0', '8'])}003000${String(cents()).padStart(12, '0')}${compact().slice(4)}${digits(6)}${compact().slice(8)}${compact().slice(4, 8)}${digits(12)}${digits(8)}${digits(15)}`;

type Values = Readonly<Record<string, () => unknown>>;

/** Kinds of ordinary values of which none may be altered. */
export const NEVER_ALTERED: Values = {
  'amount in cents': cents,
  'amount in reais': () =>
    (cents() / 100).toLocaleString(oneOf(['pt-BR', 'en-US']), { minimumFractionDigits: 2 }),
  'amount of 12 digits': () => String(cents()).padStart(12, '0'),
  fraction: () => random() * 10 ** upTo(4),
  'fraction as text': () => `ratio ${String(random())} rate=${String(random()).replace('.', ',')}`,
  'fraction of 53 bits': () => random() + random() / 2 ** 32,
  // Digits that look like bytes of field 2: the length 14, then a Diners number.
  'fraction with the digits of field 2': () => `0.143${['8852606047819', '0177230660969'].at(upTo(2)) ?? ''}`,
  coordinates: () => ({ lat: random() * 180 - 90, lng: random() * 360 - 180 }),
  'coordinates as text': () => `${String(random() * 180 - 90)},${String(random() * 360 - 180)}`,
  'epoch seconds': () => Math.floor(time().getTime() / 1_000),
  'epoch milliseconds': () => time().getTime(),
  'epoch microseconds': () => `${String(time().getTime())}${digits(3)}`,
  'date and time': () => `${date()} ${date().replace('T', ' ').slice(0, 19)}`,
  'date and time in digits': () => compact() + oneOf(['', digits(3)]),
  'day first': () => dayFirst(time()),
  nsu: () => ({ nsu: digits(6 + upTo(10)), nsuReference: digits(15) }),
  'nsu as number': () => ({ nsu_host: Number(`${String(1 + upTo(9))}${digits(14)}`) }),
  'nsu in text': () =>
    oneOf([`NSU ${digits(15)}`, `nsu=${digits(14)};`, `{"nsu":"${digits(15)}"}`, `<nsu>${digits(15)}</nsu>`]),
};

/** Kinds of ordinary values of which a few may be altered. */
export const SELDOM_ALTERED: Values = {
  'id of 15 digits': () => digits(15),
  IMEI: () => withLuhn(`${oneOf(['01', '35', '86', '99'])}${digits(12)}`),
  ICCID: () => withLuhn(`89${digits(16 + upTo(2))}`),
  'EAN-13': () => withEan(digits(12)),
  CPF: () => withModulo11(digits(9), 11, 2),
  'CPF with dots': () => digits(11).replace(/(...)(...)(...)(..)/, '$1.$2.$3-$4'),
  CNPJ: cnpj,
  'CNPJ with dots': () => cnpj().replace(/(..)(...)(...)(....)(..)/, '$1.$2.$3/$4-$5'),
  telephone: () =>
    oneOf([
      `+55 11 9${digits(4)}-${digits(4)}`,
      `55119${digits(8)}`,
      `+49${digits(11)}`,
      `+4479${digits(8)}`,
    ]),
  'key of an NF-e': nfe,
  'key of an NF-e in groups': () => nfe().match(/..../g)?.join(' '),
  'line of a boleto': () => digits(47),
  'line of a boleto with dots': () =>
    `${digits(5)}.${digits(5)} ${digits(5)}.${digits(6)} ${digits(5)}.${digits(6)} ${digits(1)} ${digits(14)}`,
  'end-to-end id of Pix': () =>
    `E${digits(8)}${compact().slice(0, 12)}${oneOf([digits(11), `s${digits(10)}`, hex(6).slice(1)])}`,
  'EMV tags': () => oneOf([emv(), emv().toLowerCase()]),
  'EMV tags in Base64': () => Buffer.from(emv(), 'hex').toString('base64'),
  'ISO 8583 message': () => `${iso()}TERM0001`,
  'ISO 8583 message in hexadecimal': iso,
  'ISO 8583 message in Base64': () => Buffer.from(iso(), 'hex').toString('base64'),
  UUID: () => hex(16).replace(/(.{8})(.{4}).(.{3}).(.{3})(.{12})/, '$1-$2-4$3-b$4-$5'),
  'SHA-256': () =>
    createHash('sha256')
      .update(digits(9))
      .digest(oneOf(['hex', 'base64', 'base64url'])),
  'MD5 and SHA-1': () =>
    createHash(oneOf(['md5', 'sha1']))
      .update(digits(9))
      .digest('hex'),
  'Base64 of any bytes': () => Buffer.from(hex(20 + upTo(200)), 'hex').toString('base64'),
};
