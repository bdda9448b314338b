import { beforeEach, expect, it } from 'vitest';

import { getDevice, reportDevice } from '../../../../src/domain/fleet/device/device.service.js';
import { DAY, MINUTE } from '../../../../src/platform/clock.js';
import { useServerPerTest } from '../../../support/server.js';
import { addDevices, after, createRule, events, see } from '../../base/alert/alerts.js';

const server = useServerPerTest();
beforeEach(() => server.clock.stop());

async function reportOf(id: number, meta: Readonly<Record<string, string>>): Promise<void> {
  await server.app.units.write(server.acme.caller, async (work) =>
    reportDevice(work, await getDevice(work, id), { meta }),
  );
}

const BATTERIES = ['19', '20', '5', 'unknown', '3'];

/** Five terminals with batteries, the last one disabled; resolves to their ids. */
async function addBatteries(): Promise<readonly number[]> {
  const ids = await addDevices(server.acme, ['a', 'b', 'c', 'no number', 'disabled']);
  for (const [index, id] of ids.entries()) await reportOf(id, { battery_level: BATTERIES[index] ?? '' });
  await server.acme.client.put('devices/disabled', { enabled: false });
  await see(server, ids);
  return ids;
}

it('a low battery of one terminal opens an alert, which says how low, and closes when it is charged', async () => {
  const [a = 0, , c = 0] = await addBatteries();
  await createRule(server.acme, { on: { lowBattery: { below: 20, count: 2 } } });
  const figures = [
    { name: 'a', value: 19, payments: null, from: null, to: null },
    { name: 'c', value: 5, payments: null, from: null, to: null },
  ];
  const opened = { kind: 'lowBattery', affected: 2, total: 3, examples: ['a', 'c'], figures };
  expect(await after(server, MINUTE)).toMatchObject([opened]);
  await reportOf(a, { battery_level: '80' });
  expect(await after(server, MINUTE)).toMatchObject([{ affected: 1, closedAt: null }]);
  await reportOf(c, { battery_level: '90' });
  await after(server, MINUTE);
  expect(await after(server, 5 * MINUTE)).toMatchObject([{ closedAt: server.clock.now().toISOString() }]);
  expect(await events(server)).toEqual(['opened', 'closed']);
});

it('a share of weak signals is of terminals of the filter that were seen within a day and report one', async () => {
  const ids = await addDevices(server.acme, ['x1', 'x2', 'x3', 'y1', 'gone']);
  for (const id of ids) await reportOf(id, { gprs_signal: '10' });
  await reportOf(ids[0] ?? 0, { gprs_signal: '60' });
  await reportOf(ids[1] ?? 0, { battery_level: '10' });
  await see(server, ids.slice(4));
  server.clock.advance(DAY + 1);
  await see(server, ids.slice(0, 4));
  const filter = { serialNumber: { startsWith: 'x' } };
  await createRule(server.acme, { name: '51', on: { weakSignal: { below: 50, percent: 51, filter } } });
  expect(await after(server, 0)).toEqual([]);
  await createRule(server.acme, { name: '50', on: { weakSignal: { below: 50, percent: 50, filter } } });
  expect(await after(server, MINUTE)).toMatchObject([
    { name: '50', affected: 1, total: 2, examples: ['x3'] },
  ]);
});
