import { beforeAll, describe, expect, it } from 'vitest';

import { OVERDUE_AFTER } from '../../../../src/domain/software/manifest/manifest.model.js';
import { MINUTE } from '../../../../src/platform/clock.js';
import { createRandom } from '../../../../src/platform/random.js';
import { fileForm } from '../../../support/client.js';
import { nodeId } from '../../../support/dashboard.js';
import { crcOf, fleet, softwareOf } from '../../../support/fleet.js';
import { type Member, useServer } from '../../../support/server.js';
import { reportInstall, softwareOfDevice, statesOf } from '../../../support/software.js';
import { base64, stockedTerminal } from '../../../support/stocked-terminal.js';
import { subscribe } from '../../../support/subscribe.js';
import { getAsset, getAsTerminal, issueToken } from '../../../support/terminals.js';

const server = useServer({ rateLimitPerHour: 100_000 });
let acme: Member;
beforeAll(() => {
  ({ acme } = server);
});

const STATES = ['granted', 'downloaded', 'installed', 'proven', 'failed'] as const;

/** Compares the rows with what is granted, and the totals with the rows; they must match at any time. */
async function check(): Promise<void> {
  // Downloads are noted in the background: all is read at one time.
  const [rows, links, devices, kept] = await server.app.database.snapshot(
    null,
    async (db) =>
      [
        await db.selectFrom('terminal_versions').selectAll().execute(),
        await db.selectFrom('logical_number_app_versions').selectAll().execute(),
        await db.selectFrom('devices').selectAll().execute(),
        await db.selectFrom('app_version_totals').selectAll().execute(),
      ] as const,
  );
  const granted = devices.flatMap(({ id, company_id, logical_number_id: number }) =>
    links
      .filter((link) => link.company_id === company_id && link.logical_number_id === number)
      .map((link) => `${company_id} ${id} ${link.app_version_id}`),
  );
  const nameOf = (row: (typeof rows)[number]) => `${row.company_id} ${row.device_id} ${row.app_version_id}`;
  const named = new Set(rows.map(nameOf));
  expect(granted.filter((each) => !named.has(each))).toEqual([]);
  const ungranted = rows.filter((row) => !granted.includes(nameOf(row)));
  expect(ungranted.filter(({ state }) => state === 'granted')).toEqual([]);
  for (const { company_id, app_version_id, ...totals } of kept) {
    const isOwn = (row: { company_id: number; app_version_id: number }): boolean =>
      row.company_id === company_id && row.app_version_id === app_version_id;
    const own = rows.filter(isOwn);
    expect(totals).toEqual({
      numbers: links.filter(isOwn).length,
      ...Object.fromEntries(STATES.map((state) => [state, own.filter((row) => row.state === state).length])),
      fetched: own.filter(({ attempts }) => attempts > 0).length,
    });
  }
  const positions = rows.flatMap(({ sequence }) => sequence ?? []);
  expect(new Set(positions).size).toBe(positions.length);
}

describe('what is kept of versions on terminals', () => {
  it.each([1, 2, 3])('is exact after any changes, seed %i', async (seed) => {
    const random = createRandom(seed);
    const { client } = acme;
    const group = await fleet.group(client, `group ${seed}`);
    const software = softwareOf(client);
    const name = `random${seed}`;
    const path = await software.app({ name });
    const bytes = ['one', 'two'];
    const versions: number[] = [];
    for (const [index, each] of bytes.entries()) {
      const given = { number: `${index}`, bytecode: base64(each), group_ids: [group] };
      versions.push((await software.version(path, given)).id as number);
    }
    const numbers = [`${seed}-A`, `${seed}-B`];
    const numberIds: number[] = [];
    for (const number of numbers)
      numberIds.push(await fleet.logicalNumber(client, number, { group_id: group }));
    const terminals: { readonly serial: string; readonly token: string }[] = [];
    for (const index of [0, 1, 2]) {
      const serial = `R${seed}-${index}`;
      const id = await fleet.device(client, serial, { logical_number_id: numberIds[0] });
      terminals.push({ serial, token: await issueToken(acme, id) });
    }
    const asset = `acmepagamentos_${name}.posxml`;
    const crc = (): string => crcOf(Buffer.from(random.pick(bytes)));
    const changes: readonly (() => Promise<unknown>)[] = [
      () =>
        client.put(`logical_numbers/${random.pick(numbers)}`, {
          app_version_ids: random.chance(0.3) ? [] : [random.pick(versions)],
        }),
      () =>
        client.put(`devices/${random.pick(terminals).serial}`, {
          logical_number_id: random.pick([...numberIds, null]),
        }),
      () => getAsset(server, random.pick(terminals).token, asset),
      () => getAsset(server, random.pick(terminals).token, `${asset}?crc=${crc()}`),
      () => getAsTerminal(server, random.pick(terminals).token, 'manifest'),
      () =>
        reportInstall(server, random.pick(terminals).token, {
          name: asset,
          crc: crc(),
          result: random.pick(['installed', 'failed']),
          code: random.pick(['SPACE', 'SIGNATURE']),
        }),
      async () => {
        const at = server.clock.now().toISOString();
        const sale = { transaction_type: 'switch', app_name: `${name}.posxml`, status: 'success' };
        const headers = { authorization: `Bearer ${random.pick(terminals).token}` };
        const body = { ...sale, started_at: at, finished_at: at, reference: crypto.randomUUID() };
        await server.anonymous.post('/terminal/v1/transactions', body, { headers });
      },
      () => {
        const other = base64(`${random.pick(bytes)} ${random.whole(1, 2)}`);
        return client.put(`${path}/${random.pick(versions)}`, { bytecode: other });
      },
      async () => {
        server.clock.advance(MINUTE);
        await server.app.steps.idle();
      },
    ];
    for (let n = 0; n < 80; n += 1) {
      await random.pick(changes)();
      if (n % 8 === 0) await check();
    }
    await check();
    expect((await client.delete(`devices/${terminals[0]?.serial ?? ''}`)).status).toBe(200);
    await check();
    expect((await client.delete(`${path}/${versions[0] ?? 0}`)).status).toBe(200);
    await check();
    for (const number of numbers) await client.put(`logical_numbers/${number}`, { app_version_ids: [] });
    await check();
    expect(await server.place.check()).toEqual([]);
  });
});

