import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';

import { answered, refused } from '../../../support/dashboard.js';
import { audited, insertMany } from '../../../support/databases/rows.js';
import { createdId, fleet, rowsIn, softwareOf, statementsOf } from '../../../support/fleet.js';
import { ownServer, useServerPerTest, type Fields, type Member } from '../../../support/server.js';
import { actOf, CHANGES, setUp } from '../device-at/acts.js';

const STATE = 'query ($groupId: ID, $devices: Boolean) { fleetState(groupId: $groupId, devices: $devices) }';
const PLAN = `query ($document: JSON!) { fleetPlan(document: $document) {
  plan { id terminals losing changes { path action before after } } userErrors { path code message } } }`;
const APPLY = `mutation ($document: JSON!, $planId: String!) { fleetApply(document: $document, planId: $planId) {
  count undo job { databaseId kind state total done } warnings userErrors { path code message } } }`;

interface Plan {
  readonly id: string;
  readonly terminals: number;
  readonly losing: number;
  readonly changes: readonly Fields[];
}

interface UserError {
  readonly path: readonly string[];
  readonly code: string;
  readonly message: string;
}

interface Applied {
  readonly count: number | null;
  readonly undo: object | null;
  readonly job: { readonly databaseId: number; readonly total: number } | null;
  readonly warnings: readonly string[];
  readonly userErrors: readonly UserError[];
}

const stateOf = async (member: Member, variables: Fields = {}): Promise<Fields> =>
  (await answered<{ fleetState: Fields }>(member, STATE, variables)).fleetState;

const planOf = async (member: Member, document: unknown) =>
  (
    await answered<{ fleetPlan: { plan: Plan | null; userErrors: readonly UserError[] } }>(member, PLAN, {
      document,
    })
  ).fleetPlan;

/** The plan of a document that must be valid. */
async function planned(member: Member, document: unknown): Promise<Plan> {
  const { plan, userErrors } = await planOf(member, document);
  expect(userErrors).toEqual([]);
  if (plan === null) throw new Error('There is no plan');
  return plan;
}

const apply = async (member: Member, document: unknown, planId: string): Promise<Applied> =>
  (await answered<{ fleetApply: Applied }>(member, APPLY, { document, planId })).fleetApply;

const server = useServerPerTest();

/** A fleet with two groups, three logical numbers and terminals, and two versions of one app. */
beforeEach(() => setUp(server));

const DOCUMENT = {
  groups: {
    north: {
      appVersions: { 'sale.posxml': ['2'] },
      defaultAppVersions: { 'sale.posxml': ['2'] },
      parameters: { timeout: '60', host: { value: 'a.example', description: 'Host of the acquirer' } },
      metacontents: { menu: { entries: [1, 2] } },
    },
  },
  logicalNumbers: { 'N-2': { group: 'north', parameters: { retries: '9' } } },
  devices: { 'S-2': { enabled: false }, 'S-3': { logicalNumber: null } },
};

/** Differences of the document. */
const CHANGES_OF_DOCUMENT = [
  ['CHANGE', 'groups.north.appVersions.sale.posxml', ['1', '2'], ['2']],
  ['ADD', 'groups.north.defaultAppVersions.sale.posxml', null, ['2']],
  ['CHANGE', 'groups.north.parameters.timeout', '0', '60'],
  [
    'CHANGE',
    'groups.north.parameters.host',
    '0',
    { value: 'a.example', description: 'Host of the acquirer' },
  ],
  ['ADD', 'groups.north.metacontents.menu', null, { entries: [1, 2] }],
  ['CHANGE', 'logicalNumbers.N-2.group', 'south', 'north'],
  ['ADD', 'logicalNumbers.N-2.parameters.retries', null, '9'],
  ['CHANGE', 'logicalNumbers.N-2.appVersions.sale.posxml', ['1', '2'], ['2']],
  ['CHANGE', 'logicalNumbers.N-1.appVersions.sale.posxml', ['1', '2'], ['2']],
  ['CHANGE', 'logicalNumbers.N-3.appVersions.sale.posxml', ['1', '2'], ['2']],
  ['CHANGE', 'devices.S-2.enabled', true, false],
  ['CHANGE', 'devices.S-3.logicalNumber', 'N-3', null],
  ['REMOVE', 'groups.north.parameters.retries', '0', null],
];

const shown = ({ changes }: Plan) =>
  changes.map(({ action, path, before, after }) => [action, (path as string[]).join('.'), before, after]);

