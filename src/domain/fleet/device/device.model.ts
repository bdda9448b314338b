import { z } from 'zod';

import { identifyingName } from '../../../platform/card-data/card-data.js';
import { rule } from '../../../platform/rules.js';
import type { Moment } from '../../../platform/terminal.js';
import { freeText, printableName, type Audit, recordId } from '../../../platform/validate.js';
import type { RecordOf } from '../../../schema/schema.js';
import { Described } from '../tag/tag.model.js';

const MAX_ENTRIES = 64;

export const SerialNumber = identifyingName(64).describe('Serial number, unique in the company.');

/** Fields of a device that clients set, besides its serial number, which never changes. */
const DeviceFields = z.object({
  enabled: z.boolean().describe('Whether the device may access the service.'),
  logicalNumberId: recordId.nullable().describe('Logical number that the device works under.'),
});

const isExact = (value: number) => !Number.isInteger(value) || Number.isSafeInteger(value);
const MetaNumber = z.number().refine(isExact, rule('must not be beyond 2^53 - 1: send it as a string'));

/** Converts a number or boolean to text: `80` to `"80"`, `true` to `"true"`. */
const MetaValue = z
  .union([z.string(), MetaNumber, z.boolean()], rule('must be a text, a number, or true or false'))
  .transform(String)
  .pipe(freeText(1024));

const ReportFields = z.object({
  meta: z
    .record(printableName(64), MetaValue)
    .refine(
      (meta) => Object.keys(meta).length <= MAX_ENTRIES,
      rule('must have at most {maximum} entries', { maximum: MAX_ENTRIES }),
    ),
  frameworkVersion: printableName(64).nullable(),
});

/** Fields of changed and new devices in `/v1`. */
export const DeviceUpdateBody = DeviceFields.partial();
export const DeviceCreateBody = z.object({ serialNumber: SerialNumber, ...DeviceUpdateBody.shape });

export const DeviceUpdate = DeviceUpdateBody.extend(Described.partial().shape);
export const DeviceCreate = DeviceCreateBody.extend(Described.partial().shape);

export const DeviceReport = ReportFields.partial();

/** Report that a terminal sends itself. It may name the terminal's logical number. */
export const TerminalReport = DeviceReport.extend({ logicalNumber: z.string().optional() });

/** For example `{ brand: 'Verifone', battery_level: '80' }`. */
export type DeviceMeta = Readonly<z.output<typeof ReportFields>['meta']>;

/** The number that a terminal reported as a text of 1 to 3 digits; null for any other text, as in `jsonNumber`. */
export const percentIn = (reported = ''): number | null =>
  /^\d{1,3}$/.test(reported) ? Number(reported) : null;

export type Device = RecordOf<
  'devices',
  Audit & z.output<typeof DeviceFields> & z.output<typeof ReportFields> & z.output<typeof Described>
>;

/** The values of a device of which nothing is known yet. */
export const NEW_DEVICE = { enabled: true, meta: {}, frameworkVersion: null, tags: [] };

/** Number of devices that report the same value; `value` is null for devices that report none. */
export interface DeviceCount {
  readonly value: string | null;
  readonly count: number;
}

export interface DeviceTotals {
  readonly total: number;
  readonly enabled: number;
  readonly disabled: number;
  /** Devices that have reported nothing yet. */
  readonly neverSeen: number;
}

/** Classes of the time since the last request of a device's terminal; the longest time first. */
export const PRESENCES = ['never_seen', 'offline', 'stale', 'online'] as const;
export type Presence = (typeof PRESENCES)[number];

export interface PresenceCount {
  readonly presence: Presence;
  readonly count: number;
}

/** Devices whose logical number is in a group; `groupId` is null for devices without a number or a group. */
export interface GroupPresence {
  readonly groupId: number | null;
  readonly count: number;
  readonly byPresence: readonly PresenceCount[];
}

export interface DeviceChange {
  /** Sequence in the ledger; below 0 for a change of the presence, which has no entry. */
  readonly id: number;
  readonly kind: 'changed' | 'presence';
  /** Null for changes of more devices than are reported one by one. */
  readonly deviceId: number | null;
  /** Null also if the device was deleted. */
  readonly device: Device | null;
}

export interface SeenDevice {
  readonly deviceId: number;
  /** Milliseconds since 1970. */
  readonly seenAt: number;
}

/** The column of terminals that were never seen, and the earliest time of others, in milliseconds since 1970. */
const NEVER = 0;
export const SEEN = 1;

/** Earliest last-seen times of terminals that are offline, stale and online, in milliseconds since 1970. */
export function presenceStarts({ now, presence: { staleMs, offlineMs } }: Moment) {
  // A terminal is stale when the whole period has passed since it was seen: 1 ms earlier, it is still online.
  return { offline: SEEN, stale: now.getTime() - offlineMs + 1, online: now.getTime() - staleMs + 1 };
}

/** Interval of the last-seen times of terminals with a presence, in milliseconds since 1970; the end is excluded. */
export function presenceRange(
  presence: Presence,
  at: Moment,
): { from: number | undefined; to: number | undefined } {
  const starts: Partial<Record<Presence, number>> = presenceStarts(at);
  const next = PRESENCES[PRESENCES.indexOf(presence) + 1];
  return { from: starts[presence], to: next && starts[next] };
}

/** Time at which a terminal was last seen, null if it never was, and its presence now. */
export function lastSeenTimeOf(
  lastSeenAt: number,
  at: Moment,
): { lastSeenAt: Date | null; presence: Presence } {
  const starts = presenceStarts(at);
  if (lastSeenAt === NEVER) return { lastSeenAt: null, presence: 'never_seen' };
  const states = ['online', 'stale'] as const;
  const presence = states.find((state) => lastSeenAt >= starts[state]) ?? 'offline';
  return { lastSeenAt: new Date(lastSeenAt), presence };
}