describe('a version that is not downloaded', () => {
  it('is overdue a day after it was granted', async () => {
    const { versionId, serialNumber, token } = await stockedTerminal(acme, 'overdue');
    const id = nodeId('AppVersion', versionId);
    const reach = async (): Promise<unknown> => {
      const query = `query ($id: ID!) { appVersion(id: $id) { reach { granted overdue } } }`;
      return (await acme.graphql<{ appVersion: { reach: object } }>(query, { id })).body.data.appVersion
        .reach;
    };
    server.clock.advance(OVERDUE_AFTER - MINUTE);
    expect([await statesOf(acme, id), await reach()]).toEqual([
      [`${serialNumber} GRANTED`],
      { granted: 1, overdue: 0 },
    ]);
    server.clock.advance(MINUTE);
    for (const [filter, expected] of [
      [{}, [`${serialNumber} OVERDUE`]],
      [{ state: 'OVERDUE' }, [`${serialNumber} OVERDUE`]],
      [{ state: 'GRANTED' }, []],
    ] as const) {
      expect(await statesOf(acme, id, filter)).toEqual(expected);
    }
    expect((await softwareOfDevice(acme, serialNumber))[0]?.state).toBe('OVERDUE');
    expect(await reach()).toEqual({ granted: 1, overdue: 1 });
    await getAsset(server, token, 'acmepagamentos_overdue.posxml');
    await expect.poll(() => statesOf(acme, id)).toEqual([`${serialNumber} DOWNLOADED`]);
    expect(await reach()).toEqual({ granted: 1, overdue: 0 });
  });
});

describe('the settings file of a terminal', () => {
  it('has the CRC that the terminal last named, or took', async () => {
    const { serialNumber, token, logicalNumber } = await stockedTerminal(acme, 'settings');
    const query = `query ($serialNumber: String!) { device(serialNumber: $serialNumber) { paramsDat { crc since isCurrent } } }`;
    interface Asked {
      readonly device: { readonly paramsDat: { readonly since: string } | null };
    }
    const shown = async () => {
      const { body } = await acme.graphql<Asked>(query, { serialNumber });
      return body.data.device.paramsDat;
    };
    const ask = (path = 'params.dat', method = 'GET'): Promise<Response> =>
      fetch(`${server.url}/terminal/v1/${path}`, { method, headers: { authorization: `Bearer ${token}` } });
    for (const [path, method] of [
      ['params.dat', 'HEAD'],
      ['params.dat?crc=31', 'GET'],
      ['manifest', 'GET'],
    ] as const) {
      await (await ask(path, method)).arrayBuffer();
    }
    expect(await shown()).toBeNull();
    const crc = crcOf(Buffer.from(await (await ask()).arrayBuffer()));
    await expect.poll(shown).toMatchObject({ crc, isCurrent: true });
    const first = await shown();
    server.clock.advance(MINUTE);
    expect((await ask(`params.dat?crc=${crc}`)).status).toBe(304);
    expect(await shown()).toEqual(first);
    const more = { number: logicalNumber, key: 'more', value: 'value' };
    expect((await acme.client.post('parameters', more)).status).toBe(201);
    expect(await shown()).toEqual({ ...first, isCurrent: false });
    await (await ask('params.dat?crc=0f0f')).arrayBuffer();
    await expect.poll(shown).toMatchObject({ crc: '0F0F', isCurrent: false });
    expect((await shown())?.since).not.toBe(first?.since);
  });
});

