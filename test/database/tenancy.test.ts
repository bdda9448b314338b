import { describe, expect, it } from 'vitest';

import type { Database } from '../../src/database/database.js';
import { createUnits, type ReadWork, type Units, type WriteWork } from '../../src/database/work.js';
import type { Caller } from '../../src/platform/caller.js';
import type { Clock } from '../../src/platform/clock.js';
import { DomainError } from '../../src/platform/errors.js';
import {
  selectDerivedTokens,
  selectTokensOf,
} from '../../src/resources/access-token/access-token.repository.js';
import { apiTokens, getToken, listTokens } from '../../src/resources/access-token/access-token.service.js';
import { selectAssociatedWith } from '../../src/resources/app-version/association.repository.js';
import { deleteAppVersionsOf } from '../../src/resources/app-version/app-version.removal.service.js';
import {
  appVersions,
  appVersionsOfApp,
  appVersionsOfFile,
  appVersionsOfGroup,
  appVersionsOfLogicalNumber,
  getAppVersionById,
  listAppVersions,
  modulesOfAppVersion,
  updateAppVersion,
} from '../../src/resources/app-version/app-version.service.js';
import { attachToGroup, detachFromGroup } from '../../src/resources/app-version/group-links.service.js';
import { isModuleInUse } from '../../src/resources/app/app.repository.js';
import {
  apps,
  findAppsByNames,
  getApp,
  getAppByName,
  listApps,
} from '../../src/resources/app/app.service.js';
import { companies } from '../../src/resources/company/company.service.js';
import { findChunk, findSize } from '../../src/resources/content/content.repository.js';
import { copyContent, releaseContents, sumsOfContents } from '../../src/resources/content/content.service.js';
import {
  devicesByFrameworkVersion,
  devicesByModel,
  totalDevices,
} from '../../src/resources/device/device.summary.service.js';
import {
  detachDevicesFrom,
  devices,
  devicesOfLogicalNumber,
  getDeviceBySerialNumber,
  listDevices,
} from '../../src/resources/device/device.service.js';
import { files, filesOfAppVersion, listFiles } from '../../src/resources/file/file.service.js';
import { isGroupInUse } from '../../src/resources/group/group.repository.js';
import { getGroup, groups, groupsOfAppVersion, listGroups } from '../../src/resources/group/group.service.js';
import {
  dropVersionLinks,
  getLogicalNumberByNumber,
  listLogicalNumbers,
  logicalNumbers,
  logicalNumbersOfGroup,
} from '../../src/resources/logical-number/logical-number.service.js';
import { metacontentList, metacontents } from '../../src/resources/metacontent/metacontent.service.js';
import {
  listNotifications,
  notifications,
  sendNotification,
} from '../../src/resources/notification/notification.service.js';
import { listEffectiveParameters } from '../../src/resources/parameter/effective-parameter.service.js';
import { setParameters } from '../../src/resources/parameter/parameter.bulk.service.js';
import {
  parameterList,
  parameters,
  parametersOfGroup,
} from '../../src/resources/parameter/parameter.service.js';
import { summarizeTransactions } from '../../src/resources/transaction/summary/transaction-summary.service.js';
import { getTransaction, listTransactions } from '../../src/resources/transaction/transaction.service.js';
import {
  transactionArrivals,
  transactions,
} from '../../src/resources/transaction/transaction.totals.service.js';
import { findMembership } from '../../src/resources/user/membership.repository.js';
import { getUser, listUsers, users } from '../../src/resources/user/user.service.js';
import { testDatabase } from '../support/database.js';
import { SYSTEM } from '../support/server.js';
import { rowsWhereCompany, seedCompanies, START, TWIN } from '../support/two-companies.js';

const CLOCK: Clock = { now: () => new Date(Date.UTC(2026, 0, 1)), elapsed: () => 0 };
const CALLER: Caller = {
  ...{ companyId: 1, userId: 1, tokenId: 1, role: 'admin', scopes: [], timeZone: 'UTC' },
  ...SYSTEM,
};
const PAGE = { page: 1, perPage: 100 };
const SLICE = { order: 'ID', descending: false, backward: false, limit: 50, key: null, condition: null };
const PERIOD = { field: 'startedAt', operator: 'gte', value: new Date(START - 1) } as const;