const sorted = (all: readonly unknown[]): string[] => all.map((each) => JSON.stringify(each)).sort();

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
    const own = await stateOf(server.acme, { groupId: group.id, devices: false });
    expect(Object.keys(own)).toEqual(['groups', 'logicalNumbers']);
    expect(Object.keys(own.groups as Fields)).toEqual(['north']);
    expect(Object.keys(own.logicalNumbers as Fields)).toEqual(['N-1', 'N-3']);
    expect((await planned(server.acme, own)).changes).toEqual([]);
  });

  it('names all problems of a document, each with its path', async () => {
    await fleet.group(server.beta.client, 'of beta');
    const app = await softwareOf(server.acme.client).app();
    expect(app).toContain('apps/');
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

  it('refuses a document of too many records, and a state of too many or with too much', async () => {
    const { acme, place } = server;
    const devices = Object.fromEntries(Array.from({ length: 2_001 }, (_, n) => [`S ${n}`, {}]));
    expect((await planOf(acme, { devices })).userErrors).toMatchObject([{ code: 'TOO_MANY_RECORDS' }]);
    const { companyId, userId } = acme.caller;
    const [north] = await place.sql<{ id: number }>("select id from groups where name = 'north'");
    const values = { ...audited(userId), group_id: north?.id ?? 0, value: 'v'.repeat(64 * 1024) };
    await insertMany(place, ['parameters', companyId, 256], (n) => ({ ...values, key: `key ${n}` }));
    const { userErrors } = await planOf(acme, { groups: { north: {} } });
    expect(userErrors).toMatchObject([{ code: 'TOO_MANY_RECORDS' }]);
    expect(await planned(acme, { groups: { south: {} } })).toMatchObject({ changes: [] });
    await insertMany(place, ['logical_numbers', companyId, 2_000], (n) => ({
      ...audited(userId),
      number: `M ${n}`,
    }));
    expect(await refused(acme, STATE, { devices: false })).toMatchObject({ code: 'TOO_MANY_RECORDS' });
  });

  it('takes as many statements for many records as for few', async () => {
    const { client } = server.acme;
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
    const count = await statementsOf(server, () => planned(server.acme, few));
    expect(await statementsOf(server, () => planned(server.acme, many))).toBe(count);
  });
});

