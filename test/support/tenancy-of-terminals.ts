import { countEntries } from '../../src/database/list/request-class.js';
import type { ReadWork, WriteWork } from '../../src/database/work.js';
import {
  countSilent,
  devicesByGroup,
  devicesByPresence,
  selectOnlyDevices,
  lastSeenTimes,
} from '../../src/domain/fleet/device/device.repository.js';
import { devices } from '../../src/domain/fleet/device/device.service.js';
import { effectiveEntries, selectValueBytes } from '../../src/domain/fleet/setting/parameter.repository.js';
import { findTransactionsByKeys } from '../../src/domain/payments/transaction/transaction.repository.js';
import {
  forgetLost,
  manifestEntries,
  selectHeld,
  selectOtherVersions,
  selectFiles,
  selectSoftware,
  storeFile,
  upsertHeld,
} from '../../src/domain/software/manifest/manifest.repository.js';
import {
  countTerminals,
  reachOf,
  softwareEntries,
  softwareOfDevices,
  terminalsOfVersions,
} from '../../src/domain/software/manifest/terminal-software.repository.js';
import { selectSerials, sumPayments } from '../../src/domain/software/rollout/rollout-payments.repository.js';
import {
  selectDevicesOf,
  selectFigures,
  selectRows,
} from '../../src/domain/software/rollout/rollout.repository.js';
import {
  deleteLogs,
  selectChunks,
  selectHeads,
  selectNeighbours,
  selectSizes,
} from '../../src/domain/terminals/device-log/device-log.repository.js';
import {
  deviceLogs,
  logsOfDevice,
  readLines,
  storePart,
} from '../../src/domain/terminals/device-log/device-log.service.js';
import {
  addUnknownTerminals,
  countRefusedSince,
  deleteDeviceToken,
  isUnknownTerminal,
  lastRefusals,
  refusedSince,
  replaceDeviceTokens,
  selectDevicesForTokens,
  storeRefusals,
  trimUnknownTerminals,
} from '../../src/domain/terminals/terminal/terminal.repository.js';
import { START, TWIN } from './two-companies.js';

const PAGE = { descending: false, backward: false, limit: 50, key: null };
const BY_LINKS = [
  { field: 'group', operator: 'in', value: [1, 2, TWIN + 1] },
  { field: 'version', operator: 'in', value: [11, 12, TWIN + 11] },
  { field: 'refused', operator: 'eq', value: true },
] as const;
const LOGS = { ...PAGE, order: 'ID', condition: null } as const;
const LOG_PART = { name: 'log 1', at: new Date(5), part: 2, parts: 3 } as const;
const EPOCH = new Date(0);
const IS_ENABLED = { field: 'enabled', operator: 'eq', value: true } as const;
const NEVER_SEEN = { field: 'presence', operator: 'eq', value: 'never_seen' } as const;

const ONE_WAVE = {
  waves: [{ size: 1, minProvenPercent: 0, minDuration: 0 }],
  total: 1,
  appVersionIds: [11],
};
const HELD = { reason: null, detail: null, attempts: 0, since: new Date(1) } as const;
const NO_FILTER = { state: null, groupId: null, presence: null, reason: null } as const;
const FILTERS = [NO_FILTER, { ...NO_FILTER, groupId: 1 }, { ...NO_FILTER, presence: 'never_seen' }] as const;
const TERMINALS = { ...PAGE, order: 'TERMINALS', condition: null } as const;

