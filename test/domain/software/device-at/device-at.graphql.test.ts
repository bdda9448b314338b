import fc from 'fast-check';
import { randomInt } from 'node:crypto';
import { describe, expect, it } from 'vitest';

import { DAY, SECOND } from '../../../../src/platform/clock.js';
import { answered, refused } from '../../../support/dashboard.js';
import { createdId, fleet, softwareOf, statementsOf } from '../../../support/fleet.js';
import { pruneNow } from '../../../support/retention.js';
import { ownServer, type Fields, type Member, type TestServer } from '../../../support/server.js';
import { actOf, ACTS, SERIALS, setUp } from './acts.js';

const AT = `query ($serial: String!, $at: DateTime!) { deviceAt(serialNumber: $serial, at: $at) {
  serialNumber enabled meta frameworkVersion logicalNumber group
  appVersions { app number } parameters { key value description source } } }`;

const NOW = `query ($serial: String!) { device(serialNumber: $serial) {
  serialNumber enabled meta frameworkVersion logicalNumber { number group { name }
    appVersions(first: 100) { nodes { number app { name } } }
    effectiveParameters { key value description source } } } }`;

const CHANGES = `query ($serial: String!, $at: DateTime!) { deviceAt(serialNumber: $serial, at: $at) {
  device { serialNumber } enabledChange { ...C } logicalNumberChange { ...C } groupChange { ...C }
  appVersions { appVersion { number } change { ...C } } parameters { key change { ...C } } } }
  fragment C on LedgerEntry { action entityType at actor { email } }`;

interface Present extends Fields {
  readonly logicalNumber: {
    readonly number: string;
    readonly group: { readonly name: string } | null;
    readonly appVersions: { readonly nodes: readonly { number: string; app: { name: string } }[] };
    readonly effectiveParameters: readonly Fields[];
  } | null;
}

/** The device as it is now, in the form of `deviceAt`; null if there is none. */
async function present(member: Member, serial: string): Promise<Fields | null> {
  const { device } = await answered<{ device: Present | null }>(member, NOW, { serial });
  if (device === null) return null;
  const { logicalNumber: number, ...own } = device;
  return {
    ...own,
    logicalNumber: number?.number ?? null,
    group: number?.group?.name ?? null,
    appVersions: number?.appVersions.nodes.map((each) => ({ app: each.app.name, number: each.number })) ?? [],
    parameters: number?.effectiveParameters ?? [],
  };
}

/** Time of now, after which a second passes. */
function tick({ clock }: TestServer): Date {
  const at = clock.now();
  clock.advance(SECOND);
  return at;
}

const at = async (member: Member, serial: string, time: Date, query = AT): Promise<Fields | null> =>
  (await answered<{ deviceAt: Fields | null }>(member, query, { serial, at: time.toISOString() })).deviceAt;

