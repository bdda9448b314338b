import { firstIn } from '../../../database/list/listing.js';
import type { ReadWork, WriteWork } from '../../../database/work.js';
import { DomainError, invalid } from '../../../platform/errors.js';
import { problemOf, rule } from '../../../platform/rules.js';
import { isObject } from '../../../platform/validate.js';
import type { Job } from '../../base/job/job.model.js';
import { startJob } from '../../base/job/job.service.js';
import {
  changedAgain,
  entriesOf,
  ledgerEntries,
  type LedgerEntry,
} from '../../base/ledger/ledger.service.js';
import { setAllParameters } from '../../fleet/bulk/bulk-change.service.js';
import type { Device } from '../../fleet/device/device.model.js';
import { storeDevices } from '../../fleet/device/device.service.js';
import { replaceVersions } from '../../fleet/logical-number/version-links.service.js';
import { parameters } from '../../fleet/setting/parameter.service.js';
import type { OwnedRecord, Owner } from '../../fleet/setting/setting.model.js';
import { metacontents } from '../../fleet/setting/setting.service.js';
import { difference } from '../app/app-version.service.js';
import { attachToGroup, detachFromGroup, setDefaultVersions } from '../app/grant.service.js';
import { type Fleet, ownerKey, writtenState } from './fleet-state.service.js';
import type { PlanChange } from './plan.model.js';
import { type Planned, planOf, type Versions } from './plan.service.js';

/** Name of the jobs under which the changes of plans stand in the ledger. */
const FLEET_APPLY = 'fleetApply';

/**
 * Makes the changes of a plan, all or none. Errors: those of `planOf`, and `stale`, with what was changed since the plan,
 * if the document would now change something else.
 */
export async function applyPlan(work: WriteWork, input: unknown, planId: string) {
  const planned = await planOf(work, input);
  const [, sequence, hash] = /^(\d{1,15})-([0-9a-f]{64})$/.exec(planId) ?? [];
  if (sequence === undefined) throw invalid('planId', 'must be the id of {what}', { what: 'a plan' });
  if (planned.hash !== hash) throw await movedSince(work, planned.fleet, Number(sequence));
  const job = await applyChanges(work, planned);
  return { job, count: planned.changes.length, undo: writtenState(planned.present) };
}

const TYPES = ['app_version', 'device', 'group', 'logical_number', 'metacontent', 'parameter'];
const MAX_ENTRIES = 1_000;
const MAX_MOVED = 10;

/** The error that names the changes of a fleet since a plan. */
async function movedSince(work: ReadWork, fleet: Fleet, sequence: number): Promise<DomainError> {
  const key = { value: sequence, id: sequence };
  const later = firstIn('SEQUENCE', MAX_ENTRIES, { key, condition: entriesOf(TYPES) });
  const { records } = await ledgerEntries.slice(work, later);
  const idsOf = (records: Iterable<{ readonly id: number }>) => new Set(Array.from(records, ({ id }) => id));
  const groups = idsOf(fleet.groups.values());
  const numbers = idsOf(fleet.logicalNumbers.values());
  const own: Readonly<Record<string, ReadonlySet<number>>> = {
    group: groups,
    logical_number: numbers,
    device: idsOf(fleet.devices.values()),
    app_version: new Set(fleet.versions.keys()),
  };
  const isMeant = ({ entityType, entityId, before, after }: LedgerEntry): boolean => {
    const { groupId = 0, logicalNumberId = 0 } = (after ?? before ?? {}) as Readonly<Record<string, number>>;
    return own[entityType]?.has(entityId ?? 0) ?? (groups.has(groupId) || numbers.has(logicalNumberId));
  };
  const moved = records.filter(isMeant).slice(0, MAX_MOVED);
  const problems = moved.map((entry) => problemOf(changedAgain(nameOf(entry), entry.sequence)));
  const broken = rule('The fleet was changed since the plan: plan again.');
  return new DomainError('stale', broken, {
    fields: { planId: problems.length > 0 ? problems : [problemOf(broken)] },
  });
}

/** For example `logical number 1001`. */
function nameOf({ entityType, before, after }: LedgerEntry): string {
  const record = (after ?? before ?? {}) as Readonly<Record<string, string>>;
  const name = record.serialNumber ?? record.number ?? record.name ?? record.key ?? '';
  return `${entityType.replaceAll('_', ' ')} ${name}`;
}

