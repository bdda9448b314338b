import type { WriteWork } from '../../../../src/database/work.js';
import {
  createDevice,
  deleteDevice,
  devices,
  reportDevice,
  updateDevice,
} from '../../../../src/domain/fleet/device/device.service.js';
import {
  createGroup,
  deleteGroup,
  groups,
  updateGroup,
} from '../../../../src/domain/fleet/group/group.service.js';
import {
  createLogicalNumber,
  deleteLogicalNumber,
  logicalNumbers,
  updateLogicalNumber,
  withVersions,
} from '../../../../src/domain/fleet/logical-number/logical-number.service.js';
import { parameters, setParameters } from '../../../../src/domain/fleet/setting/parameter.service.js';
import { metacontents } from '../../../../src/domain/fleet/setting/setting.service.js';
import {
  appVersions,
  createAppVersion,
  deleteAppVersion,
  getAppVersionById,
  updateAppVersion,
} from '../../../../src/domain/software/app/app-version.service.js';
import { apps, createApp, deleteApp, updateApp } from '../../../../src/domain/software/app/app.service.js';
import {
  attachToGroup,
  detachFromGroup,
  planGrant,
  setDefaultVersions,
} from '../../../../src/domain/software/app/grant.service.js';
import { DomainError } from '../../../../src/platform/errors.js';
import type { TestServer } from '../../../support/server.js';

export const SERIALS = ['S-1', 'S-2', 'S-3'] as const;
const NUMBERS = ['N-1', 'N-2', 'N-3', 'N-4'];
const GROUPS = ['north', 'south', 'west'];
const KEYS = ['timeout', 'retries', 'host'];

/** Chooses one of several values; a refusal if there are none. */
type Choose = <T>(from: readonly T[]) => T;

type Act = (work: WriteWork, choose: Choose) => Promise<unknown>;

/** Records of a company by id, at most 100. */
const all = <T>(
  list: { upTo: (work: WriteWork, limit: number, where: null) => Promise<readonly T[]> },
  work: WriteWork,
): Promise<readonly T[]> => list.upTo(work, 100, null);

const idsOf = (records: readonly { readonly id: number }[]): readonly number[] => records.map(({ id }) => id);

const device = async (work: WriteWork, choose: Choose) => choose(await all(devices, work));
const group = async (work: WriteWork, choose: Choose) => choose(await all(groups, work));
const app = async (work: WriteWork, choose: Choose) => choose(await all(apps, work));
const version = async (work: WriteWork, choose: Choose) =>
  await getAppVersionById(work, choose(idsOf(await all(appVersions, work))));
const number = async (work: WriteWork, choose: Choose) =>
  choose(await withVersions(work, await all(logicalNumbers, work)));
const parameter = async (work: WriteWork, choose: Choose) => choose(await all(parameters.all, work));

const groupIdOrNone = async (work: WriteWork, choose: Choose) =>
  choose([null, ...idsOf(await all(groups, work)), ...idsOf(await all(groups, work))]);

async function owner(work: WriteWork, choose: Choose) {
  return choose([
    ...idsOf(await all(groups, work)).map((groupId) => ({ groupId, logicalNumberId: null })),
    ...idsOf(await all(logicalNumbers, work)).map((id) => ({ groupId: null, logicalNumberId: id })),
  ]);
}

const creations: readonly Act[] = [
  (work, choose) => createDevice(work, { serialNumber: choose(SERIALS) }),
  async (work, choose) => {
    const logicalNumberId = choose([null, ...idsOf(await all(logicalNumbers, work))]);
    return await createDevice(work, { serialNumber: choose(SERIALS), logicalNumberId });
  },
  async (work, choose) =>
    await createLogicalNumber(work, { number: choose(NUMBERS), groupId: await groupIdOrNone(work, choose) }),
  (work, choose) => createGroup(work, { name: choose(GROUPS) }),
  (work, choose) => createApp(work, { name: choose(['sale', 'void']) }),
  async (work, choose) => {
    const groupIds = choose([[], idsOf(await all(groups, work))]);
    return await createAppVersion(work, await app(work, choose), {
      number: choose(['1', '2', '3']),
      groupIds,
    });
  },
];

const deletions: readonly Act[] = [
  async (work, choose) => await deleteDevice(work, await device(work, choose)),
  async (work, choose) => await deleteLogicalNumber(work, await number(work, choose)),
  async (work, choose) => await deleteGroup(work, await group(work, choose)),
  async (work, choose) => await deleteAppVersion(work, await version(work, choose)),
  async (work, choose) => await deleteApp(work, await app(work, choose)),
];

const renames: readonly Act[] = [
  async (work, choose) =>
    await updateLogicalNumber(work, await number(work, choose), { number: choose(NUMBERS) }),
  async (work, choose) => await updateGroup(work, await group(work, choose), { name: choose(GROUPS) }),
  async (work, choose) =>
    await updateApp(work, await app(work, choose), { name: choose(['sale', 'void', 'menu']) }),
  async (work, choose) =>
    await updateAppVersion(work, await version(work, choose), { number: choose(['1', '2', '3', '4']) }),
];

