import { beforeAll, describe, expect, it } from 'vitest';

import { answered, listed, nodeId } from '../../../support/dashboard.js';
import { fleet, ledgerOf, type Software, softwareOf, unique } from '../../../support/fleet.js';
import { expectRefused, mutated } from '../../../support/mutations.js';
import { type Fields, useServer } from '../../../support/server.js';

const server = useServer();
let acme: Software;
beforeAll(() => {
  acme = softwareOf(server.acme.client);
});

/** The check value of CRC-16/XMODEM: its CRC is 31C3. */
const DIGITS = Buffer.from('123456789').toString('base64');
const DIGITS_SHA256 = '15e2b0d3c33891ebb0f1ef609ec419420c20e320ce94c65fbc8c3312448eb225';

interface VersionFields extends Fields {
  readonly id: string;
  readonly databaseId: number;
}

const appId = (fields: Fields = {}): Promise<number> => fleet.app(server.acme.client, unique(), fields);
const nodes = (...ids: number[]) => ({ nodes: ids.map((databaseId) => ({ databaseId })) });
const idsOf = (typeName: string, ...ids: number[]) => ids.map((id) => nodeId(typeName, id));

const create = async (input: Fields): Promise<VersionFields> =>
  (
    await mutated<{ appVersion: VersionFields }>(
      server.acme,
      'appVersionCreate',
      { input },
      'appVersion { id databaseId }',
    )
  ).appVersion;

describe('an app version in GraphQL', () => {
  it('returns its bytecode unchanged, and null without bytecode', async () => {
    const app = nodeId('App', await appId());
    // Large enough to wait for the semaphore.
    const bytecode = Buffer.from(Array.from({ length: 300_000 }, (_, n) => n % 251)).toString('base64');
    const query = 'query ($id: ID!) { appVersion(id: $id) { bytecode size sha256 } }';
    const { id } = await create({ appId: app, number: '1', bytecode });
    expect((await answered<{ appVersion: Fields }>(server.acme, query, { id })).appVersion.bytecode).toBe(
      bytecode,
    );
    const bare = await create({ appId: app, number: '2' });
    expect(await answered(server.acme, query, { id: bare.id })).toEqual({
      appVersion: { bytecode: null, size: 0, sha256: null },
    });
  });

  it('returns the new bytecode in the payload of the change', async () => {
    const { id } = await create({ appId: nodeId('App', await appId()), number: '1', bytecode: DIGITS });
    const update = `mutation ($id: ID!, $a: Base64, $b: Base64) {
      a: appVersionUpdate(id: $id, input: { bytecode: $a }) { appVersion { bytecode crc } }
      b: appVersionUpdate(id: $id, input: { bytecode: $b }) { appVersion { bytecode crc sha256 } }
      c: appVersionUpdate(id: $id, input: { bytecode: null }) { appVersion { bytecode crc } } }`;
    expect(await answered(server.acme, update, { id, a: 'YQ==', b: DIGITS })).toMatchObject({
      a: { appVersion: { bytecode: 'YQ==' } },
      b: { appVersion: { bytecode: DIGITS, crc: '31C3', sha256: DIGITS_SHA256 } },
      c: { appVersion: { bytecode: null, crc: '0000' } },
    });
  });

  it('replaces its modules, and accepts only versions of modules', async () => {
    const [one, two] = [await acme.module(), await acme.module()];
    const plain = (await acme.version(await acme.app())).id as number;
    const { id, databaseId } = await create({
      appId: nodeId('App', await appId()),
      number: '1',
      moduleIds: idsOf('AppVersion', one),
    });
    const set = (...ids: string[]) =>
      mutated(
        server.acme,
        'appVersionSetModules',
        { id, moduleIds: ids },
        'appVersion { modules { nodes { databaseId } } }',
      );
    expect(await set(nodeId('AppVersion', two))).toEqual({ appVersion: { modules: nodes(two) } });
    for (const refusedId of [nodeId('AppVersion', plain), id]) {
      const moduleIds = [nodeId('AppVersion', two), refusedId];
      await expectRefused(server.acme, 'appVersionSetModules', { id, moduleIds }, 'INVALID moduleIds');
    }
    expect(await set()).toEqual({ appVersion: { modules: nodes() } });
    const entries = await ledgerOf(server, server.acme, 'app_version', databaseId);
    expect(entries.map(({ after }) => after?.moduleIds)).toEqual([[one], [two], []]);
  });

  it.each(['displayable', 'groupIds'])('is refused in userErrors with null for %s', async (field) => {
    const input = { appId: nodeId('App', await appId()), number: 'N', [field]: null };
    await expectRefused(server.acme, 'appVersionCreate', { input }, `INVALID input.${field}`);
  });
});

