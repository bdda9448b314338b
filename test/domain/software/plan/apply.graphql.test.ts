import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';

import { createdId, fleet, rowsIn } from '../../../support/fleet.js';
import { ownServer, useServerPerTest } from '../../../support/server.js';
import { actOf, CHANGES, setUp } from '../device-at/acts.js';
import { apply, DOCUMENT, planned, shown, stateOf } from './plans.js';

const server = useServerPerTest();

/** A fleet with two groups, three logical numbers and terminals, and two versions of one app. */
beforeEach(() => setUp(server));

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

  it('takes a version from the defaults of a group that loses it, and its undo gives it back', async () => {
    const { acme } = server;
    const withDefault = { groups: { north: { defaultAppVersions: { 'sale.posxml': ['1'] } } } };
    await apply(acme, withDefault, (await planned(acme, withDefault)).id);
    const before = await stateOf(acme);
    const document = { groups: { north: { appVersions: { 'sale.posxml': ['2'] } } } };
    const plan = await planned(acme, document);
    expect(shown(plan)).toContainEqual([
      'REMOVE',
      'groups.north.defaultAppVersions.sale.posxml',
      ['1'],
      null,
    ]);
    const { undo } = await apply(acme, document, plan.id);
    expect(await stateOf(acme)).toMatchObject({ groups: { north: { defaultAppVersions: {} } } });
    await apply(acme, undo, (await planned(acme, undo)).id);
    expect(await stateOf(acme)).toEqual(before);
  });

  it('takes null for no record, not for one of this name', async () => {
    const { acme } = server;
    await fleet.group(acme.client, 'null');
    await fleet.logicalNumber(acme.client, 'null');
    const document = {
      groups: { null: {} },
      logicalNumbers: { null: {}, 'N-2': { group: null } },
      devices: { 'S-3': { logicalNumber: null } },
    };
    await apply(acme, document, (await planned(acme, document)).id);
    expect(await stateOf(acme)).toMatchObject({
      logicalNumbers: { 'N-2': { group: null } },
      devices: { 'S-3': { logicalNumber: null } },
    });
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
      { numRuns: 4, endOnFailure: true },
    );
    expect(done).toBeGreaterThan(20);
  });
});
