import { beforeEach, describe, expect, it } from 'vitest';

import { changed, nodeId } from '../../../support/dashboard.js';
import { fleet, softwareOf, unique, versionIdsOf } from '../../../support/fleet.js';
import { useServer } from '../../../support/server.js';

const server = useServer();

/** A version that two terminals have, by the only logical number of a group. */
let app = 0;
let version = 0;
let group = 0;
let other = 0;
let number = '';
let numberId = 0;
let serials: readonly string[] = [];
beforeEach(async () => {
  const { client } = server.acme;
  group = await fleet.group(client, unique());
  other = await fleet.group(client, unique());
  const software = softwareOf(client);
  app = await fleet.app(server.acme.client, unique());
  const fields = { group_ids: [group], bytecode: 'b25l' };
  version = (await software.version(`apps/${app}/versions`, fields)).id as number;
  number = unique();
  numberId = await fleet.logicalNumber(client, number, { group_id: group, app_version_ids: [version] });
  serials = [unique(), unique()];
  for (const serial of serials) await fleet.device(client, serial, { logical_number_id: numberId });
});

const versionsOf = (): Promise<unknown> => versionIdsOf(server.acme.client, number);

const run = async (call: string): Promise<unknown> =>
  (await changed(server.acme, `mutation { ${call} { userErrors { path code message } } }`)).userErrors;

const id = (type: string, value: number): string => `id: "${nodeId(type, value)}"`;
const theApp = () => id('App', app);
const theVersion = () => id('AppVersion', version);
const theGroup = () => id('Group', group);
const theNumber = () => id('LogicalNumber', numberId);
const ofVersion = () => `appVersionIds: ["${nodeId('AppVersion', version)}"]`;
const toOther = () => `"${nodeId('Group', other)}"`;
const TAKING: readonly [string, () => string][] = [
  ['appDelete', theApp],
  ['appVersionDelete', theVersion],
  ['appVersionUpdate', () => `${theVersion()}, input: { groupIds: [${toOther()}] }`],
  ['groupDetachAppVersions', () => `${theGroup()}, ${ofVersion()}`],
  ['logicalNumberMove', () => `${theNumber()}, groupId: null`],
  ['logicalNumberMove', () => `${theNumber()}, groupId: ${toOther()}`],
  ['logicalNumberUpdate', () => `${theNumber()}, input: { groupId: ${toOther()} }`],
];

describe('a change that takes software from terminals', () => {
  it.each(TAKING)('is IN_USE with their number, and made with force: %s, case %#', async (name, args) => {
    const refusal = {
      path: ['force'],
      code: 'IN_USE',
      message: '2 terminals would lose app versions. Send force: true to make the change anyway.',
    };
    for (const more of ['', ', force: false', ', force: null']) {
      expect(await run(`${name}(${args()}${more})`)).toEqual([refusal]);
    }
    expect(await versionsOf()).toEqual([version]);
    expect(await run(`${name}(${args()}, force: true)`)).toEqual([]);
    expect(await versionsOf()).toEqual([]);
  });

  it.each(TAKING)('is made where no terminal has it: %s, case %#', async (name, args) => {
    for (const serial of serials) await server.acme.client.delete(`devices/${serial}`);
    expect(await run(`${name}(${args()})`)).toEqual([]);
  });

  it('is no move to a group with the same versions, nor one with a list of versions', async () => {
    expect(await run(`groupAttachAppVersions(${id('Group', other)}, ${ofVersion()})`)).toEqual([]);
    expect(await run(`logicalNumberMove(${theNumber()}, groupId: ${toOther()})`)).toEqual([]);
    expect(await versionsOf()).toEqual([version]);
    const update = `logicalNumberUpdate(${theNumber()}, input: { groupId: null, appVersionIds: [] })`;
    expect(await run(update)).toEqual([]);
    expect(await versionsOf()).toEqual([]);
  });

  it('stays as it is in REST', async () => {
    const { client } = server.acme;
    const reply = await client.delete(`apps/${app}/versions/${version}`);
    expect([reply.status, reply.text]).toEqual([200, '{}']);
  });
});

describe('the bytes of a version that logical numbers have', () => {
  const update = (bytecode: string): Promise<unknown> =>
    run(`appVersionUpdate(${theVersion()}, input: { bytecode: ${bytecode} })`);

  it('stay as they are', async () => {
    for (const bytecode of ['"dHdv"', 'null']) {
      expect(await update(bytecode)).toMatchObject([{ path: ['input', 'bytecode'], code: 'IN_USE' }]);
    }
    expect(await update('"b25l"')).toEqual([]);
    const { client } = server.acme;
    const before = (await client.get(`apps/${app}/versions/${version}`)).record('app_version').crc;
    const reply = await client.put(`apps/${app}/versions/${version}`, { bytecode: 'dHdv' });
    expect(reply.status, reply.text).toBe(200);
    expect(reply.record('app_version').crc).not.toBe(before);
  });

  it('may change once no logical number has it', async () => {
    const set = `logicalNumberSetAppVersions(${theNumber()}, appVersionIds: [])`;
    expect(await run(set)).toEqual([]);
    expect(await update('"dHdv"')).toEqual([]);
  });
});