describe('the files of a terminal', () => {
  it('have the CRC that the terminal last named, took or reported', async () => {
    const { serialNumber, token, fileId } = await stockedTerminal(acme, 'filed');
    const name = 'acmepagamentos_filed.dat';
    const query = `query ($serialNumber: String!) { device(serialNumber: $serialNumber) { files { name crc since isCurrent } } }`;
    interface Asked {
      readonly device: { readonly files: readonly { readonly since: string | null }[] };
    }
    const shown = async () => {
      const { body } = await acme.graphql<Asked>(query, { serialNumber });
      return body.data.device.files;
    };
    expect(await shown()).toEqual([{ name, crc: null, since: null, isCurrent: false }]);
    const { bytes } = await getAsset(server, token, name);
    const crc = crcOf(bytes);
    await expect.poll(shown).toMatchObject([{ name, crc, isCurrent: true }]);
    const first = await shown();
    server.clock.advance(MINUTE);
    expect((await getAsset(server, token, `${name}?crc=${crc}`)).status).toBe(304);
    expect(await shown()).toEqual(first);
    const other = fileForm('filed.dat', 'other bytes');
    expect((await acme.client.put(`files/${fileId}`, other)).status).toBe(200);
    expect(await shown()).toEqual([{ ...first[0], isCurrent: false }]);
    const now = crcOf(Buffer.from('other bytes'));
    for (const [reported, result, expected] of [
      [now, 'failed', { crc, isCurrent: false }],
      ['0F0F', 'installed', { crc: '0F0F', isCurrent: false }],
      [now, 'installed', { crc: now, isCurrent: true }],
    ] as const) {
      expect((await reportInstall(server, token, { name, crc: reported, result })).status).toBe(200);
      expect(await shown()).toMatchObject([expected]);
    }
  });
});

interface Followed {
  readonly softwareChanged: {
    readonly sequence: number;
    readonly software: { readonly state: string; readonly device: { readonly serialNumber: string } };
  };
}
const FOLLOW = `subscription ($id: ID!, $after: Int) { softwareChanged(appVersionId: $id, after: $after) {
  sequence software { state device { serialNumber } } } }`;

describe('a subscription to a version', () => {
  const seen = (events: readonly Followed[]): string[] =>
    events.map(({ softwareChanged: { software } }) => `${software.device.serialNumber} ${software.state}`);

  it('sends each change of its terminals, in order, and resumes', async () => {
    const own = await stockedTerminal(acme, 'followed');
    const other = await stockedTerminal(acme, 'unfollowed');
    const id = nodeId('AppVersion', own.versionId);
    const install = async ({ token }: typeof own, name: string, result: string) => {
      const crc = crcOf(Buffer.from(`bytecode of ${name}`));
      const asset = `acmepagamentos_${name}.posxml`;
      expect((await reportInstall(server, token, { name: asset, crc, result })).status).toBe(200);
    };
    const live = subscribe<Followed>(server, acme, FOLLOW, { id, after: 0 });
    await install(own, 'followed', 'failed');
    expect(seen(await live.until(1))).toEqual(['SN-followed FAILED']);
    await install(other, 'unfollowed', 'installed');
    await install(own, 'followed', 'installed');
    expect(seen(await live.until(2)).at(-1)).toBe('SN-followed INSTALLED');
    const at = server.clock.now().toISOString();
    const sale = { transaction_type: 'switch', app_name: 'followed.posxml', status: 'success' };
    const body = { ...sale, started_at: at, finished_at: at, reference: 'sale' };
    const headers = { authorization: `Bearer ${own.token}` };
    await server.anonymous.post('/terminal/v1/transactions', body, { headers });
    const events = await live.until(3);
    expect(seen(events).at(-1)).toBe('SN-followed PROVEN');
    live.stop();
    const after = events[1]?.softwareChanged.sequence;
    const resumed = subscribe<Followed>(server, acme, FOLLOW, { id, after });
    expect(seen(await resumed.until(1))).toEqual(['SN-followed PROVEN']);
    resumed.stop();
    const stranger = subscribe<Followed>(server, server.beta, FOLLOW, { id });
    expect(await stranger.ended).toMatchObject([{ extensions: { code: 'NOT_FOUND' } }]);
  });
});