describe('fleetApply', () => {
  it('makes the changes of the plan as one job, and its undo brings the earlier state back', async () => {
    const { acme } = server;
    const before = await stateOf(acme);
    const { id, changes } = await planned(acme, DOCUMENT);
    const applied = await apply(acme, DOCUMENT, id);
    expect(applied).toMatchObject({
      count: changes.length,
      job: { kind: 'fleetApply', state: 'DONE', total: changes.length, done: changes.length },
      userErrors: [],
    });
    expect((await planned(acme, DOCUMENT)).changes).toEqual([]);
    const after = await stateOf(acme);
    expect(after).toMatchObject({
      groups: DOCUMENT.groups,
      logicalNumbers: {
        'N-1': { group: 'north', appVersions: { 'sale.posxml': ['2'] } },
        'N-2': { group: 'north', appVersions: { 'sale.posxml': ['2'] }, parameters: { retries: '9' } },
      },
      devices: { 'S-1': { enabled: true }, 'S-2': { enabled: false }, 'S-3': { logicalNumber: null } },
    });
    const ofJob = `job_id = ${applied.job?.databaseId} and entity_type <> 'job'`;
    const entries = await server.place.sql<{ type: string; total: number }>(
      `select entity_type as type, count(*) as total from ledger where ${ofJob} group by entity_type order by entity_type`,
    );
    expect(entries).toEqual([
      { type: 'app_version', total: 1 },
      { type: 'device', total: 2 },
      { type: 'group', total: 1 },
      { type: 'logical_number', total: 3 },
      { type: 'metacontent', total: 1 },
      { type: 'parameter', total: 4 },
    ]);
    const { id: undoId } = await planned(acme, applied.undo);
    expect((await apply(acme, applied.undo, undoId)).userErrors).toEqual([]);
    expect(await stateOf(acme)).toEqual(before);
  });

  it('is STALE with what was changed since the plan, and then changes nothing', async () => {
    const { acme } = server;
    const { id } = await planned(acme, DOCUMENT);
    await acme.client.put('devices/S-2', { enabled: false });
    await createdId(acme.client, 'parameters', 'group_parameter', { name: 'north', key: 'new', value: '1' });
    await createdId(acme.client, 'parameters', 'group_parameter', { name: 'south', key: 'new', value: '1' });
    const before = await stateOf(acme);
    const entries = await rowsIn(server, 'ledger');
    const { userErrors, job } = await apply(acme, DOCUMENT, id);
    expect(job).toBeNull();
    const [last] = await server.place.sql<{ last: number }>(
      'select max(sequence) as last from ledger where company_id = $1',
      [acme.caller.companyId],
    );
    const sequence = last?.last ?? 0;
    const changed = (what: string, by: number) => ({
      path: ['planId'],
      code: 'STALE',
      message: `The ${what} was changed again, by entry ${by} of the ledger.`,
    });
    expect(userErrors).toEqual([changed('device S-2', sequence - 2), changed('parameter new', sequence - 1)]);
    expect(await stateOf(acme)).toEqual(before);
    expect(await rowsIn(server, 'ledger')).toBe(entries);
  });

  it('accepts the plan if only other records were changed, and refuses an invented one', async () => {
    const { acme } = server;
    const document = { devices: { 'S-1': { enabled: false } } };
    const { id } = await planned(acme, document);
    await acme.client.put('devices/S-2', { enabled: false });
    expect(await apply(acme, document, 'mine')).toMatchObject({
      userErrors: [{ path: ['planId'], code: 'INVALID' }],
    });
    const other = { devices: { 'S-1': { enabled: false }, 'S-3': { enabled: false } } };
    expect(await apply(acme, other, id)).toMatchObject({ userErrors: [{ path: ['planId'], code: 'STALE' }] });
    expect(await apply(acme, document, id)).toMatchObject({ count: 1, userErrors: [] });
    expect(await apply(acme, document, id)).toMatchObject({
      userErrors: [{ path: ['planId'], code: 'STALE' }],
    });
    const again = await planned(acme, document);
    expect(await apply(acme, document, again.id)).toMatchObject({ count: 0, job: null, userErrors: [] });
  });

  it('is made once by two requests at the same time', async () => {
    const { id } = await planned(server.acme, DOCUMENT);
    const both = await Promise.all([apply(server.acme, DOCUMENT, id), apply(server.acme, DOCUMENT, id)]);
    const codes = both.map(({ userErrors }) => userErrors[0]?.code ?? 'DONE');
    expect(codes.sort()).toEqual(['DONE', 'STALE']);
    expect(await rowsIn(server, 'jobs')).toBe(1);
  });

  it('warns of card data by the path of the value', async () => {
    const card = '4111111111111111';
    const document = { groups: { north: { metacontents: { menu: card }, parameters: { timeout: card } } } };
    const { id } = await planned(server.acme, document);
    const { warnings, userErrors } = await apply(server.acme, document, id);
    expect(userErrors).toEqual([]);
    expect(warnings.map((warning) => warning.split(':')[0])).toEqual([
      'groups.north.parameters.timeout',
      'groups.north.metacontents.menu',
    ]);
  });

  it('needs the scope write', async () => {
    const viewer = await server.member('acme', 'viewer');
    const document = { devices: { 'S-1': { enabled: false } } };
    const { id } = await planned(viewer, document);
    expect(await refused(viewer, APPLY, { document, planId: id })).toMatchObject({ code: 'FORBIDDEN' });
  });

  it('brings a fleet back to any earlier state after any changes', async () => {
    const own = await ownServer();
    await setUp(own);
    let done = 0;
    const act = fc.tuple(fc.constantFrom(...CHANGES), fc.infiniteStream(fc.nat()));
    await fc.assert(
      fc.asyncProperty(fc.array(act, { minLength: 25, maxLength: 25 }), async (acts) => {
        const earlier = await stateOf(own.acme);
        for (const [name, choices] of acts) {
          if (await actOf(own, name, choices)) done += 1;
        }
        const later = await stateOf(own.acme);
        const { id } = await planned(own.acme, earlier);
        const { undo, userErrors } = await apply(own.acme, earlier, id);
        expect(userErrors).toEqual([]);
        expect(await stateOf(own.acme)).toEqual(earlier);
        const back = await planned(own.acme, undo);
        expect((await apply(own.acme, undo, back.id)).userErrors).toEqual([]);
        expect(await stateOf(own.acme)).toEqual(later);
      }),
      { numRuns: 12, endOnFailure: true },
    );
    expect(done).toBeGreaterThan(60);
  });
});