const of = (...numbers: string[]) => numbers.map((number) => ({ number }));

describe('the list of app versions', () => {
  let first = 0;
  beforeAll(async () => {
    const beta = softwareOf(server.beta.client);
    const path = await beta.app();
    first = Number(path.split('/')[1]);
    await beta.version(path, { number: 'b' });
    await beta.version(path, { number: 'c' });
    await beta.version(await beta.app(), { number: 'a' });
  });

  it.each<[Fields | (() => Fields), string[]]>([
    [{}, ['b', 'c', 'a']],
    [{ orderBy: { field: 'NUMBER' } }, ['a', 'b', 'c']],
    [{ orderBy: { field: 'ID', direction: 'DESC' } }, ['a', 'c', 'b']],
    [{ orderBy: { field: 'CREATED_AT' } }, ['b', 'c', 'a']],
    [{ filter: { number: { in: ['c', 'a', 'z'] } } }, ['c', 'a']],
    [() => ({ filter: { appId: { eq: nodeId('App', first) } } }), ['b', 'c']],
    [() => ({ filter: { not: { appId: { in: [nodeId('App', first)] } } } }), ['a']],
    [() => ({ filter: { appId: { eq: nodeId('AppVersion', first) } } }), []],
  ])('is ordered and narrowed: case %#', async (given, expected) => {
    expect(await listed(server.beta, 'AppVersion', 'number', given)).toEqual(expected);
  });
});

describe('records linked to app versions', () => {
  it('are the same from both sides and in each order', async () => {
    const { client } = server.acme;
    const software = softwareOf(client);
    const [north, south] = [await fleet.group(client, 'north'), await fleet.group(client, 'south')];
    const path = await software.app({ name: 'linked' });
    const make = async (number: string, fields: Fields): Promise<number> =>
      (await software.version(path, { number, ...fields })).id as number;
    const both = await make('2', { group_ids: [north, south] });
    const one = await make('1', { group_ids: [north] });
    const three = await make('3', { group_ids: [north] });
    const more = { group_id: north, app_version_ids: [three, both, one] };
    await fleet.logicalNumber(client, 'of all', more);
    await fleet.logicalNumber(client, 'of one', { group_id: north, app_version_ids: [both] });
    const page = '(first: 2, orderBy: { field: NUMBER, direction: DESC })';
    const found = await answered(
      server.acme,
      `query ($both: Int!) {
        group(name: "north") { appVersions${page} { totalCount nodes { number } pageInfo { hasNextPage } } }
        south: group(name: "south") { appVersions { totalCount nodes { number } } }
        logicalNumber(number: "of all") { appVersions${page} { totalCount nodes { number } }
          narrowed: appVersions(filter: { number: { eq: "1" } }) { totalCount nodes { number } } }
        appVersion(databaseId: $both) { app { name } groups(orderBy: { field: NAME, direction: DESC }) {
            totalCount nodes { name } }
          logicalNumbers(last: 1) { totalCount nodes { number } pageInfo { hasPreviousPage } } } }`,
      { both },
    );
    expect(found).toMatchObject({
      group: { appVersions: { totalCount: 3, nodes: of('3', '2'), pageInfo: { hasNextPage: true } } },
      south: { appVersions: { totalCount: 1, nodes: of('2') } },
      logicalNumber: {
        appVersions: { totalCount: 3, nodes: of('3', '2') },
        narrowed: { totalCount: 1, nodes: of('1') },
      },
      appVersion: {
        app: { name: 'linked.posxml' },
        groups: { totalCount: 2, nodes: [{ name: 'south' }, { name: 'north' }] },
        logicalNumbers: { totalCount: 2, nodes: of('of one'), pageInfo: { hasPreviousPage: true } },
      },
    });
  });
});
