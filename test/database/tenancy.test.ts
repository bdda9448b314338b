import { beforeAll, describe, expect, it } from 'vitest';

import type { ReadWork, Units, WriteWork } from '../../src/database/work.js';
import { findOpen } from '../../src/domain/base/alert/alert.repository.js';
import * as alert from '../../src/domain/base/alert/alert.service.js';
import { deleteWebhook, getWebhook } from '../../src/domain/base/webhook/webhook.service.js';
import * as device from '../../src/domain/fleet/device/device.service.js';
import * as group from '../../src/domain/fleet/group/group.service.js';
import * as number from '../../src/domain/fleet/logical-number/logical-number.service.js';
import { findTarget } from '../../src/domain/fleet/logical-number/logical-number.service.js';
import * as links from '../../src/domain/fleet/logical-number/version-links.repository.js';
import { dropVersionLinks } from '../../src/domain/fleet/logical-number/version-links.service.js';
import { selectByOwnersAndKeys } from '../../src/domain/fleet/setting/parameter.repository.js';
import {
  listEffectiveParameters,
  parameters,
  setParameters,
} from '../../src/domain/fleet/setting/parameter.service.js';
import { metacontents } from '../../src/domain/fleet/setting/setting.service.js';
import {
  listNotifications,
  notifications,
  sendNotification,
} from '../../src/domain/messages/notification/notification.service.js';
import {
  finishTransaction,
  recordEach,
} from '../../src/domain/payments/transaction/recording/transaction-recording.service.js';
import { transactions, getTransaction } from '../../src/domain/payments/transaction/transaction.service.js';
import {
  selectDerivedTokens,
  selectTokensOf,
} from '../../src/domain/people/access-token/access-token.repository.js';
import {
  apiTokens,
  getToken,
  listTokens,
} from '../../src/domain/people/access-token/access-token.service.js';
import { companies } from '../../src/domain/people/company/company.service.js';
import { findMembership, selectAdministrators } from '../../src/domain/people/user/user.repository.js';
import * as people from '../../src/domain/people/user/user.service.js';
import * as version from '../../src/domain/software/app/app-version.service.js';
import * as associations from '../../src/domain/software/app/app.repository.js';
import * as application from '../../src/domain/software/app/app.service.js';
import * as content from '../../src/domain/software/app/content.service.js';
import * as grants from '../../src/domain/software/app/grant.service.js';
import { files, filesOfAppVersion, listFiles } from '../../src/domain/software/file/file.service.js';
import { unknownTerminals } from '../../src/domain/terminals/terminal/refusal.service.js';
import { report } from '../domain/payments/transaction/records.js';
import type { SqlRow } from '../support/databases/place.js';
import { NO_MAIL } from '../support/mailbox.js';
import { NOTIFICATION_READS, NOTIFICATION_WRITES } from '../support/tenancy-of-notifications.js';
import { TERMINAL_READS, TERMINAL_WRITES } from '../support/tenancy-of-terminals.js';
import { TRANSACTION_READS } from '../support/tenancy-of-transactions.js';
import { TWIN } from '../support/two-companies.js';
import { CALLER, openCompanies, outcome, outcomeOrError, rehearse, setUp } from './company-units.js';

