import { createContext, use } from 'react';

export type Language = 'en' | 'pt';

/** Messages by their names, each in English and in Portuguese of Brazil: texts, or functions of the same values. */
export type Pairs<Own> = { readonly [Name in keyof Own]: readonly [en: Own[Name], pt: NoInfer<Own[Name]>] };

/** Messages of one part of the console, which `useTexts` gives in the language of the console. */
export type Texts<Known> = Readonly<Record<Language, Known>>;

/** Messages such as `{ save: ['Save', 'Salvar'] }`. One without a Portuguese text does not compile. */
export function texts<Own>(pairs: Pairs<Own>): Texts<Own> {
  const inLanguage = (index: 0 | 1): Own => {
    const entries = Object.entries<readonly unknown[]>(pairs).map(([name, pair]) => [name, pair[index]]);
    return Object.fromEntries(entries) as Own;
  };
  return { en: inLanguage(0), pt: inLanguage(1) };
}

/** Language and time zone in which the console is shown, and the currency of its amounts. */
export interface Locale {
  readonly language: Language;
  /** IANA name, for example America/Sao_Paulo. */
  readonly timeZone: string;
  /** ISO 4217 code; null while the company has none. */
  readonly currency: string | null;
}

export const LocaleContext = createContext<Locale>({ language: 'en', timeZone: 'UTC', currency: null });

export const useLocale = (): Locale => use(LocaleContext);

/** The messages in the language of the console. */
export function useTexts<Messages>(messages: Texts<Messages>): Messages {
  return messages[useLocale().language];
}

/** Tag of the language for `Intl` and the `lang` attribute. */
export const tagOf = (language: Language): string => (language === 'pt' ? 'pt-BR' : 'en-US');

/** The language of the browser, as far as the console has it. */
export const browserLanguage = (): Language =>
  navigator.language.toLowerCase().startsWith('pt') ? 'pt' : 'en';

/** Words of the page that is shown, by the names of fields and values. */
export const WordsContext = createContext<Readonly<Record<string, unknown>>>({});

/**
 * Says fields, values and actions in words by their names: `serialNumber`, or `ONLINE`. A reference has the word of its
 * record: `owner.groupId` that of `group`. What has no word stands for itself, or has the word `otherwise`. What is to be
 * known of a name has its word with "Help" at the end. The words are those of the page if none are given.
 */
export function useLabel(given?: object): (name: string, otherwise?: string) => string {
  const page = use(WordsContext);
  const words = (given ?? page) as typeof page;
  return (name, otherwise) => {
    const last = name.replace(/^.*\./, '');
    const [word] = [words[name], words[last], words[last.replace(/Id(s?)$/, '$1')]].filter(isText);
    return word ?? otherwise ?? name;
  };
}

const isText = (value: unknown): value is string => typeof value === 'string';

/** One of the values to choose from. */
export interface Option<Value extends string = string> {
  readonly value: Value;
  readonly label: string;
}

/** Seconds of each unit, the largest first. */
const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const;

const BYTES = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const;

/** Decimals of a currency, 2 without one. */
export function decimalsOf(currency: string | null): number {
  if (currency === null) return 2;
  const { maximumFractionDigits = 2 } = new Intl.NumberFormat('en', {
    style: 'currency',
    currency,
  }).resolvedOptions();
  return maximumFractionDigits;
}

/**
 * The smallest units, `unit` of which are 1, of an amount as people write it in either language: 1,234.56 or 1.234,56. In a
 * currency with three decimals, 1.234 is a little more than 1, and 1.234.567 has thousands.
 */
export function readAmount(typed: string, unit: number): number | null {
  const hasDecimals = unit >= 1_000 && !/([.,])\d{3}\1\d{3}$/.test(typed);
  const thousands = hasDecimals ? /[.,](?=\d{3}\D)/g : /[.,](?=\d{3}(?:\D|$))/g;
  const value = Number(typed.replaceAll(thousands, '').replace(',', '.'));
  return Number.isNaN(value) ? null : Math.round(value * unit);
}

/** All currencies with their names: "BRL Brazilian Real". */
export function currenciesIn(language: Language): readonly Option[] {
  const names = new Intl.DisplayNames(tagOf(language), { type: 'currency' });
  return Intl.supportedValuesOf('currency').map((value) => ({ value, label: `${value} ${names.of(value)}` }));
}

/** Numbers, amounts and times as the person writes them, times in the zone of the person. */
export type Format = ReturnType<typeof formatOf>;

function formatOf({ language, timeZone, currency }: Locale) {
  const tag = tagOf(language);
  const number = new Intl.NumberFormat(tag);
  const decimals = decimalsOf(currency);
  const amount = new Intl.NumberFormat(tag, {
    ...(currency !== null && { style: 'currency', currency }),
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
  });
  const share = new Intl.NumberFormat(tag, { style: 'percent', maximumFractionDigits: 1 });
  const time = new Intl.DateTimeFormat(tag, { dateStyle: 'medium', timeStyle: 'medium', timeZone });
  const minutes = new Intl.DateTimeFormat(tag, { dateStyle: 'medium', timeStyle: 'short', timeZone });
  const date = new Intl.DateTimeFormat(tag, { dateStyle: 'medium', timeZone });
  const relative = new Intl.RelativeTimeFormat(tag, { numeric: 'auto' });
  return {
    /** 12,345 */
    number: (value: number) => number.format(value),
    /** An amount in the smallest unit of the currency: R$1,234.56, or 1,234.56 without a currency. */
    amount: (units: number) => amount.format(units / 10 ** decimals),
    /** Nov 26, 2026, 8:15:30 PM */
    time: (at: string) => time.format(new Date(at)),
    /** Nov 26, 2026, 7:15 – 8:15 PM */
    range: (from: string, to: string) => minutes.formatRange(new Date(from), new Date(to)),
    /** Nov 26, 2026 */
    date: (at: string) => date.format(new Date(at)),
    /** 5 minutes ago, in 3 days. */
    ago: (at: string) => {
      const seconds = (Date.parse(at) - Date.now()) / 1_000;
      const [unit, length] = UNITS.find((each) => Math.abs(seconds) >= each[1]) ?? UNITS[3];
      return relative.format(Math.round(seconds / length), unit);
    },
    /** 1.5 MB */
    bytes: (value: number) => {
      const step = Math.min(BYTES.length - 1, Math.floor(Math.log10(Math.max(value, 1)) / 3));
      const unit = BYTES[step] ?? 'byte';
      // The short form of English is "924 byte".
      const unitDisplay = step === 0 ? 'long' : 'short';
      const format = new Intl.NumberFormat(tag, {
        style: 'unit',
        unit,
        unitDisplay,
        maximumFractionDigits: 1,
      });
      return format.format(value / 1_000 ** step);
    },
    /** 24 hours, for `24h`. */
    duration: (value: string) => {
      const unit = UNITS.find(([name]) => value.endsWith(name.charAt(0)))?.[0] ?? 'second';
      const format = new Intl.NumberFormat(tag, { style: 'unit', unit, unitDisplay: 'long' });
      return format.format(Number.parseInt(value, 10));
    },
    /** 12.5 % of a share from 0 to 1. */
    share: (value: number) => share.format(value),
  };
}

const formats = new WeakMap<Locale, Format>();

export function useFormat(): Format {
  const locale = useLocale();
  const format = formats.get(locale) ?? formatOf(locale);
  formats.set(locale, format);
  return format;
}
