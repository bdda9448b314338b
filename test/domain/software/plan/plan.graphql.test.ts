import { beforeAll, describe, expect, it } from 'vitest';

import { answered, refused } from '../../../support/dashboard.js';
import { audited, insertMany } from '../../../support/databases/rows.js';
import { fleet, statementsOf, wideFleet } from '../../../support/fleet.js';
import { ownServer, useServer, type Fields, type TestServer } from '../../../support/server.js';
import { setUp } from '../device-at/acts.js';
import { CHANGES_OF_DOCUMENT, DOCUMENT, planned, planOf, shown, sorted, STATE, stateOf } from './plans.js';

const server = useServer();

/** A fleet with two groups, three logical numbers and terminals, and two versions of one app. */
beforeAll(() => setUp(server));

/** Such a fleet of one test, which changes it. */
async function ownFleet(): Promise<TestServer> {
  const own = await ownServer();
  await setUp(own);
  return own;
}

describe('fleetPlan', () => {
  it('shows every difference, also those that follow, for how many terminals, and changes nothing', async () => {
    const before = await stateOf(server.acme);
    const plan = await planned(server.acme, DOCUMENT);
    expect(sorted(shown(plan))).toEqual(sorted(CHANGES_OF_DOCUMENT));
    expect(plan).toMatchObject({ terminals: 3, losing: 3 });
    expect(await stateOf(server.acme)).toEqual(before);
    expect(await planned(server.acme, DOCUMENT)).toEqual(plan);
  });

  it('finds no differences from the present state, of all and of a group', async () => {
    const whole = await stateOf(server.acme);
    expect((await planned(server.acme, whole)).changes).toEqual([]);
    expect(Object.keys(whole.devices as Fields)).toEqual(['S-1', 'S-2', 'S-3']);
    const { group } = await answered<{ group: { id: string } }>(
      server.acme,
      '{ group(name: "north") { id } }',
    );
    const reversed = { groups: { north: { appVersions: { 'sale.posxml': ['2', '1', '2'] } } } };
    expect((await planned(server.acme, reversed)).changes).toEqual([]);
    const empty = { groups: { north: { defaultAppVersions: { 'sale.posxml': [] } } } };
    expect((await planned(server.acme, empty)).changes).toEqual([]);
    const own = await stateOf(server.acme, { groupId: group.id, devices: false });
    expect(Object.keys(own)).toEqual(['groups', 'logicalNumbers']);
    expect(Object.keys(own.groups as Fields)).toEqual(['north']);
    expect(Object.keys(own.logicalNumbers as Fields)).toEqual(['N-1', 'N-3']);
    expect((await planned(server.acme, own)).changes).toEqual([]);
    const alone = await stateOf(server.acme, { groupId: group.id, logicalNumbers: false, devices: false });
    expect(alone).toEqual({ groups: own.groups });
  });

  it('names all problems of a document, each with its path', async () => {
    await fleet.group(server.beta.client, 'of beta');
    const document = {
      groups: {
        nowhere: {},
        'of beta': {},
        north: {
          appVersions: { 'sale.posxml': ['8', '1', '7'], other: ['1'] },
          defaultAppVersions: { 'sale.posxml': ['1', '2'] },
        },
      },
      logicalNumbers: {
        'N-1': { group: 'west' },
        'N-2': { group: null, appVersions: { 'sale.posxml': ['1'] } },
      },
      devices: { 'S-9': {}, 'S-1': { logicalNumber: 'N-9' } },
    };
    const { plan, userErrors } = await planOf(server.acme, document);
    expect(plan).toBeNull();
    const attached = 'must be app versions that are attached to the group: not';
    expect(sorted(userErrors.map(({ path, code, message }) => [path.join('/'), code, message]))).toEqual(
      sorted([
        ['document/groups/nowhere', 'INVALID', 'is no group of the company'],
        ['document/groups/of beta', 'INVALID', 'is no group of the company'],
        ['document/devices/S-9', 'INVALID', 'is no device of the company'],
        ['document/logicalNumbers/N-1/group', 'INVALID', 'is no group of the company'],
        ['document/devices/S-1/logicalNumber', 'INVALID', 'is no logical number of the company'],
        ['document/groups/north/appVersions/sale.posxml', 'INVALID', 'has no version 7, 8'],
        ['document/groups/north/appVersions/other', 'INVALID', 'is no app of the company'],
        ['document/groups/north/defaultAppVersions/sale.posxml', 'INVALID', `${attached} 2`],
        [
          'document/groups/north/defaultAppVersions/sale.posxml',
          'INVALID',
          'must have at most one version of each app: 1 and 2 are of one app',
        ],
        ['document/logicalNumbers/N-2/appVersions/sale.posxml', 'INVALID', `${attached} 1`],
      ]),
    );
  });

  it.each([
    [{ group: {} }, ['document'], 'has unknown fields: group'],
    [
      { groups: { north: { parameter: {} } } },
      ['document', 'groups', 'north'],
      'has unknown fields: parameter',
    ],
    [
      { groups: { north: { parameters: { timeout: 30 } } } },
      ['document', 'groups', 'north', 'parameters', 'timeout', 'value'],
      'must be a string',
    ],
    [
      { groups: { north: { appVersions: { 'sale.posxml': [1.1] } } } },
      ['document', 'groups', 'north', 'appVersions', 'sale.posxml', '0'],
      'must be a string',
    ],
    [
      { groups: { north: { metacontents: { ' menu': 1 } } } },
      ['document', 'groups', 'north', 'metacontents', ' menu'],
      'must not begin or end with a space',
    ],
    [
      { devices: { 'S-1': { enabled: 'no' } } },
      ['document', 'devices', 'S-1', 'enabled'],
      'must be true or false',
    ],
    [
      JSON.parse('{"groups": {"north": {"parameters": {"__proto__": "1"}}}}') as object,
      ['document', 'groups', 'north', 'parameters'],
      'has unknown fields: __proto__',
    ],
    ['text', ['document'], 'must be an object'],
    [{ groups: null }, ['document', 'groups'], 'must be an object'],
  ])('refuses %j', async (document, path, message) => {
    expect(await planOf(server.acme, document)).toEqual({
      plan: null,
      userErrors: [{ path, code: 'INVALID', message }],
    });
  });

  it.each(['groups', 'parameters', 'metacontents', 'appVersions', 'defaultAppVersions'])(
    'refuses a name that is given twice in %s, with an accent of its own and with a letter that has it',
    async (map) => {
      const names = { 'Sa\u0303o': {}, 'S\u00e3o': {} };
      const document = { groups: map === 'groups' ? names : { north: { [map]: names } } };
      const path = ['document', 'groups', ...(map === 'groups' ? [] : ['north', map]), 'S\u00e3o'];
      expect((await planOf(server.acme, document)).userErrors).toEqual([
        { path, code: 'INVALID', message: 'is given twice' },
      ]);
    },
  );

  it('refuses a document of too many records, and a state of too many or with too much', async () => {
    const { acme, place } = await ownFleet();
    const devices = Object.fromEntries(Array.from({ length: 2_001 }, (_, n) => [`S ${n}`, {}]));
    expect((await planOf(acme, { devices })).userErrors).toMatchObject([{ code: 'TOO_MANY_RECORDS' }]);
    const { companyId, userId } = acme.caller;
    await insertMany(place, ['logical_numbers', companyId, 2_000], (n) => ({
      ...audited(userId),
      number: `M ${n}`,
    }));
    expect(await refused(acme, STATE, { devices: false })).toMatchObject({ code: 'TOO_MANY_RECORDS' });
    expect(Object.keys(await stateOf(acme, { logicalNumbers: false }))).toEqual(['groups', 'devices']);
    const [north] = await place.sql<{ id: number }>("select id from groups where name = 'north'");
    const values = { ...audited(userId), group_id: north?.id ?? 0, value: 'v'.repeat(64 * 1024) };
    await insertMany(place, ['parameters', companyId, 256], (n) => ({ ...values, key: `key ${n}` }));
    const { userErrors } = await planOf(acme, { groups: { north: {} } });
    expect(userErrors).toMatchObject([{ code: 'TOO_MANY_RECORDS' }]);
    expect(await planned(acme, { groups: { south: {} } })).toMatchObject({ changes: [] });
  });

  it('refuses to take more versions from logical numbers than one plan may', async () => {
    const own = await ownServer();
    const { group } = await wideFleet(own, own.acme, 2_501);
    const { name } = (
      await answered<{ group: { name: string } }>(
        own.acme,
        'query ($id: Int) { group(databaseId: $id) { name } }',
        { id: group },
      )
    ).group;
    const { userErrors } = await planOf(own.acme, { groups: { [name]: { appVersions: {} } } });
    expect(userErrors).toMatchObject([{ code: 'TOO_MANY_RECORDS' }]);
  });

  it('takes as many statements for many records as for few', async () => {
    const own = await ownFleet();
    const { client } = own.acme;
    const few = {
      groups: { north: {} },
      logicalNumbers: { 'N-1': { parameters: {} } },
      devices: { 'S-1': {} },
    };
    const many = { groups: { north: {}, south: {} }, logicalNumbers: {} as Fields, devices: {} as Fields };
    for (let n = 0; n < 20; n += 1) {
      const logical_number_id = await fleet.logicalNumber(client, `many ${n}`);
      await fleet.device(client, `many ${n}`, { logical_number_id });
      many.logicalNumbers[`many ${n}`] = { parameters: { key: 'value' } };
      many.devices[`many ${n}`] = { enabled: false };
    }
    const count = await statementsOf(own, () => planned(own.acme, few));
    expect(await statementsOf(own, () => planned(own.acme, many))).toBe(count);
  });
});
