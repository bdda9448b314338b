import { tagOf, useLocale, type Locale } from '.';

/** Numbers, amounts and times as the person writes them. */
export interface Format {
  /** 12,345 */
  readonly number: (value: number) => string;
  /** Cents without a currency, which transactions do not have: 1,234.56 */
  readonly amount: (cents: number) => string;
  /** Nov 26, 2026, 8:15:30 PM in the person's time zone. */
  readonly time: (at: string) => string;
  /** Nov 26, 2026 */
  readonly date: (at: string) => string;
  /** 5 minutes ago, in 3 days. */
  readonly ago: (at: string) => string;
  /** 1.5 MB */
  readonly bytes: (value: number) => string;
  /** 12.5 % of a share from 0 to 1. */
  readonly share: (value: number) => string;
}

/** Seconds of each unit, the largest first. */
const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const;

const BYTES = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const;

function formatOf({ language, timeZone }: Locale): Format {
  const tag = tagOf(language);
  const number = new Intl.NumberFormat(tag);
  const amount = new Intl.NumberFormat(tag, { minimumFractionDigits: 2, maximumFractionDigits: 2 });
  const share = new Intl.NumberFormat(tag, { style: 'percent', maximumFractionDigits: 1 });
  const time = new Intl.DateTimeFormat(tag, { dateStyle: 'medium', timeStyle: 'medium', timeZone });
  const date = new Intl.DateTimeFormat(tag, { dateStyle: 'medium', timeZone });
  const relative = new Intl.RelativeTimeFormat(tag, { numeric: 'auto' });
  return {
    number: (value) => number.format(value),
    amount: (cents) => amount.format(cents / 100),
    time: (at) => time.format(new Date(at)),
    date: (at) => date.format(new Date(at)),
    ago: (at) => {
      const seconds = (Date.parse(at) - Date.now()) / 1_000;
      const [unit, length] = UNITS.find((each) => Math.abs(seconds) >= each[1]) ?? UNITS[3];
      return relative.format(Math.round(seconds / length), unit);
    },
    bytes: (value) => {
      const step = Math.min(BYTES.length - 1, Math.floor(Math.log10(Math.max(value, 1)) / 3));
      const unit = BYTES[step] ?? 'byte';
      const format = new Intl.NumberFormat(tag, { style: 'unit', unit, maximumFractionDigits: 1 });
      return format.format(value / 1_000 ** step);
    },
    share: (value) => share.format(value),
  };
}

const formats = new WeakMap<Locale, Format>();

export function useFormat(): Format {
  const locale = useLocale();
  const format = formats.get(locale) ?? formatOf(locale);
  formats.set(locale, format);
  return format;
}