/** Reads of terminals by a company, see `test/database/tenancy.test.ts`. */
export const TERMINAL_READS: Readonly<Record<string, (work: ReadWork) => Promise<unknown>>> = {
  'devices for tokens': (work) => selectDevicesForTokens(work, { after: 0, limit: 10, replace: true }),
  'devices without a token': (work) => selectDevicesForTokens(work, { after: 0, limit: 10, replace: false }),
  'number of refused terminals': (work) => countRefusedSince(work, EPOCH),
  'refused terminals': (work) => refusedSince(work, EPOCH, 10),
  'silent devices': (work) => countSilent(work, IS_ENABLED, work.now),
  refusals: (work) => lastRefusals(work, [{ id: 1 }, { id: TWIN + 1 }]),
  'devices of a rollout': (work) => selectDevicesOf(work, [1, TWIN + 1]),
  'figures of rollouts': (work) => selectFigures(work, { id: TWIN + 1, ...ONE_WAVE }),
  'figures of a rollout': (work) => selectFigures(work, { id: 1, ...ONE_WAVE }),
  'serial numbers of a rollout': (work) => selectSerials(work, { id: 1 }, ['waiting', -1]),
  'payments of terminals': (work) => sumPayments(work, ['S'], { from: 0, to: 2 * START }),
  'rows of a rollout': (work) => selectRows(work, { id: TWIN + 1 }, 0),
  'rows of a rollout that have the versions': (work) => selectRows(work, { id: TWIN + 1 }, null),
  'versions of a terminal': (work) => selectHeld(work, 1),
  'files of terminals': (work) => selectFiles(work, [1, TWIN + 1]),
  'other versions of an application': (work) => selectOtherVersions(work, 11),
  'reach of versions': (work) => reachOf(work, [{ id: 11 }, { id: 12 }]),
  'software of devices': (work) => softwareOfDevices(work, [{ id: 1 }, { id: TWIN + 1 }]),
  'software of devices, counted': (work) => countEntries(work, softwareEntries, 100, [1]),
  ...Object.fromEntries(
    FILTERS.map((filter) => [
      `terminals of versions ${JSON.stringify(filter)}`,
      (work: ReadWork) => terminalsOfVersions(work, [11, 12], { ...TERMINALS, filter }),
    ]),
  ),
  ...Object.fromEntries(
    FILTERS.map((filter) => [
      `number of terminals of versions ${JSON.stringify(filter)}`,
      (work: ReadWork) => countTerminals(work, [11, 12], { filter }),
    ]),
  ),
  'what terminals download': (work) => selectSoftware(work, [1, TWIN + 1], 100),
  'what a manifest has': (work) => countEntries(work, manifestEntries, 100, [1]),
  'devices by group': devicesByGroup,
  'devices by presence': devicesByPresence,
  ...Object.fromEntries(
    BY_LINKS.map((condition) => [
      `devices by ${condition.field}`,
      (work: ReadWork) => devices.slice(work, { ...PAGE, order: 'ID', condition }),
    ]),
  ),
  'devices in the order in which they were seen': (work) =>
    devices.slice(work, { ...PAGE, order: 'LAST_SEEN_AT', condition: null }),
  'devices that were never seen, by serial number': (work) =>
    devices.slice(work, { ...PAGE, order: 'SERIAL_NUMBER', condition: NEVER_SEEN }),
  'number of devices that were never seen': (work) => devices.count(work, NEVER_SEEN),
  'times at which devices were seen': (work) => lastSeenTimes(work, [{ id: 1 }, { id: 30 }]),
  'transactions by reference': (work) =>
    findTransactionsByKeys(work, [
      ['R', 'S'],
      ['Rx', 'Sx'],
    ]),
  'effective parameters, counted': (work) => countEntries(work, effectiveEntries, 100, [1]),
  'bytes of parameters': (work) => selectValueBytes(work, { id: 1, groupId: 1 }),
  'logs of devices': (work) => logsOfDevice.slices(work, [1, TWIN + 1], LOGS),
  'number of logs of devices': (work) => logsOfDevice.counts(work, [1, TWIN + 1], null),
  'logs by ids': (work) => deviceLogs.byIds(work, [1, TWIN, TWIN + 1]),
  'sizes of logs': (work) => selectSizes(work, { id: 2, deviceId: 1 }),
  'pieces of logs': (work) => selectHeads(work, [1, TWIN + 1]),
  'bytes of logs': (work) => selectChunks(work, [1, TWIN + 1]),
  'parts beside a part of a log': (work) => selectNeighbours(work, 1, 2),
  'lines of logs': (work) => readLines(work, [1, TWIN + 1], { search: '', first: 10, after: 0 }),
  'unknown terminal': (work) => isUnknownTerminal(work, 'Ux'),
};

/** Changes of terminals by a company. */
export const TERMINAL_WRITES: Readonly<Record<string, (work: WriteWork) => Promise<unknown>>> = {
  'issue the token of a device': (work) =>
    replaceDeviceTokens(work, [
      { deviceId: 1, jobId: null, oldHash: null, oldLastFour: null, oldUntil: null, secret: 'new' },
    ]),
  'find devices without a token': async (work) => {
    await deleteDeviceToken(work, 1);
    return await selectDevicesForTokens(work, { after: 0, limit: 10, replace: false });
  },
  'find the only devices of numbers': (work) => selectOnlyDevices(work, ['N', 'N3', 'Nx']),
  'note a version of a terminal': (work) =>
    upsertHeld(work, [{ deviceId: 1, appVersionId: 1, state: 'granted', ...HELD }]),
  'note a file of a terminal': (work) => storeFile(work, 1, 'params.dat', '31C3'),
  'forget deleted versions of a terminal': (work) => forgetLost(work, 1),
  'store a part of a log, which joins those beside it': (work) =>
    storePart(work, { id: 1 }, LOG_PART, { chunks: ['11111111'], scrubs: 0 }),
  'delete logs': (work) => deleteLogs(work, [1, TWIN + 1]),
  'revoke the token of a device': (work) => deleteDeviceToken(work, 1),
  'store refusals': (work) =>
    storeRefusals(work, {
      code: 'terminal_unassigned',
      deviceIds: [1, TWIN + 1],
      unlessSince: work.now,
    }),
  'add unknown terminals': (work) =>
    addUnknownTerminals(
      work,
      ['U', 'Ux', 'S'].map((serialNumber) => ({
        serialNumber,
        firstSeenAt: work.now,
        lastSeenAt: work.now,
        count: 1,
      })),
    ),
  'trim unknown terminals': (work) => trimUnknownTerminals(work, 10, 1),
};
