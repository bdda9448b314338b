import { describe, expect, it } from 'vitest';

import {
  createDevices,
  getDevice,
  reportDevice,
  storeLastSeenTimes,
} from '../../../../src/domain/fleet/device/device.service.js';
import { storeRefusals } from '../../../../src/domain/terminals/terminal/terminal.repository.js';
import { answered, statementsFor } from '../../../support/dashboard.js';
import { fleet } from '../../../support/fleet.js';
import { useServer, type Fields, type Member } from '../../../support/server.js';

const server = useServer();

const QUERY = `{ deviceSummary { total enabled disabled neverSeen
  byModel { value count } byFrameworkVersion { value count } } }`;

async function add(member: Member, serialNumber: string, report: Fields, more: Fields = {}): Promise<void> {
  const id = await fleet.device(member.client, serialNumber, more);
  await server.app.units.write(member.caller, async (work) =>
    reportDevice(work, await getDevice(work, id), report),
  );
}

interface Counted {
  readonly value: string | null;
  readonly presence: string;
  readonly group: { readonly id: string } | null;
  readonly count: number;
  readonly byPresence: readonly Counted[];
}
type Rows = Readonly<
  Record<'total' | 'enabled' | 'disabled' | 'neverSeen', number> &
    Record<'byModel' | 'byFrameworkVersion' | 'byPresence' | 'byGroup', readonly Counted[]>
>;

const ROWS = `query ($filter: DeviceFilter) { deviceSummary(filter: $filter) { total enabled disabled neverSeen
  byModel { value count } byFrameworkVersion { value count } byPresence { presence count }
  byGroup { group { id } count byPresence { presence count } } } }`;

const COUNT = 'query ($filter: DeviceFilter) { devices(first: 0, filter: $filter) { totalCount } }';

/** The filter of each row of a summary, and the number of devices that it counts. */
function rowsOf({ total, enabled, disabled, neverSeen, ...by }: Rows): (readonly [Fields, number])[] {
  const is = (value: unknown) => (value === null ? { isNull: true } : { eq: value });
  const presences = (rows: readonly Counted[], and: Fields = {}) =>
    rows.map(({ presence, count }) => [{ ...and, presence: { eq: presence } }, count] as const);
  return [
    [{}, total],
    [{ enabled: { eq: true } }, enabled],
    [{ enabled: { eq: false } }, disabled],
    [{ hasReported: { eq: false } }, neverSeen],
    ...by.byModel.map(({ value, count }) => [{ model: is(value) }, count] as const),
    ...by.byFrameworkVersion.map(({ value, count }) => [{ frameworkVersion: is(value) }, count] as const),
    ...presences(by.byPresence),
    ...by.byGroup.flatMap(({ group, count, byPresence }) => {
      const of = { group: is(group?.id ?? null) };
      return [[of, count] as const, ...presences(byPresence, of)];
    }),
  ];
}

describe('deviceSummary', () => {
  it('is zero without devices', async () => {
    const zero = { total: 0, enabled: 0, disabled: 0, neverSeen: 0 };
    expect(await answered(server.beta, QUERY)).toEqual({
      deviceSummary: { ...zero, byModel: [], byFrameworkVersion: [] },
    });
  });

  it("counts the company's devices by state, model and framework version", async () => {
    const { acme, beta } = server;
    await add(acme, 'S1', { meta: { model: 'X' }, frameworkVersion: '1.0' });
    await add(acme, 'S2', { meta: { model: 'X' }, frameworkVersion: '1.1' }, { enabled: false });
    await add(acme, 'S3', { meta: { model: 'Y "&" Z' }, frameworkVersion: '1.0' });
    await add(acme, 'S4', { meta: { brand: 'no model' } });
    await add(acme, 'S5', { frameworkVersion: '1.0' });
    await fleet.device(acme.client, 'S6');
    await fleet.device(acme.client, 'S7', { enabled: false });
    await add(beta, 'S1', { meta: { model: 'of beta' }, frameworkVersion: '9' });
    expect(await answered(acme, QUERY)).toEqual({
      deviceSummary: {
        total: 7,
        enabled: 5,
        disabled: 2,
        neverSeen: 2,
        byModel: [
          { value: null, count: 4 },
          { value: 'X', count: 2 },
          { value: 'Y "&" Z', count: 1 },
        ],
        byFrameworkVersion: [
          { value: null, count: 3 },
          { value: '1.0', count: 3 },
          { value: '1.1', count: 1 },
        ],
      },
    });
  });

  it('takes four statements, for any number of devices and of selections', async () => {
    const member = await server.member('beta', 'operator');
    expect(await statementsFor(server, member, QUERY)).toHaveLength(4);
    const serialNumbers = Array.from({ length: 500 }, (_, n) => `BULK ${n}`);
    await server.app.units.write(member.caller, (work) =>
      createDevices(work, serialNumbers, 'REJECT_EVERYTHING'),
    );
    expect(await statementsFor(server, member, QUERY)).toHaveLength(4);
    const twice =
      '{ a: deviceSummary { total byModel { count } } b: deviceSummary { enabled byModel { value } } }';
    expect(await statementsFor(server, member, twice)).toHaveLength(3);
  });

  it('leads from each row to the devices that it counts, alone and within another filter', async () => {
    const { caller, client } = server.acme;
    const more = { group_id: await fleet.group(client, 'Lojas') };
    const number = await fleet.logicalNumber(client, 'N1', more);
    const seen = await fleet.device(client, 'SEEN', { logical_number_id: number });
    const seenAt = server.clock.now().getTime();
    await server.app.units.writeWithoutLedger(caller.companyId, (work) =>
      storeLastSeenTimes(work, [{ deviceId: seen, seenAt }]),
    );
    const refused = await fleet.device(client, 'REFUSED', { enabled: false });
    await server.app.units.writeWithoutLedger(caller.companyId, (work) =>
      storeRefusals(work, { code: 'terminal_disabled', deviceIds: [refused], unlessSince: new Date(0) }),
    );
    const never = { presence: { eq: 'NEVER_SEEN' } };
    for (const filter of [{}, { enabled: { eq: true } }, { hasLogicalNumber: { eq: false } }, never]) {
      const summary = (await answered<{ deviceSummary: Rows }>(server.acme, ROWS, { filter })).deviceSummary;
      for (const [own, count] of rowsOf(summary)) {
        const variables = { filter: { and: [filter, own] } };
        const { devices } = await answered<{ devices: Fields }>(server.acme, COUNT, variables);
        expect(devices, JSON.stringify(variables)).toEqual({ totalCount: count });
      }
      for (const of of [summary.byModel, summary.byFrameworkVersion, summary.byGroup, summary.byPresence])
        expect(of.reduce((sum, { count }) => sum + count, 0)).toBe(summary.total);
    }
    const ofRefused = '{ devices(filter: { refused: { eq: true } }) { nodes { serialNumber } } }';
    const nodes = [{ serialNumber: 'REFUSED' }];
    expect(await answered(server.acme, ofRefused)).toEqual({ devices: { nodes } });
  });

  it('shows at most a hundred models', async () => {
    const member = await server.member('beta', 'operator');
    for (let n = 0; n < 101; n += 1) await add(member, `MODEL ${n}`, { meta: { model: `m${n}` } });
    const { deviceSummary } = await answered<{ deviceSummary: { byModel: { count: number }[] } }>(
      member,
      QUERY,
    );
    expect(deviceSummary.byModel).toHaveLength(100);
  });
});
