import { firstIn } from '../../../database/list/listing.js';
import type { ReadWork, WriteWork } from '../../../database/work.js';
import { DomainError, invalid } from '../../../platform/errors.js';
import type { Ids } from '../../../platform/validate.js';
import { entriesOf, ledgerEntries, type LedgerEntry } from '../../base/ledger/ledger.service.js';
import { applyChanges } from './apply.service.js';
import type { Fleet } from './fleet-state.service.js';
import type { FleetDocument, PlanChange } from './plan.model.js';
import { countTerminals } from './plan.repository.js';
import { writtenState } from './plan.rules.js';
import { planOf } from './planned.service.js';

export { exportState } from './fleet-state.service.js';

/** The path that the field of an error names: planned.service.ts writes those in a document as JSON. */
export const pathOfField = (field: string): readonly string[] =>
  field.startsWith('[') ? (JSON.parse(field) as readonly string[]) : [field];

/** A plan with the numbers of terminals that it affects. */
export interface Plan {
  readonly id: string;
  /** Devices that change, and those of the groups and logical numbers whose software or values change. */
  readonly terminals: number;
  /** Devices whose logical number loses app versions. */
  readonly losing: number;
  readonly changes: readonly PlanChange[];
}

/** The plan of a document. Errors: those of `planOf`. */
export async function plan(work: ReadWork, input: unknown): Promise<Plan> {
  const { fleet, changes, hash } = await planOf(work, input);
  const idsOf = (kind: keyof FleetDocument, isMeant = (_change: PlanChange): boolean => true): Ids => {
    const own = changes.filter((change) => change.path[0] === kind && isMeant(change));
    return [...new Set(own.flatMap(({ path }) => fleet[kind].get(path[1] ?? '')?.id ?? []))];
  };
  const isValue = ({ path }: PlanChange) => ['parameters', 'metacontents'].includes(path[2] ?? '');
  const isLoss = ({ path, before, after }: PlanChange): boolean => {
    const [had, has] = [before, after].map((names) => (names ?? []) as readonly string[]);
    return path[2] === 'appVersions' && had?.some((number) => has?.includes(number) === false) === true;
  };
  const [devices, numbers] = [idsOf('devices'), idsOf('logicalNumbers')];
  const { items } = await ledgerEntries.slice(work, NEWEST);
  return {
    id: `${items[0]?.record.sequence ?? 0}-${hash}`,
    terminals: await countTerminals(work, devices, numbers, idsOf('groups', isValue)),
    losing: await countTerminals(work, [], idsOf('logicalNumbers', isLoss), []),
    changes,
  };
}

const NEWEST = firstIn('SEQUENCE', 1, { descending: true });

/**
 * Makes the changes of a plan, all or none. Errors: those of `planOf`, and `stale`, with what was changed since the plan,
 * if the document would now change something else.
 */
export async function applyPlan(work: WriteWork, input: unknown, planId: string) {
  const planned = await planOf(work, input);
  const [, sequence, hash] = /^(\d{1,15})-([0-9a-f]{64})$/.exec(planId) ?? [];
  if (sequence === undefined) throw invalid('planId', 'must be the id of a plan');
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
  const { items } = await ledgerEntries.slice(work, later);
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
  const moved = items.flatMap(({ record }) => (isMeant(record) ? [record] : [])).slice(0, MAX_MOVED);
  const messages = moved.map(
    (entry) => `The ${nameOf(entry)} was changed again, by entry ${entry.sequence} of the ledger.`,
  );
  const message = 'The fleet was changed since the plan: plan again.';
  return new DomainError('stale', message, {
    fields: { planId: messages.length > 0 ? messages : [message] },
  });
}

/** For example `logical number 1001`. */
function nameOf({ entityType, before, after }: LedgerEntry): string {
  const record = (after ?? before ?? {}) as Readonly<Record<string, string>>;
  const name = record.serialNumber ?? record.number ?? record.name ?? record.key ?? '';
  return `${entityType.replaceAll('_', ' ')} ${name}`;
}
