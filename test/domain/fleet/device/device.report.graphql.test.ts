import { beforeAll, describe, expect, it } from 'vitest';

import { changed, type UserErrorShape } from '../../../support/dashboard.js';
import { fleet } from '../../../support/fleet.js';
import { useServer, type Fields, type Member } from '../../../support/server.js';

const server = useServer();
let ingest: Member;
beforeAll(async () => {
  ingest = await server.member('acme', 'operator', ['ingest']);
  await fleet.device(server.acme.client, 'SN é');
  await fleet.device(server.beta.client, 'SN-BETA');
});

const REPORT = `mutation ($serialNumber: String!, $input: DeviceReportInput!) {
  deviceReport(serialNumber: $serialNumber, input: $input) {
    device { serialNumber frameworkVersion meta } userErrors { message path code } } }`;

interface Payload {
  readonly device: Fields | null;
  readonly userErrors: readonly UserErrorShape[];
}
const report = async (input: Fields, serialNumber = 'SN é'): Promise<Payload> =>
  await changed<Payload>(ingest, REPORT, { serialNumber, input });
const entries = async (): Promise<unknown[]> =>
  await server.app.database.reads
    .selectFrom('ledger')
    .select(['action', 'user_id'])
    .where('entity_type', '=', 'device')
    .where('action', '=', 'report')
    .execute();

describe('deviceReport', () => {
  it('replaces what the device reported before; absent fields stay', async () => {
    const meta = { brand: 'Verifone', battery_level: '80' };
    expect(await report({ frameworkVersion: '8.31.2', meta })).toEqual({
      device: { serialNumber: 'SN é', frameworkVersion: '8.31.2', meta },
      userErrors: [],
    });
    expect((await report({ frameworkVersion: '8.32.0' })).device).toMatchObject({
      frameworkVersion: '8.32.0',
      meta,
    });
    expect((await report({ meta: { model: 'V240m' } }, 'SN e\u0301')).device).toMatchObject({
      frameworkVersion: '8.32.0',
      meta: { model: 'V240m' },
    });
    const [device] = (await server.acme.client.get('devices')).list('devices');
    expect(device).toMatchObject({ framework_version: '8.32.0', meta: { model: 'V240m' } });
    const put = await server.acme.client.put(`devices/${encodeURIComponent('SN é')}`, { enabled: false });
    expect(put.record('device').meta).toEqual({ model: 'V240m' });
  });

  it('records a report in the ledger, and one without any change not at all', async () => {
    await report({ frameworkVersion: '9', meta: { brand: 'Acme', model: 'X' } });
    const before = await entries();
    await report({ frameworkVersion: '9', meta: { model: 'X', brand: 'Acme' } });
    await report({});
    expect(await entries()).toEqual(before);
    await report({ frameworkVersion: null });
    expect((await entries()).slice(before.length)).toEqual([
      { action: 'report', user_id: ingest.caller.userId },
    ]);
  });

  it('takes numbers and booleans in meta as their text', async () => {
    const { device } = await report({ meta: { battery_level: 80, charging: true, level: 1.5 } });
    expect(device).toMatchObject({ meta: { battery_level: '80', charging: 'true', level: '1.5' } });
  });

  it.each<[string, Fields]>([
    ['an object as a property', { meta: { battery_level: {} } }],
    ['null as a property', { meta: { battery_level: null } }],
    ['a whole number beyond 2^53', { meta: { iccid: 2 ** 60 } }],
    ['a list', { meta: ['a'] }],
    [
      'too many properties',
      { meta: Object.fromEntries(Array.from({ length: 65 }, (_, n) => [`p${n}`, 'x'])) },
    ],
    ['null', { meta: null }],
    ['a value that is too long', { meta: { brand: 'x'.repeat(1025) } }],
    ['a key that is too long', { meta: { ['k'.repeat(65)]: 'x' } }],
    ['NUL in a value', { meta: { brand: 'a\0b' } }],
  ])('refuses %s as meta and changes nothing', async (_what, input) => {
    const before = await entries();
    const { device, userErrors } = await report({ frameworkVersion: '77', ...input });
    expect(device).toBeNull();
    expect(userErrors).toMatchObject([{ path: ['input', 'meta'], code: 'INVALID' }]);
    expect(await entries()).toEqual(before);
  });

  it('AT-12 does not find a device of another company', async () => {
    for (const serialNumber of ['SN-BETA', 'SN-NOWHERE', '']) {
      expect(await report({ frameworkVersion: '1' }, serialNumber)).toEqual({
        device: null,
        userErrors: [{ message: 'No such device.', path: ['serialNumber'], code: 'NOT_FOUND' }],
      });
    }
  });

  it('shows nothing of the fleet around the device to the scope ingest', async () => {
    const nested = `mutation { deviceReport(serialNumber: "SN é", input: {}) {
      device { %s } userErrors { code } } }`;
    for (const field of ['transactions { totalCount }', 'createdBy { name }']) {
      const { body } = await ingest.graphql(nested.replace('%s', field));
      expect(body.errors?.map(({ extensions }) => extensions.code)).toEqual(['FORBIDDEN']);
    }
  });
});
