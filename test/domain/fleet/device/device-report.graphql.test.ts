import { beforeAll, describe, expect, it } from 'vitest';

import { getDevice, reportDevice } from '../../../../src/domain/fleet/device/device.service.js';
import { answered, statementsFor } from '../../../support/dashboard.js';
import { fleet } from '../../../support/fleet.js';
import { useServer, type Fields } from '../../../support/server.js';

const server = useServer();

/** Reports of terminals by their serial numbers. */
const REPORTS: Readonly<Record<string, Fields>> = {
  empty: { battery_level: '0', gprs_signal: '007' },
  low: { model: 'V240m', battery_level: 9, gprs_signal: '31', sim_card_id: '8955123' },
  half: { model: 'S920', battery_level: '50', sim_card_id: '8955124' },
  full: { battery_level: '100', gprs_signal: '100' },
  wrong: { battery_level: '12.5', gprs_signal: '-1', sim_card_id: '' },
  worse: { battery_level: '8 %', gprs_signal: '1000', model: '9' },
  silent: {},
};
beforeAll(async () => {
  const { client, caller } = server.acme;
  for (const [serialNumber, meta] of Object.entries(REPORTS)) {
    const id = await fleet.device(client, serialNumber);
    await server.app.units.write(caller, async (work) =>
      reportDevice(work, await getDevice(work, id), { meta }),
    );
  }
  const other = await fleet.device(server.beta.client, 'of beta');
  await server.app.units.write(server.beta.caller, async (work) =>
    reportDevice(work, await getDevice(work, other), { meta: REPORTS.low }),
  );
});

const DEVICES =
  'query ($filter: DeviceFilter) { devices(filter: $filter, orderBy: { field: ID }) { nodes { serialNumber } } }';

async function found(filter: Fields): Promise<readonly string[]> {
  const { devices } = await answered<{ devices: { nodes: readonly { readonly serialNumber: string }[] } }>(
    server.acme,
    DEVICES,
    { filter },
  );
  return devices.nodes.map(({ serialNumber }) => serialNumber);
}

describe('battery, signal, SIM card and model of a device', () => {
  it('are fields, null without a report or with another text than a number', async () => {
    const list =
      '{ devices(orderBy: { field: ID }) { nodes { serialNumber model batteryLevel signal simCardId } } }';
    const none = { model: null, batteryLevel: null, signal: null, simCardId: null };
    expect(await answered(server.acme, list)).toEqual({
      devices: {
        nodes: [
          { ...none, serialNumber: 'empty', batteryLevel: 0, signal: 7 },
          { serialNumber: 'low', model: 'V240m', batteryLevel: 9, signal: 31, simCardId: '8955123' },
          { ...none, serialNumber: 'half', model: 'S920', batteryLevel: 50, simCardId: '8955124' },
          { ...none, serialNumber: 'full', batteryLevel: 100, signal: 100 },
          { ...none, serialNumber: 'wrong', simCardId: '' },
          { ...none, serialNumber: 'worse', model: '9' },
          { ...none, serialNumber: 'silent' },
        ],
      },
    });
  });

  it.each<[Fields, readonly string[]]>([
    [{ batteryLevel: { lt: 50 } }, ['empty', 'low']],
    [{ batteryLevel: { gte: 50 } }, ['half', 'full']],
    [{ batteryLevel: { gte: 9, lt: 51 } }, ['low', 'half']],
    [{ batteryLevel: { eq: 0 } }, ['empty']],
    [{ batteryLevel: { isNull: true } }, ['wrong', 'worse', 'silent']],
    [{ not: { batteryLevel: { lt: 100 } } }, ['full', 'wrong', 'worse', 'silent']],
    [{ signal: { lt: 32 } }, ['empty', 'low']],
    [{ signal: { in: [7, 100] } }, ['empty', 'full']],
    [{ simCardId: { startsWith: '8955' } }, ['low', 'half']],
    [{ simCardId: { eq: '8955124' }, batteryLevel: { lt: 60 } }, ['half']],
    [{ simCardId: { isNull: true } }, ['empty', 'full', 'worse', 'silent']],
  ])('are found by %o', async (filter, serialNumbers) => {
    expect(await found(filter)).toEqual(serialNumbers);
    // The devices, and their number, which decides where such a search runs.
    expect(await statementsFor(server, server.acme, DEVICES, { filter })).toHaveLength(2);
  });
});
