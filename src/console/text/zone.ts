/** Milliseconds by which the clocks of the zone are ahead of UTC at this time. */
function offsetAt(time: number, timeZone: string): number {
  const parts = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  }).formatToParts(time);
  const value = (type: string): number => Number(parts.find((part) => part.type === type)?.value);
  const clock = [
    value('year'),
    value('month') - 1,
    value('day'),
    value('hour'),
    value('minute'),
    value('second'),
  ] as const;
  return Date.UTC(...clock) - Math.floor(time / 1_000) * 1_000;
}

/** The instant at which clocks of the zone show this, read as if it were UTC: `2026-11-26T00:00`. */
export function instantOf(clock: string, timeZone: string): Date {
  const utc = Date.parse(`${clock}Z`);
  const guess = utc - offsetAt(utc, timeZone);
  // The offset may be another one on the other side of a change of clocks.
  return new Date(utc - offsetAt(guess, timeZone));
}

/** Clock reading of the zone at this instant: `2026-11-26T08:15`. */
export function clockOf(at: Date, timeZone: string): string {
  return new Date(at.getTime() + offsetAt(at.getTime(), timeZone)).toISOString().slice(0, 16);
}

/** First instants of the present day and of the present month. */
export function startsOf(timeZone: string): { readonly day: string; readonly month: string } {
  const today = clockOf(new Date(), timeZone).slice(0, 10);
  return {
    day: instantOf(`${today}T00:00`, timeZone).toISOString(),
    month: instantOf(`${today.slice(0, 7)}-01T00:00`, timeZone).toISOString(),
  };
}

/** Time zones to choose from, the present one among them. */
export function zoneOptions(present: string): { readonly value: string; readonly label: string }[] {
  const zones = new Set([present, ...Intl.supportedValuesOf('timeZone')]);
  return [...zones].map((zone) => ({ value: zone, label: zone }));
}
