import type { WriteWork } from '../../../database/work.js';
import type { Job } from '../../base/job/job.model.js';
import { startJob } from '../../base/job/job.service.js';
import { setAllParameters } from '../../fleet/bulk/bulk-change.service.js';
import { storeDevices } from '../../fleet/device/device.service.js';
import type { LogicalNumber } from '../../fleet/logical-number/logical-number.model.js';
import { replaceVersions } from '../../fleet/logical-number/version-links.service.js';
import { parameters } from '../../fleet/setting/parameter.service.js';
import type { Metacontent, OwnedRecord, Owner, OwnerIds } from '../../fleet/setting/setting.model.js';
import { metacontents } from '../../fleet/setting/setting.service.js';
import { difference } from '../app/app-version.service.js';
import { attachToGroup, detachFromGroup, setDefaultVersions } from '../app/grant.service.js';
import type { Fleet } from './fleet-state.service.js';
import type { ParameterState, PlanChange } from './plan.model.js';
import type { Planned, Versions } from './planned.service.js';

/** Name of the jobs under which the changes of plans stand in the ledger. */
const FLEET_APPLY = 'fleetApply';

/** Makes the changes of a plan in one unit of work, as those of a job that is done with it; null for no changes. */
export async function applyChanges(work: WriteWork, planned: Planned): Promise<Job | null> {
  const { changes, hash } = planned;
  if (changes.length === 0) return null;
  const job = await startJob(work, { kind: FLEET_APPLY, input: { hash }, rows: [], total: changes.length });
  work.ledger.actFor(job.id);
  await changeSoftware(work, planned);
  await changeDevices(work, planned);
  await changeParameters(work, planned);
  await changeMetacontents(work, planned);
  return job;
}

/** Groups get versions before their logical numbers do, and lose them afterwards. */
async function changeSoftware(work: WriteWork, planned: Planned): Promise<void> {
  const { fleet, attached, defaults } = planned;
  const groups = [...fleet.groupsById.values()];
  const changeOf = (id: number, before: Versions, after: Versions) =>
    difference(before.get(id) ?? [], after.get(id) ?? []);
  for (const group of groups) {
    const { added } = changeOf(group.id, fleet.attached, attached);
    if (added.length > 0) await attachToGroup(work, group, { appVersionIds: added });
  }
  await changeNumbers(work, planned);
  for (const group of groups) {
    const { removed, added } = changeOf(group.id, fleet.defaults, defaults);
    if (removed.length + added.length === 0) continue;
    await setDefaultVersions(work, group, { appVersionIds: defaults.get(group.id) ?? [] });
  }
  for (const group of groups) {
    const { removed } = changeOf(group.id, fleet.attached, attached);
    if (removed.length > 0) await detachFromGroup(work, group, { appVersionIds: removed });
  }
}

async function changeNumbers(work: WriteWork, { fleet, desired, granted }: Planned): Promise<void> {
  const states = new Map(Object.entries(desired.logicalNumbers ?? {}));
  const groupAfter = ({ number, groupId }: LogicalNumber): number | null => {
    const { group } = states.get(number) ?? {};
    return group === undefined ? groupId : (fleet.groups.get(group ?? '')?.id ?? null);
  };
  const changing = [...fleet.numbers.values()].filter((number) => {
    const { removed, added } = difference(number.appVersionIds, granted.get(number.id) ?? []);
    return groupAfter(number) !== number.groupId || removed.length + added.length > 0;
  });
  const targetOf = (number: LogicalNumber) =>
    groupAfter(number) === number.groupId ? undefined : groupAfter(number);
  for (const [groupId, own] of Map.groupBy(changing, targetOf)) {
    await replaceVersions(work, own, granted, groupId);
  }
}

async function changeDevices(work: WriteWork, { fleet, desired, changes }: Planned): Promise<void> {
  const states = new Map(Object.entries(desired.devices ?? {}));
  const serials = new Set(
    changes.filter(({ path }) => path[0] === 'devices').map(({ path }) => path[1] ?? ''),
  );
  const before = [...serials].flatMap((serial) => fleet.devices.get(serial) ?? []);
  const after = before.map((device) => {
    const { enabled = device.enabled, logicalNumber } = states.get(device.serialNumber) ?? {};
    const number = fleet.numbers.get(logicalNumber ?? '')?.id ?? null;
    return {
      ...device,
      enabled,
      logicalNumberId: logicalNumber === undefined ? device.logicalNumberId : number,
    };
  });
  await storeDevices(work, before, after);
}

/** The owner that the path of a change names. */
function ownerOf(fleet: Fleet, [kind, name = '']: PlanChange['path']): Owner {
  return kind === 'groups'
    ? { groupId: fleet.groups.get(name)?.id ?? 0, logicalNumberId: null }
    : { groupId: null, logicalNumberId: fleet.numbers.get(name)?.id ?? 0 };
}

/** The values of a section that change, with their present records, and the ids of records to delete. */
function changesIn<R extends OwnedRecord>(
  { fleet, changes }: Planned,
  section: string,
  records: readonly R[],
) {
  const keyOf = ({ groupId, logicalNumberId }: OwnerIds, key: string) =>
    JSON.stringify([groupId, logicalNumberId, key]);
  const present = new Map(records.map((record) => [keyOf(record, record.key), record]));
  const all = changes
    .filter(({ path }) => path[2] === section)
    .map((change) => {
      const [owner, key] = [ownerOf(fleet, change.path), change.path[3] ?? ''];
      return { ...change, owner, key, current: present.get(keyOf(owner, key)) };
    });
  const [set, gone] = [false, true].map((goes) => all.filter(({ action }) => (action === 'REMOVE') === goes));
  return { set: set ?? [], gone: gone?.flatMap(({ current }) => current?.id ?? []) ?? [] };
}

async function changeParameters(work: WriteWork, planned: Planned): Promise<void> {
  const { set, gone } = changesIn(planned, 'parameters', planned.fleet.parameters);
  if (gone.length > 0) await parameters.deleteByIds(work, gone);
  const settings = set.map(({ owner, key, after }) => {
    const state = typeof after === 'string' ? { value: after, description: null } : (after as ParameterState);
    return { owner, input: { key, ...state } };
  });
  const paths = set.map(({ path }) => path);
  await namingWarnings(work, paths, () => setAllParameters(work, settings));
}

async function changeMetacontents(work: WriteWork, planned: Planned): Promise<void> {
  const { set, gone } = changesIn<Metacontent>(planned, 'metacontents', planned.fleet.metacontents);
  if (gone.length > 0) await metacontents.deleteByIds(work, gone);
  for (const { path, owner, key, after: value, current } of set) {
    await namingWarnings(work, [path], async () => {
      if (current === undefined) await metacontents.create(work, owner, { key, value });
      else await metacontents.update(work, current, { value });
    });
  }
}

/** Gives the warnings of changes the paths of the values in place of `value` and `rows.0.value`. */
async function namingWarnings(
  work: WriteWork,
  paths: readonly PlanChange['path'][],
  change: () => Promise<void>,
) {
  const first = work.warnings.length;
  await change();
  const added = work.warnings.splice(first);
  const nameOf = (index: string | undefined): string => paths[Number(index ?? 0)]?.join('.') ?? 'value';
  work.warnings.push(
    ...added.map((warning) =>
      warning.replace(/^(?:rows\.(\d+)\.)?value/, (_match, index: string | undefined) => nameOf(index)),
    ),
  );
}