const PAGE = { page: 1, perPage: 100 };
const SLICE = { order: 'ID', descending: false, backward: false, limit: 50, key: null, condition: null };
const OWNED_KEYS = [
  { groupId: 1, logicalNumberId: null, key: 'Kx' },
  { groupId: TWIN + 1, logicalNumberId: null, key: 'K' },
];
const LISTS = [
  group.groups,
  number.logicalNumbers,
  device.devices,
  application.apps,
  version.appVersions,
  files,
  parameters.all,
  metacontents.all,
  notifications,
  transactions,
  people.users,
  people.memberList,
  apiTokens,
  companies,
  unknownTerminals,
];
const CHILDREN = [
  group.groupsOfAppVersion,
  filesOfAppVersion,
  version.appVersionsOfApp,
  version.appVersionsOfFile,
  version.appVersionsOfGroup,
  version.appVersionsOfLogicalNumber,
  version.modulesOfAppVersion,
  device.devicesOfLogicalNumber,
  number.logicalNumbersOfGroup,
  parameters.ofGroup,
  version.defaultVersionsOfGroup,
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
  group: (work) => group.getGroup(work, TWIN + 1),
  'group in use': (work) => group.isGroupInUse(work, 2),
  'own group': (work) => group.getGroup(work, 1),
  'default versions': (work) => links.selectDefaultsFor(work, 1, [12]),
  groups: (work) => group.listGroups(work, PAGE),
  'logical number': (work) => number.getLogicalNumberByNumber(work, 'N'),
  'logical numbers': (work) => number.listLogicalNumbers(work, PAGE),
  'logical numbers of a target': (work) => findTarget(work, { filter: null }, 50),
  device: (work) => device.getDeviceBySerialNumber(work, 'S'),
  devices: (work) => device.listDevices(work, PAGE),
  'device totals': device.totalDevices,
  'devices by model': device.devicesByModel,
  'devices by framework version': device.devicesByFrameworkVersion,
  ...TERMINAL_READS,
  ...NOTIFICATION_READS,
  app: (work) => application.getAppByName(work, 'A.posxml'),
  'apps by names': (work) => application.findAppsByNames(work, ['A.posxml', 'A.posxmlx']),
  apps: (work) => application.listApps(work, PAGE),
  'module in use': (work) => associations.isModuleInUse(work, TWIN + 1),
  'app version': (work) => version.getAppVersionById(work, 11),
  'app versions': async (work) => version.listAppVersions(work, await application.getApp(work, 1), PAGE),
  'associated versions': (work) => associations.selectAssociatedWith(work, 'groupIds', [1, 2]),
  files: (work) => listFiles(work, PAGE),
  'sums of contents': (work) => content.sumsOfContents(work, [{ id: 1 }, { id: TWIN + 1 }]),
  'chunk of a content': (work) => content.readChunk(work, TWIN + 1, 0),
  parameters: (work) => parameters.list(work, { groupId: 1, logicalNumberId: null }, PAGE),
  metacontents: (work) => metacontents.list(work, { groupId: null, logicalNumberId: 1 }, PAGE),
  'effective parameters': (work) => listEffectiveParameters(work, [{ id: 1, groupId: 1 }]),
  'parameters of owners and keys': (work) => selectByOwnersAndKeys(work, OWNED_KEYS),
  'links of versions': (work) => links.selectLinksOfVersions(work, [12, TWIN + 11], undefined, 10),
  'number of links of versions': (work) => links.countLinksOfVersions(work, [12, TWIN + 11], undefined),
  'bytes of parameters': (work) => parameters.bytesOf(work, { groupId: 1, logicalNumberId: null }),
  'links of numbers': (work) => links.versionLinks.select(work, { logical_number_id: [1, TWIN + 1] }),
  notifications: (work) => listNotifications(work, PAGE),
  ...TRANSACTION_READS,
  'open alert': (work) => findOpen(work, 1),
  'alert rules': (work) => alert.alertRules.upTo(work, 10, null),
  alerts: (work) => alert.alerts.upTo(work, 10, null),
  user: (work) => people.getUser(work, TWIN),
  users: (work) => people.listUsers(work, PAGE),
  token: (work) => getToken(work, TWIN),
  tokens: listTokens,
  members: people.listMembers,
  administrators: (work) => selectAdministrators(work, 1),
  membership: (work) => findMembership(work, { companyId: 1, userId: TWIN }),
  'tokens of a member': (work) => selectTokensOf(work, { companyId: 1, userId: 1 }),
  'derived tokens': (work) => selectDerivedTokens(work, 1, [1]),
};

/** Changes the versions of all logical numbers of the company. */
async function grantToAll(
  work: WriteWork,
  mode: grants.GrantMode,
  appVersionIds: readonly number[],
): Promise<readonly number[]> {
  const numbers = await findTarget(work, { filter: null }, 50);
  const counts: number[] = [];
  for (const part of await grants.planVersionGrant(work, numbers, { mode, appVersionIds })) {
    counts.push(await part(work));
  }
  return counts;
}

