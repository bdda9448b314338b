import type { Condition } from '../../../database/list/condition.js';
import { firstIn } from '../../../database/list/listing.js';
import type { Look, NewRows } from '../../../database/list/new-rows.js';
import type { Units } from '../../../database/work.js';
import { MINUTE, SECOND, systemClock } from '../../../platform/clock.js';
import type { Caller } from '../../../platform/requests.js';
import { ledgerNewRows } from '../../base/ledger/ledger.service.js';
import { selectChanges, selectPresenceChanges } from './device-change.repository.js';
import type { DeviceChange } from './device.model.js';
import { devices } from './device.repository.js';

/** Time between two looks at the presence in a company, however many follow it on this node. */
const LOOK_MS = 2 * SECOND;
/** Time after which the first look of new followers finds nothing to report. */
const FORGOTTEN_MS = MINUTE;
/** Changes of the presence that one look reports one by one. */
export const MAX_REPORTED = 100;

/** Changes of the presence of more devices than are reported, or of looks that a slow follower has missed. */
const MANY: DeviceChange = { id: -1, kind: 'presence', deviceId: null, device: null };

type Reader = Pick<Units, 'read'>;

interface Presence {
  /** Counts the looks of this node. */
  readonly number: number;
  /** Number of the latest look before this one that a follower must not miss. */
  readonly foundBefore: number;
  readonly at: Date;
  readonly changed: readonly number[];
  readonly returned: ReadonlyMap<number, number | null>;
  /** Records of this look by the filter of followers. */
  readonly looks: Map<string, Promise<Look<DeviceChange>>>;
}

/** The latest look of each company, and when it began, in `elapsed`. */
type Looks = Map<number, { readonly startedAt: number; readonly presence: Promise<Presence> }>;

const looksOf = new WeakMap<Reader, Looks>();
let lookCount = 0;

async function presenceNow(units: Reader, caller: Caller): Promise<Presence> {
  const looks = looksOf.get(units) ?? (new Map() as Looks);
  looksOf.set(units, looks);
  const latest = looks.get(caller.companyId);
  const startedAt = systemClock.elapsed();
  const age = startedAt - (latest?.startedAt ?? -Infinity);
  if (latest !== undefined && age < LOOK_MS) return await latest.presence;
  const presence = lookAgain(units, caller, age < FORGOTTEN_MS ? latest?.presence : undefined);
  looks.set(caller.companyId, { startedAt, presence });
  return await presence;
}

/** Looks for what has changed since an earlier look; without one, for nothing. */
async function lookAgain(units: Reader, caller: Caller, before?: Promise<Presence>): Promise<Presence> {
  const last = await before?.catch(() => undefined);
  return await units.read(caller, async (work) => {
    const { passed, returned } = await selectPresenceChanges(work, last?.at ?? work.now);
    const number = (lookCount += 1);
    const next = { number, at: work.now, returned, looks: new Map() };
    if (last === undefined) return { ...next, foundBefore: number, changed: [] };
    const back = [...returned].filter(([id, since]) => last.returned.get(id) !== since).map(([id]) => id);
    const foundBefore = last.changed.length > 0 ? last.number : last.foundBefore;
    return { ...next, foundBefore, changed: [...passed, ...back] };
  });
}

async function changesFor(
  units: Reader,
  caller: Caller,
  { number, changed }: Presence,
  condition: Condition | null,
): Promise<Look<DeviceChange>> {
  if (changed.length === 0) return { number, records: [] };
  if (changed.length > MAX_REPORTED) return { number, records: [MANY] };
  const one: Condition = { field: 'id', operator: 'in', value: changed };
  const both = condition === null ? one : { and: [one, condition] };
  const found = await units.read(caller, (work) =>
    devices.slice(work, firstIn('ID', MAX_REPORTED, { condition: both })),
  );
  const records = found.records.map((device): DeviceChange => {
    return { id: -device.id, kind: 'presence', deviceId: device.id, device };
  });
  return { number, records };
}

/** Changes of devices by the ledger, and of their presence by looking at it while somebody follows. */
export const deviceChanges: NewRows<DeviceChange> = {
  span: (work, companyId) => ledgerNewRows.span(work, companyId),
  read: selectChanges,
  // Ids in filters are of devices.
  name: devices.name,
  filters: devices.filters,
  look: async (units, caller, after, condition) => {
    const presence = await presenceNow(units, caller);
    const { number, foundBefore, looks } = presence;
    if (after === null || after === number) return { number, records: [] };
    if (foundBefore > after) return { number, records: [MANY] };
    const key = JSON.stringify(condition);
    const look = looks.get(key) ?? changesFor(units, caller, presence, condition);
    looks.set(key, look);
    return await look;
  },
};
