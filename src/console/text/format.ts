import { tagOf, useLocale, type Locale } from '.';

/** Seconds of each unit, the largest first. */
const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const;

const BYTES = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const;

/** Numbers, amounts and times as the person writes them, times in the zone of the person. */
export type Format = ReturnType<typeof formatOf>;

function formatOf({ language, timeZone }: Locale) {
  const tag = tagOf(language);
  const number = new Intl.NumberFormat(tag);
  const amount = new Intl.NumberFormat(tag, { minimumFractionDigits: 2, maximumFractionDigits: 2 });
  const share = new Intl.NumberFormat(tag, { style: 'percent', maximumFractionDigits: 1 });
  const time = new Intl.DateTimeFormat(tag, { dateStyle: 'medium', timeStyle: 'medium', timeZone });
  const date = new Intl.DateTimeFormat(tag, { dateStyle: 'medium', timeZone });
  const relative = new Intl.RelativeTimeFormat(tag, { numeric: 'auto' });
  return {
    /** 12,345 */
    number: (value: number) => number.format(value),
    /** Cents without a currency, which transactions do not have: 1,234.56 */
    amount: (cents: number) => amount.format(cents / 100),
    /** Nov 26, 2026, 8:15:30 PM */
    time: (at: string) => time.format(new Date(at)),
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
      const format = new Intl.NumberFormat(tag, { style: 'unit', unit, maximumFractionDigits: 1 });
      return format.format(value / 1_000 ** step);
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