/** Changes of what records have, which leaves their names. */
export const CHANGES: readonly Act[] = [
  async (work, choose) =>
    await updateDevice(work, await device(work, choose), { enabled: choose([true, false]) }),
  async (work, choose) => {
    const logicalNumberId = choose([null, ...idsOf(await all(logicalNumbers, work))]);
    return await updateDevice(work, await device(work, choose), { logicalNumberId });
  },
  async (work, choose) =>
    await reportDevice(work, await device(work, choose), {
      meta: { battery_level: choose(['10', '90']) },
      frameworkVersion: choose([null, '2.0']),
    }),
  async (work, choose) =>
    await updateLogicalNumber(work, await number(work, choose), {
      groupId: await groupIdOrNone(work, choose),
    }),
  async (work, choose) => {
    const chosen = await number(work, choose);
    const attached = await all(appVersions, work);
    const appVersionIds = choose([[], [choose(attached).id], idsOf(attached)]);
    return await updateLogicalNumber(work, chosen, { appVersionIds });
  },
  async (work, choose) =>
    await updateAppVersion(work, await version(work, choose), {
      groupIds: choose([[], idsOf(await all(groups, work))]),
    }),
  async (work, choose) =>
    await attachToGroup(work, await group(work, choose), {
      appVersionIds: idsOf(await all(appVersions, work)),
    }),
  async (work, choose) =>
    await detachFromGroup(work, await group(work, choose), {
      appVersionIds: [(await version(work, choose)).id],
    }),
  async (work, choose) =>
    await setDefaultVersions(work, await group(work, choose), {
      appVersionIds: [(await version(work, choose)).id],
    }),
  async (work, choose) => {
    const input = {
      groupId: (await group(work, choose)).id,
      appVersionIds: [(await version(work, choose)).id],
    };
    const mode = choose(['add', 'remove', 'replace_of_same_app'] as const);
    const given = { input, mode, conditions: [], all: false, dryRun: false, expectCount: null };
    for (const part of (await planGrant(work, given)).parts) await part(work);
  },
  async (work, choose) =>
    await parameters.create(work, await owner(work, choose), {
      key: choose(KEYS),
      value: choose(['1', '2']),
    }),
  async (work, choose) =>
    await parameters.update(work, await parameter(work, choose), {
      key: choose(KEYS),
      value: choose(['3', '4']),
    }),
  async (work, choose) => {
    const given = { key: choose(KEYS), value: choose(['5', '6']), description: choose([null, 'text']) };
    return await setParameters(
      work,
      [{ owner: await owner(work, choose), input: given }],
      'REJECT_EVERYTHING',
    );
  },
  async (work, choose) => await parameters.delete(work, await parameter(work, choose)),
  async (work, choose) => {
    const value = choose<unknown>([1, { a: [2] }, null]);
    return await metacontents.create(work, await owner(work, choose), { key: choose(KEYS), value });
  },
  async (work, choose) => {
    const value = choose<unknown>([3, 'four', { b: 5 }]);
    return await metacontents.update(work, choose(await all(metacontents.all, work)), { value });
  },
  async (work, choose) => await metacontents.delete(work, choose(await all(metacontents.all, work))),
];

/** All acts; changes are there most often, so that there is a fleet. */
export const ACTS = [
  ...creations,
  ...creations,
  ...renames,
  ...CHANGES,
  ...CHANGES,
  ...CHANGES,
  ...deletions,
];

/** Creates a fleet whose terminals have versions and parameters. */
export async function setUp({ app: { units }, acme }: TestServer): Promise<void> {
  await units.write(acme.caller, async (work) => {
    const north = await createGroup(work, { name: 'north' });
    const south = await createGroup(work, { name: 'south' });
    const groupIds = [north.id, south.id];
    const sale = await createApp(work, { name: 'sale' });
    const first = await createAppVersion(work, sale, { number: '1', groupIds });
    const second = await createAppVersion(work, sale, { number: '2', groupIds });
    for (const [index, serialNumber] of SERIALS.entries()) {
      const { id: logicalNumberId } = await createLogicalNumber(work, {
        number: NUMBERS[index],
        groupId: groupIds[index % 2],
        appVersionIds: [first.id, second.id],
      });
      await createDevice(work, { serialNumber, logicalNumberId });
    }
    for (const key of KEYS)
      await parameters.create(work, { groupId: north.id, logicalNumberId: null }, { key, value: '0' });
  });
}

/** Makes an act by random choices. Resolves to whether it was possible: for example, a name may be taken. */
export async function actOf({ app: { units }, acme }: TestServer, act: Act, choices: Iterator<number>) {
  const choose: Choose = (from) => {
    const chosen = from[(choices.next().value as number) % Math.max(from.length, 1)];
    if (chosen === undefined) throw new DomainError('not_found', 'There is nothing to choose from.');
    return chosen;
  };
  try {
    await units.write(acme.caller, (work) => act(work, choose));
    return true;
  } catch (error) {
    if (error instanceof DomainError) return false;
    throw error;
  }
}