/** Each changes as the first company what may reach the other one's records. */
const WRITES: Readonly<Record<string, (work: WriteWork) => Promise<unknown>>> = {
  'delete versions': async (work) => version.deleteAppVersionsOf(work, await application.getApp(work, 1)),
  'detach devices': (work) => device.detachDevicesFrom(work, { id: 1, number: 'N' }),
  ...TERMINAL_WRITES,
  ...NOTIFICATION_WRITES,
  'drop links to versions': (work) => dropVersionLinks(work, [11, 12]),
  'detach from a group': async (work) =>
    grants.detachFromGroup(work, await group.getGroup(work, 1), { appVersionIds: [11] }),
  'attach to a group': async (work) =>
    grants.attachToGroup(work, await group.getGroup(work, 2), { appVersionIds: [11] }),
  'set default versions': async (work) =>
    grants.setDefaultVersions(work, await group.getGroup(work, 1), { appVersionIds: [] }),
  'add a version': (work) => grantToAll(work, 'add', [11]),
  'remove a version': (work) => grantToAll(work, 'remove', [11]),
  'replace versions': (work) => grantToAll(work, 'replace_of_same_app', [11]),
  'associate records of the other company': async (work) =>
    version.updateAppVersion(work, await version.getAppVersionById(work, 11), { groupIds: [TWIN + 1] }),
  'associate a module of the other company': async (work) =>
    version.updateAppVersion(work, await version.getAppVersionById(work, 11), { moduleIds: [TWIN + 11] }),
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
  'record transactions': (work) =>
    recordEach(work, [
      { ...report(), reference: 'Rx' },
      { ...report(), reference: 'R' },
    ]),
  'finish a transaction': async (work) =>
    finishTransaction(work, await getTransaction(work, TWIN + 1), { status: 'fail' }),
  'open an alert': async (work) =>
    alert.openAlert(work, await alert.getAlertRule(work, 1), { affected: 1, total: null, examples: [] }),
  'delete an alert rule': async (work) =>
    alert.deleteAlertRule(work, await alert.getAlertRule(work, 1), NO_MAIL),
  'delete a webhook': async (work) => deleteWebhook(work, await getWebhook(work, 1)),
  'release contents': (work) => content.releaseContents(work, [1, TWIN + 1]),
  'copy a content': (work) => content.copyContent(work, 1),
};

describe('what a company', () => {
  let lone: Units;
  let both: Units;
  let others: unknown;
  beforeAll(async () => {
    const [one, two] = [await openCompanies(false), await openCompanies(true)];
    lone = one.units;
    both = two.units;
    ({ other: others } = await rehearse(both, () => Promise.resolve(), outcome));
    return async () => {
      await one.remove();
      await two.remove();
    };
  });

  it.each(Object.entries(READS))('reads does not depend on another company: %s', async (_name, read) => {
    const expected = await outcome(lone.read(CALLER, read));
    expect(await outcomeOrError(both.read(CALLER, read))).toEqual(expected);
  });

  it.each(Object.entries(WRITES))('changes is its own: %s', async (_name, write) => {
    const { result, first } = await rehearse(lone, write, outcome);
    expect(await rehearse(both, write, outcomeOrError)).toEqual({ result, first, other: others });
  });
});

const ANY_VERSION = { displayable: false, uuid: 'uuid', size: 0, crc: '0000' };
const ANY_AUDIT = {
  revision: 1,
  created_at: new Date(5),
  updated_at: new Date(5),
  created_via: 'api',
};

interface ForbiddenLink {
  readonly table: string;
  readonly row: SqlRow;
  readonly use: (work: WriteWork) => Promise<unknown>;
  readonly expected: unknown;
}

/** Rows of the first company that refer to records of the other one. Foreign keys forbid them, no query follows them. */
const FORBIDDEN: Readonly<Record<string, ForbiddenLink>> = {
  'a module of the other company': {
    table: 'app_version_modules',
    row: { app_version_id: 12, module_id: TWIN + 11 },
    use: (work) => associations.isModuleInUse(work, TWIN + 1),
    expected: false,
  },
  'a version of an application of the other company': {
    table: 'app_versions',
    row: { id: 13, app_id: TWIN + 1, number: '13', ...ANY_VERSION, ...ANY_AUDIT },
    use: (work) => associations.insertAssociations(work, 'moduleIds', [11], [13]),
    expected: 0,
  },
  'a logical number of the other company': {
    table: 'logical_number_app_versions',
    row: { logical_number_id: TWIN + 1, app_version_id: 12 },
    use: (work) => links.selectLinksOfVersions(work, [12], undefined, 10),
    expected: [],
  },
};

describe('a link to another company', () => {
  it.each(Object.entries(FORBIDDEN))('is not followed: %s', async (_name, { table, row, use, expected }) => {
    const { place, units } = await setUp(true);
    await place.insertForbidden([[table, { company_id: 1, ...row }]]);
    expect(await units.write(CALLER, use)).toEqual(expected);
  });
});
