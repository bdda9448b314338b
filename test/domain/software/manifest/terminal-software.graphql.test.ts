import { beforeAll, describe, expect, it } from 'vitest';

import { HOUR } from '../../../../src/platform/clock.js';
import { nodeId } from '../../../support/dashboard.js';
import { crcOf, fleet, statementsOf } from '../../../support/fleet.js';
import { type Fields, type Member, useServer } from '../../../support/server.js';
import {
  reportInstall,
  softwareOfDevice,
  statesOf,
  TERMINALS,
  terminalsOf,
} from '../../../support/software.js';
import { stockedTerminal, type StockedTerminal } from '../../../support/stocked-terminal.js';
import { issueToken } from '../../../support/terminals.js';

const server = useServer({ rateLimitPerHour: 100_000 });
let acme: Member;
let sale: StockedTerminal;
let id: string;
const crc = crcOf(Buffer.from('bytecode of sale'));
const NAME = 'acmepagamentos_sale.posxml';
/** Tokens of the terminals T0 to T5. */
const tokens: string[] = [];
const report = (index: number, body: Fields) =>
  reportInstall(server, tokens[index] ?? '', { name: NAME, crc, ...body });

beforeAll(async () => {
  ({ acme } = server);
  sale = await stockedTerminal(acme, 'sale');
  id = nodeId('AppVersion', sale.versionId);
  const other = await fleet.group(acme.client, 'other group');
  const path = `${sale.versionPath}/${sale.versionId}`;
  expect((await acme.client.put(path, { group_ids: [sale.groupId, other] })).status).toBe(200);
  let numberId = 0;
  for (let index = 0; index < 6; index += 1) {
    const given = { group_id: index === 5 ? other : sale.groupId, app_version_ids: [sale.versionId] };
    // The terminals 0 and 1 have the same logical number.
    if (index !== 1) numberId = await fleet.logicalNumber(acme.client, `N${index}`, given);
    const device = await fleet.device(acme.client, `T${index}`, { logical_number_id: numberId });
    tokens.push(await issueToken(acme, device));
  }
  await report(0, { result: 'installed' });
  await report(3, { result: 'failed', code: 'SPACE' });
  await report(4, { result: 'failed', code: 'SIGNATURE' });
});

const ALL = [
  'T3 FAILED',
  'T4 FAILED',
  'SN-sale GRANTED',
  'T1 GRANTED',
  'T2 GRANTED',
  'T5 GRANTED',
  'T0 INSTALLED',
];

describe('the terminals of a version', () => {
  it('are those that are to have it, by state', async () => {
    expect(await statesOf(acme, id)).toEqual(ALL);
    expect((await terminalsOf(acme, id)).nodes[1]).toEqual({
      state: 'FAILED',
      reason: 'SIGNATURE',
      detail: null,
      attempts: 0,
      since: expect.any(String) as string,
      device: { serialNumber: 'T4' },
      appVersion: { number: '1.0', app: { name: 'sale.posxml' } },
    });
  });

  it.each([1, 2, 3, 7])('come in pages of %i, each once', async (first) => {
    const found: string[] = [];
    let after: string | null = null;
    do {
      const { nodes, pageInfo, totalCount } = await terminalsOf(acme, id, { first, after });
      expect([totalCount, nodes.length <= first]).toEqual([7, true]);
      found.push(...nodes.map(({ device, state }) => `${device.serialNumber} ${state}`));
      after = pageInfo.hasNextPage ? pageInfo.endCursor : null;
    } while (after !== null);
    expect(found).toEqual(ALL);
  });

  it('are filtered by state, group, presence and reason', async () => {
    const groupId = nodeId('Group', sale.groupId);
    server.clock.advance(2 * HOUR);
    await report(1, { name: 'acmepagamentos_sale.dat', result: 'installed' });
    // When terminals were seen is stored in the background.
    await expect.poll(() => statesOf(acme, id, { presence: 'STALE' })).toHaveLength(3);
    await expect.poll(() => statesOf(acme, id, { presence: 'ONLINE' })).toEqual(['T1 GRANTED']);
    for (const [filter, expected] of [
      [{ state: 'FAILED' }, ['T3 FAILED', 'T4 FAILED']],
      [{ state: 'GRANTED' }, ALL.slice(2, -1)],
      [{ state: 'PROVEN' }, []],
      [{ reason: 'SPACE' }, ['T3 FAILED']],
      [{ reason: 'space' }, []],
      [{ state: 'GRANTED', reason: 'SPACE' }, []],
      [{ groupId }, ALL.filter((each) => !each.startsWith('T5'))],
      [{ groupId, state: 'GRANTED' }, ALL.slice(2, 5)],
      [{ groupId: nodeId('Group', 999_999) }, []],
      [{ groupId: id }, []],
      [{ presence: 'NEVER_SEEN' }, ALL.filter((each) => /SN-sale|T2|T5/.test(each))],
      [{ presence: 'STALE' }, ['T3 FAILED', 'T4 FAILED', 'T0 INSTALLED']],
    ] as const) {
      const { totalCount } = await terminalsOf(acme, id, { filter });
      expect([filter, await statesOf(acme, id, filter), totalCount]).toEqual([
        filter,
        expected,
        expected.length,
      ]);
    }
  });

  it('are counted in its reach', async () => {
    const query = `query ($id: ID!) { appVersion(id: $id) { reach { granted installed proven failed } } }`;
    const { data } = (await acme.graphql<{ appVersion: { reach: object } }>(query, { id })).body;
    expect(data.appVersion.reach).toEqual({ granted: 6, installed: 1, proven: 0, failed: 2 });
  });

  it('refuse a cursor of another list and a page that is too large', async () => {
    const cursor = (text: string) => Buffer.from(text).toString('base64url');
    const foreign = cursor('["ID",1,1]');
    const hostile = cursor('["TERMINALS","granted x",1]');
    for (const variables of [
      { after: foreign },
      { after: hostile },
      { after: '?' },
      { first: 101 },
      { first: -1 },
    ]) {
      const { errors } = (await acme.graphql(TERMINALS, { id, ...variables })).body;
      expect(errors?.[0]?.extensions.code).toBe('BAD_USER_INPUT');
    }
  });

  it('are none of another company', async () => {
    const { body } = await server.beta.graphql(TERMINALS, { id });
    expect(body.data).toEqual({ appVersion: null });
  });
});

describe('the software of a device', () => {
  it('has the states of its versions, also of those that its number has not', async () => {
    const shown = async (serialNumber: string) =>
      (await softwareOfDevice(acme, serialNumber)).map(({ appVersion, state }) => [
        appVersion.app.name,
        state,
      ]);
    expect(await shown('T2')).toEqual([['sale.posxml', 'GRANTED']]);
    const module = { name: 'acmepagamentos_sale-module.posxml', crc: crcOf(Buffer.from('module of sale')) };
    await report(0, { ...module, result: 'installed' });
    expect(await shown('T0')).toEqual([
      ['sale-module.posxml', 'INSTALLED'],
      ['sale.posxml', 'INSTALLED'],
    ]);
  });

  it('takes as many statements for many devices and versions', async () => {
    const query = (first: number) =>
      `{ devices(first: ${first}) { nodes { software { state device { id } appVersion { id } } } }
        appVersions(first: ${first}) { nodes { terminals(first: 5) { nodes { state } totalCount } } } }`;
    const count = (first: number) => statementsOf(server, () => acme.graphql(query(first)));
    expect(await count(6)).toBe(await count(2));
  });
});
