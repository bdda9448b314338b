import { expect, it } from 'vitest';

import { isQuiet } from '../../../../src/domain/fleet/device/silence.service.js';
import { DAY, HOUR } from '../../../../src/platform/clock.js';
import { WEEKDAYS } from '../../../../src/platform/hours.js';
import { answered } from '../../../support/dashboard.js';
import { useServer } from '../../../support/server.js';
import { addDevices, after, createRule, see } from '../../base/alert/alerts.js';

const server = useServer();

const rule = (fromHour: number, toHour: number, timeZone = 'UTC', silentFor = HOUR) => ({
  percent: 10,
  silentFor,
  fromHour,
  toHour,
  timeZone,
});

const NOT_TUESDAY = WEEKDAYS.filter((day) => day !== 'tuesday');

it.each<[string, Parameters<typeof isQuiet>[0], boolean]>([
  ['2027-01-05T07:59:59Z', rule(8, 18), true],
  ['2027-01-05T08:59:59Z', rule(8, 18), true],
  ['2027-01-05T09:00:00Z', rule(8, 18), false],
  ['2027-01-05T17:59:59Z', rule(8, 18), false],
  ['2027-01-05T18:00:00Z', rule(8, 18), true],
  // Past midnight.
  ['2027-01-05T22:30:00Z', rule(22, 6), true],
  ['2027-01-05T23:00:00Z', rule(22, 6), false],
  ['2027-01-06T05:59:59Z', rule(22, 6), false],
  ['2027-01-06T06:00:00Z', rule(22, 6), true],
  // To the end of the day, and a whole day.
  ['2027-01-05T23:59:59Z', rule(8, 24), false],
  ['2027-01-06T00:00:00Z', rule(8, 24), true],
  ['2027-01-05T07:59:59Z', rule(8, 8), false],
  // São Paulo is three hours behind UTC; Lisbon is an hour ahead of it from 28 March on.
  ['2027-01-05T11:59:59Z', rule(8, 18, 'America/Sao_Paulo'), true],
  ['2027-01-05T12:00:00Z', rule(8, 18, 'America/Sao_Paulo'), false],
  ['2027-03-27T08:30:00Z', rule(8, 18, 'Europe/Lisbon'), true],
  ['2027-03-28T08:30:00Z', rule(8, 18, 'Europe/Lisbon'), false],
  // Santiago has no midnight on 6 September: the day begins at 01:00, 04:00Z. On 4 April it has 23:00 to 24:00 twice.
  ['2026-09-06T04:59:59Z', rule(0, 6, 'America/Santiago'), true],
  ['2026-09-06T05:00:00Z', rule(0, 6, 'America/Santiago'), false],
  ['2026-04-05T03:59:59Z', rule(22, 6, 'America/Santiago', 3 * HOUR), true],
  ['2026-04-05T04:00:00Z', rule(22, 6, 'America/Santiago', 3 * HOUR), false],
  // A longer time than the hours counts from earlier days, a shorter one only within them.
  ['2027-01-05T08:00:00Z', rule(8, 18, 'UTC', 24 * HOUR), false],
  ['2027-01-05T13:59:59Z', rule(8, 18, 'UTC', 6 * HOUR), true],
  ['2027-01-05T14:00:00Z', rule(8, 18, 'UTC', 6 * HOUR), false],
  // Tuesday the fifth is closed; whole days that meet are one time, which began on Wednesday.
  ['2027-01-05T12:00:00Z', { ...rule(8, 18), days: NOT_TUESDAY }, true],
  ['2027-01-06T12:00:00Z', { ...rule(8, 18), days: NOT_TUESDAY }, false],
  ['2027-01-06T00:30:00Z', { ...rule(0, 24), days: NOT_TUESDAY }, true],
  ['2027-01-07T00:30:00Z', { ...rule(0, 24), days: NOT_TUESDAY }, false],
])('at %s, %o opens no alert: %s', (now, on, quiet) => {
  expect(isQuiet(on, new Date(now))).toBe(quiet);
});

it('a rule without hours opens alerts at any time', () => {
  expect(isQuiet({ percent: 10, silentFor: HOUR }, new Date('2027-01-05T03:00:00Z'))).toBe(false);
});

it('days on which the shops are closed do not count as silence', async () => {
  server.clock.stop();
  const [device = 0] = await addDevices(server.acme, ['a']);
  await see(server, [device]);
  const silent = { count: 1, silentFor: '30h' };
  const tomorrow = new Date(server.clock.now().getTime() + DAY).getUTCDay();
  const days = WEEKDAYS.filter((_day, index) => (index + 1) % 7 !== tomorrow).map((day) => day.toUpperCase());
  const hours = { fromHour: 0, toHour: 24, timeZone: 'UTC', days };
  await createRule(server.acme, { name: 'Open days', on: { silent: { ...silent, ...hours } } });
  await createRule(server.acme, { name: 'Each day', on: { silent } });
  const named = (alerts: readonly { readonly name: string }[]) => alerts.map(({ name }) => name).toSorted();
  expect(named(await after(server, 31 * HOUR))).toEqual(['Each day']);
  expect(await silentBy()).toEqual({ 'Open days': 0, 'Each day': 1 });
  expect(named(await after(server, DAY))).toEqual(['Each day', 'Open days']);
  expect(await silentBy()).toEqual({ 'Open days': 1, 'Each day': 1 });
});

interface Rules {
  readonly alertRules: {
    readonly nodes: readonly { readonly name: string; readonly on: { readonly silent: Since } }[];
  };
}
interface Since {
  readonly silentSince: string;
}

/** Number of devices in the list that were not seen since the time that each rule says. */
async function silentBy(): Promise<object> {
  const { alertRules } = await answered<Rules>(
    server.acme,
    '{ alertRules { nodes { name on { silent { silentSince } } } } }',
  );
  const query = 'query ($at: DateTime!) { devices(filter: { lastSeenAt: { lt: $at } }) { totalCount } }';
  const counted = alertRules.nodes.map(async ({ name, on }) => {
    const at = on.silent.silentSince;
    const { devices } = await answered<{ devices: { totalCount: number } }>(server.acme, query, { at });
    return [name, devices.totalCount] as const;
  });
  return Object.fromEntries(await Promise.all(counted));
}
