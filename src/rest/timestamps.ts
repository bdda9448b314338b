/** `YYYY-MM-DDTHH:MM:SSZ` (contract 12). */
export function timestamp(instant: Date): string {
  return `${instant.toISOString().slice(0, 19)}Z`;
}

/**
 * The instant in a time zone (contract 12): `2026-01-31T09:00:00-03:00`, or with milliseconds
 * `2026-01-31T09:00:00.000-03:00`.
 */
export function zonedTimestamp(instant: Date, timeZone: string, milliseconds = false): string {
  const offset = offsetMinutes(instant, timeZone);
  const local = new Date(instant.getTime() + offset * 60_000).toISOString();
  const sign = offset < 0 ? '-' : '+';
  const hours = String(Math.floor(Math.abs(offset) / 60)).padStart(2, '0');
  const minutes = String(Math.abs(offset) % 60).padStart(2, '0');
  return `${local.slice(0, milliseconds ? 23 : 19)}${sign}${hours}:${minutes}`;
}

/** By time zone, since making a format takes far longer than using it. */
const formats = new Map<string, Intl.DateTimeFormat>();

function offsetMinutes(instant: Date, timeZone: string): number {
  if (timeZone === 'UTC') return 0;
  let format = formats.get(timeZone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
    formats.set(timeZone, format);
  }
  const name = format.formatToParts(instant).find((part) => part.type === 'timeZoneName')?.value ?? 'GMT';
  const match = /^GMT([+-])(\d{2}):(\d{2})/.exec(name);
  if (match === null) return 0;
  const minutes = Number(match[2]) * 60 + Number(match[3]);
  return match[1] === '-' ? -minutes : minutes;
}