describe('deviceAt', () => {
  it('shows after any acts what was at each instant between them', async () => {
    const server = await ownServer();
    server.clock.stop();
    await setUp(server);
    const noted: { readonly time: Date; readonly serial: string; readonly state: Fields | null }[] = [];
    const note = async (): Promise<void> => {
      const time = tick(server);
      for (const serial of SERIALS) noted.push({ time, serial, state: await present(server.acme, serial) });
    };
    await note();
    const seed = randomInt(2 ** 31);
    const act = fc.tuple(fc.constantFrom(...ACTS), fc.infiniteStream(fc.nat()));
    const acts = fc.sample(fc.array(act, { minLength: 50, maxLength: 50 }), { numRuns: 1, seed })[0] ?? [];
    for (const [name, choices] of acts) {
      await actOf(server, name, choices);
      await note();
    }
    for (const { time, serial, state } of noted) {
      expect(await at(server.acme, serial, time), `${serial} at ${time.toISOString()}, seed ${seed}`).toEqual(
        state,
      );
    }
    for (const { time, serial } of noted.slice(-SERIALS.length)) {
      expect(await at(server.beta, serial, time)).toBeNull();
    }
    expect(noted[0]?.state).toMatchObject({ parameters: [{}, {}, {}], appVersions: [{}, {}] });
    // Acts are refused at times, for example to delete what is not there. Most must not be.
    expect(new Set(noted.map(({ state }) => JSON.stringify(state))).size).toBeGreaterThan(10);
  });

  it('names the change and the person of each part', async () => {
    const server = await ownServer();
    server.clock.stop();
    const { acme } = server;
    const other = await server.member('acme', 'operator');
    const email = async (member: Member): Promise<unknown> =>
      (await answered<{ viewer: { user: Fields } }>(member, '{ viewer { user { email } } }')).viewer.user
        .email;
    const [admin, operator] = [await email(acme), await email(other)];
    const group = await fleet.group(acme.client, 'north');
    const path = await softwareOf(acme.client).app();
    const { id: version } = await softwareOf(acme.client).version(path, {
      group_ids: [group],
      number: '1.0',
    });
    const number = await fleet.logicalNumber(acme.client, '1001');
    const times: Date[] = [];
    const put = async (by: Member, path: string, body: Fields): Promise<void> => {
      expect((await by.client.put(path, body)).status).toBe(200);
      times.push(tick(server));
    };
    await fleet.device(acme.client, 'SN-1');
    const created = tick(server);
    await put(other, 'devices/SN-1', { logical_number_id: number });
    await put(acme, 'devices/SN-1', { enabled: false });
    await put(other, 'logical_numbers/1001', { group_id: group });
    await put(acme, 'logical_numbers/1001', { app_version_ids: [version] });
    const parameter = await createdId(other.client, 'parameters', 'logical_number_parameter', {
      number: '1001',
      key: 'timeout',
      value: '30',
    });
    const set = tick(server);
    await put(acme, `parameters/${parameter}`, { number: '1001', value: '60' });
    await put(other, 'devices/SN-1', { logical_number_id: null });
    const [assigned, disabled, moved, granted] = times;
    const shown = (action: string, entityType: string, time: Date | undefined, by: unknown) => ({
      action,
      entityType,
      at: time?.toISOString(),
      actor: { email: by },
    });
    const creation = shown('create', 'device', created, admin);
    expect(await at(acme, 'SN-1', created, CHANGES)).toEqual({
      device: { serialNumber: 'SN-1' },
      enabledChange: creation,
      logicalNumberChange: creation,
      groupChange: null,
      appVersions: [],
      parameters: [],
    });
    expect(await at(acme, 'SN-1', set, CHANGES)).toEqual({
      device: { serialNumber: 'SN-1' },
      enabledChange: shown('update', 'device', disabled, admin),
      logicalNumberChange: shown('update', 'device', assigned, operator),
      groupChange: shown('update', 'logical_number', moved, operator),
      appVersions: [
        {
          appVersion: { number: '1.0' },
          change: shown('update', 'logical_number', granted, admin),
        },
      ],
      parameters: [{ key: 'timeout', change: shown('create', 'parameter', set, operator) }],
    });
  });

  it('shows the device that had a serial number then, also after another one got it', async () => {
    const server = await ownServer();
    server.clock.stop();
    const { client } = server.acme;
    const states: [Date, Fields | null][] = [[tick(server), null]];
    const note = (state: Fields | null) => states.push([tick(server), state]);
    for (const enabled of [true, false]) {
      await fleet.device(client, 'SN-1', { enabled });
      note({ serialNumber: 'SN-1', enabled });
      await client.delete('devices/SN-1');
      note(null);
    }
    await fleet.device(client, 'SN-1');
    note({ serialNumber: 'SN-1', enabled: true });
    const query = AT.replace(/serialNumber enabled meta[^]*/, 'serialNumber enabled } }');
    for (const [time, state] of states) expect(await at(server.acme, 'SN-1', time, query)).toEqual(state);
  });

  it('is an error for a time before which retention has deleted the ledger, and is exact from then on', async () => {
    const server = await ownServer();
    const { acme, clock, app } = server;
    clock.stop();
    await fleet.device(acme.client, 'SN-1');
    const first = tick(server);
    await acme.client.put('devices/SN-1', { enabled: false });
    const last = tick(server);
    clock.advance(400 * DAY);
    await fleet.device(acme.client, 'SN-2');
    await pruneNow(app.database, { ledger: '13 months' }, { clock });
    const serial = 'SN-1';
    expect(await refused(acme, AT, { serial, at: first.toISOString() })).toEqual({
      code: 'BAD_USER_INPUT',
      message: `The ledger is kept from ${last.toISOString()} on: retention has deleted earlier entries. Ask for a later time.`,
    });
    expect(await at(acme, serial, last)).toMatchObject({ enabled: false });
    expect(await at(acme, serial, last, CHANGES)).toMatchObject({ enabledChange: null });
  });

  it('takes as many statements for a terminal with much as for one with little', async () => {
    const server = await ownServer();
    const { client } = server.acme;
    const count = async (serial: string, many: number): Promise<number> => {
      const group = await fleet.group(client, serial);
      const number = await fleet.logicalNumber(client, serial, { group_id: group });
      await fleet.device(client, serial, { logical_number_id: number });
      const app_version_ids = await fleet.appVersions(client, many, [group]);
      await client.put(`logical_numbers/${serial}`, { app_version_ids });
      for (let n = 0; n < many; n += 1) {
        await client.post('parameters', { name: serial, key: `key ${n}`, value: 'v' });
        await client.put(`devices/${serial}`, { enabled: n % 2 === 0 });
      }
      const time = server.clock.now();
      return await statementsOf(server, () => at(server.acme, serial, time, CHANGES));
    };
    const few = await count('few', 1);
    expect(await count('many', 12)).toBe(few);
    expect(few).toBeLessThan(30);
  });
});