const LISTS = [
  ...[
    groups,
    logicalNumbers,
    devices,
    apps,
    appVersions,
    files,
    parameterList,
    metacontentList,
    notifications,
  ],
  ...[transactions, users, apiTokens, companies],
];
const CHILDREN = [
  ...[groupsOfAppVersion, filesOfAppVersion, appVersionsOfApp, appVersionsOfFile, appVersionsOfGroup],
  ...[appVersionsOfLogicalNumber, modulesOfAppVersion, devicesOfLogicalNumber, logicalNumbersOfGroup],
  parametersOfGroup,
];

type Read = (work: ReadWork) => Promise<unknown>;

/** Each reads as the first company what may be mistaken for its own. */
const READS: Readonly<Record<string, Read>> = {
  ...Object.fromEntries(
    LISTS.flatMap((list): [string, Read][] => [
      [`${list.name} slice`, (work) => list.slice(work, SLICE)],
      [`${list.name} count`, (work) => list.count(work, null)],
      [`${list.name} by ids`, (work) => list.byIds(work, [1, 11, TWIN, TWIN + 1, TWIN + 11])],
    ]),
  ),
  ...Object.fromEntries(
    CHILDREN.flatMap((children, index): [string, Read][] => [
      [`children ${index} slices`, (work) => children.slices(work, [1, 2, 11, 12, TWIN + 1], SLICE)],
      [`children ${index} counts`, (work) => children.counts(work, [1, 2, 11, 12, TWIN + 1], null)],
    ]),
  ),
  group: (work) => getGroup(work, TWIN + 1),
  'group in use': (work) => isGroupInUse(work, 2),
  'own group': (work) => getGroup(work, 1),
  groups: (work) => listGroups(work, PAGE),
  'logical number': (work) => getLogicalNumberByNumber(work, 'N'),
  'logical numbers': (work) => listLogicalNumbers(work, PAGE),
  device: (work) => getDeviceBySerialNumber(work, 'S'),
  devices: (work) => listDevices(work, PAGE),
  'device totals': totalDevices,
  'devices by model': devicesByModel,
  'devices by framework version': devicesByFrameworkVersion,
  app: (work) => getAppByName(work, 'A.posxml'),
  'apps by names': (work) => findAppsByNames(work, ['A.posxml', 'A.posxmlx']),
  apps: (work) => listApps(work, PAGE),
  'module in use': (work) => isModuleInUse(work, TWIN + 1),
  'app version': (work) => getAppVersionById(work, 11),
  'app versions': async (work) => listAppVersions(work, await getApp(work, 1), PAGE),
  'associated versions': (work) => selectAssociatedWith(work, 'groupIds', [1, 2]),
  files: (work) => listFiles(work, PAGE),
  'sums of contents': (work) => sumsOfContents(work, [{ id: 1 }, { id: TWIN + 1 }]),
  'chunk of a content': (work) => findChunk(work, 1, TWIN + 1, 0),
  'size of a content': (work) => findSize(work, 1, TWIN + 1),
  parameters: (work) => parameters.list(work, { groupId: 1, logicalNumberId: null }, PAGE),
  metacontents: (work) => metacontents.list(work, { groupId: null, logicalNumberId: 1 }, PAGE),
  'effective parameters': (work) => listEffectiveParameters(work, [{ id: 1, groupId: 1 }]),
  notifications: (work) => listNotifications(work, PAGE),
  transaction: (work) => getTransaction(work, TWIN + 1),
  transactions: (work) => listTransactions(work, {}, PAGE),
  'transactions of a status': (work) => listTransactions(work, { status: 'success' }, PAGE),
  'transactions of a device': (work) => listTransactions(work, { serialNumber: 'S' }, PAGE),
  'recorded transactions': (work) =>
    transactionArrivals.read(work, { after: 0, upTo: 9e6, limit: 50, condition: null }),
  'summary by day': (work) => summarizeTransactions(work, { where: null, bucket: 'day', by: ['status'] }),
  'summary by hour': (work) => summarizeTransactions(work, { where: null, bucket: 'hour', by: ['appName'] }),
  'summary of a part of an hour': (work) =>
    summarizeTransactions(work, { where: PERIOD, bucket: 'hour', by: ['status'] }),
  'summary by group': (work) => summarizeTransactions(work, { where: null, bucket: 'none', by: ['group'] }),
  user: (work) => getUser(work, TWIN),
  users: (work) => listUsers(work, PAGE),
  token: (work) => getToken(work, TWIN),
  tokens: listTokens,
  membership: (work) => findMembership(work, 1, TWIN),
  'tokens of a member': (work) => selectTokensOf(work, { companyId: 1, userId: 1 }),
  'derived tokens': (work) => selectDerivedTokens(work, 1, [1]),
};