/** Makes the changes of a plan in one unit of work, as those of a job that is done with it; null for no changes. */
async function applyChanges(work: WriteWork, planned: Planned): Promise<Job | null> {
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
  const changeOf = (id: number, before: Versions, after: Versions) =>
    difference(before.get(id) ?? [], after.get(id) ?? []);
  const groups = [...fleet.groups.values()];
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

const idOf = (records: ReadonlyMap<unknown, { readonly id: number }>, name: unknown): number | null =>
  records.get(name)?.id ?? null;

async function changeNumbers(work: WriteWork, { fleet, changes, granted }: Planned): Promise<void> {
  const own = changes.filter(({ path: [kind] }) => kind === 'logicalNumbers');
  const moves = own.filter(({ path }) => path[2] === 'group');
  const grants = own.filter(({ path }) => path[2] === 'appVersions');
  const groupIds = new Map(moves.map(({ path, after }) => [path[1], idOf(fleet.groups, after)]));
  const names = new Set([...moves, ...grants].map(({ path }) => path[1] ?? ''));
  const changing = [...names].flatMap((name) => fleet.logicalNumbers.get(name) ?? []);
  for (const [groupId, some] of Map.groupBy(changing, ({ number }) => groupIds.get(number))) {
    await replaceVersions(work, some, granted, groupId);
  }
}

async function changeDevices(work: WriteWork, { fleet, changes }: Planned): Promise<void> {
  const after = new Map<string, Device>();
  for (const { path, after: value } of changes.filter(({ path: [kind] }) => kind === 'devices')) {
    const [, serial = '', section] = path;
    const device = after.get(serial) ?? fleet.devices.get(serial);
    if (device === undefined) continue;
    const number = { logicalNumberId: idOf(fleet.logicalNumbers, value) };
    after.set(serial, { ...device, ...(section === 'enabled' ? { enabled: value === true } : number) });
  }
  const before = [...after.keys()].flatMap((serial) => fleet.devices.get(serial) ?? []);
  await storeDevices(work, before, [...after.values()]);
}

/** The values of a section that change, with their owners and present records, and the ids of records to delete. */
function valueChanges<R extends OwnedRecord>(
  { fleet, changes }: Planned,
  section: 'parameters' | 'metacontents',
  present: ReadonlyMap<string, ReadonlyMap<string, R>>,
) {
  const all = changes
    .filter(({ path }) => path[2] === section)
    .map((change) => {
      const [kind, name = '', , key = ''] = change.path;
      const owner: Owner =
        kind === 'groups'
          ? { groupId: fleet.groups.get(name)?.id ?? 0, logicalNumberId: null }
          : { groupId: null, logicalNumberId: fleet.logicalNumbers.get(name)?.id ?? 0 };
      return { ...change, owner, key, current: present.get(ownerKey(owner))?.get(key) };
    });
  return {
    set: all.filter(({ action }) => action !== 'REMOVE'),
    gone: all.flatMap(({ action, current }) => (action === 'REMOVE' && current ? [current.id] : [])),
  };
}

async function changeParameters(work: WriteWork, planned: Planned): Promise<void> {
  const { set, gone } = valueChanges(planned, 'parameters', planned.fleet.parameters);
  if (gone.length > 0) await parameters.deleteByIds(work, gone);
  const settings = set.map(({ owner, key, after }) => {
    const state = isObject(after) ? after : { value: after, description: null };
    return { owner, input: { key, ...state } };
  });
  const first = work.warnings.length;
  await setAllParameters(work, settings);
  nameWarnings(work, first, set);
}

async function changeMetacontents(work: WriteWork, planned: Planned): Promise<void> {
  const { set, gone } = valueChanges(planned, 'metacontents', planned.fleet.metacontents);
  if (gone.length > 0) await metacontents.deleteByIds(work, gone);
  for (const change of set) {
    const { owner, key, after: value, current } = change;
    const first = work.warnings.length;
    if (current === undefined) await metacontents.create(work, owner, { key, value });
    else await metacontents.update(work, current, { value });
    nameWarnings(work, first, [change]);
  }
}

/** Gives warnings the path of the value that a change has set, in place of `value` and `rows.0.value`. */
function nameWarnings(work: WriteWork, first: number, set: readonly Pick<PlanChange, 'path'>[]): void {
  const added = work.warnings.splice(first).map((warning) =>
    warning.replace(/^(?:rows\.(\d+)\.)?value/, (given, index: string | undefined) => {
      return set[Number(index ?? 0)]?.path.join('.') ?? given;
    }),
  );
  work.warnings.push(...added);
}
