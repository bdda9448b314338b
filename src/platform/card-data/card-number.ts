/** Range of characters to hide, `to` excluded. */
export type Range = readonly [from: number, to: number];

/** First digits of card numbers, by number of digits. */
const LONG_NUMBERS = String.raw`3841|5[0678]|6[0237]`;
const SCHEMES: Readonly<Record<number, RegExp>> = {
  13: /^4/, // Visa
  14: /^3(?:[68]|0[0-5])/, // Diners
  15: /^3[47]/, // American Express
  // Visa, Mastercard, JCB, Discover and Elo, and schemes of up to 19 digits: Maestro, Hipercard, UnionPay.
  16: new RegExp(
    String.raw`^(?:4|5[1-5]|2(?:22[1-9]|2[3-9]|[3-6]|7[01]|720)|35(?:2[89]|[3-8])|64[4-9]|65|${LONG_NUMBERS})`,
  ),
  17: new RegExp(`^(?:${LONG_NUMBERS})`),
  18: new RegExp(`^(?:${LONG_NUMBERS})`),
  19: new RegExp(`^(?:4|${LONG_NUMBERS})`),
};

/** Whether digits have the length, the first digits and the check digit of a card number. */
export function isCardNumber(digits: string): boolean {
  return hasSchemeOf(digits) && sumOfDigits(digits, luhnWeight) % 10 === 0;
}

/** Whether digits have the length and the first digits of a card number. */
export function hasSchemeOf(digits: string): boolean {
  return SCHEMES[digits.length]?.test(digits) === true;
}

/**
 * Whether the digits are an EAN (13), a CNPJ (14), or a date and time (14) such as 30112026235959, which can
 * pass for card numbers.
 */
export function isOrdinaryNumber(digits: string): boolean {
  if (digits.length === 13)
    return sumOfDigits(digits, (digit, place) => digit * (place % 2 === 0 ? 1 : 3)) % 10 === 0;
  return digits.length === 14 && (DATE_AND_TIME.test(digits) || isCnpj(digits));
}

const DATE_AND_TIME = /^30(?:0[1-9]|1[0-2])(?:19|20)\d\d(?:[01]\d|2[0-3])[0-5]\d[0-5]\d$/;

/** Weight of a digit in the Luhn sum. `place` is its index from the last digit, which has 0. */
function luhnWeight(digit: number, place: number): number {
  if (place % 2 === 0) return digit;
  return digit > 4 ? digit * 2 - 9 : digit * 2;
}

/** Sum of the digits, each weighted by `weightOf`. `place` is the index from the last digit, which has 0. */
function sumOfDigits(digits: string, weightOf: (digit: number, place: number) => number): number {
  let sum = 0;
  for (let at = 0; at < digits.length; at += 1) {
    sum += weightOf(digits.charCodeAt(at) - 48, digits.length - 1 - at);
  }
  return sum;
}

/** Whether 14 digits are a CNPJ, the number of a Brazilian company, by its two check digits. */
function isCnpj(digits: string): boolean {
  return [12, 13].every((length) => {
    const rest = sumOfDigits(digits.slice(0, length), (digit, place) => digit * (2 + (place % 8))) % 11;
    return Number(digits[length]) === (rest < 2 ? 0 : 11 - rest);
  });
}