/** Each changes as the first company what may reach the other one's records. */
const WRITES: Readonly<Record<string, (work: WriteWork) => Promise<unknown>>> = {
  'delete versions': async (work) => deleteAppVersionsOf(work, await getApp(work, 1)),
  'detach devices': (work) => detachDevicesFrom(work, 1),
  'drop links to versions': (work) => dropVersionLinks(work, [11, 12]),
  'detach from a group': async (work) =>
    detachFromGroup(work, await getGroup(work, 1), { appVersionIds: [11] }),
  'attach to a group': async (work) => attachToGroup(work, await getGroup(work, 2), { appVersionIds: [11] }),
  'associate records of the other company': async (work) =>
    updateAppVersion(work, await getAppVersionById(work, 11), { groupIds: [TWIN + 1] }),
  'associate a module of the other company': async (work) =>
    updateAppVersion(work, await getAppVersionById(work, 11), { moduleIds: [TWIN + 11] }),
  'delete parameters': (work) => parameters.deleteAllOf(work, { groupId: 1, logicalNumberId: null }),
  'set parameters': (work) =>
    setParameters(
      work,
      [{ owner: { groupId: 1, logicalNumberId: null }, input: { key: 'K', value: 'new' } }],
      'REJECT_EVERYTHING',
    ),
  'set metacontents': async (work) =>
    metacontents.update(work, await metacontents.getById(work, 1), { value: 2 }),
  'notify a group': (work) => sendNotification(work, { content: 'Hello', groupId: 1 }),
  'notify numbers': (work) => sendNotification(work, { content: 'Hello', logicalNumbers: ['N'] }),
  'release contents': (work) => releaseContents(work, [1, TWIN + 1]),
  'copy a content': (work) => copyContent(work, TWIN + 1),
};

const outcome = async (result: Promise<unknown>): Promise<unknown> =>
  result.catch((error: unknown) => (error instanceof DomainError ? error.code : 'failed'));

function setUp(withOther: boolean): { database: Database; units: Units } {
  const database = testDatabase();
  seedCompanies(database.file, withOther);
  return { database, units: createUnits(database, CLOCK) };
}

describe('what a company reads', () => {
  it.each(Object.entries(READS))('does not depend on another company: %s', async (_name, read) => {
    const lone = setUp(false).units;
    const { units } = setUp(true);
    const expected = await outcome(lone.read(CALLER, read));
    expect(expected).not.toBe('failed');
    expect(await outcome(units.read(CALLER, read))).toEqual(expected);
  });
});

describe('what a company changes', () => {
  it.each(Object.entries(WRITES))('is its own: %s', async (_name, write) => {
    const lone = setUp(false);
    const both = setUp(true);
    const others = rowsWhereCompany(both.database.file, '<> 1');
    const expected = await outcome(lone.units.write(CALLER, write));
    expect(await outcome(both.units.write(CALLER, write))).toEqual(expected);
    expect(rowsWhereCompany(both.database.file, '= 1')).toEqual(rowsWhereCompany(lone.database.file, '= 1'));
    expect(rowsWhereCompany(both.database.file, '<> 1')).toEqual(others);
  });
});
