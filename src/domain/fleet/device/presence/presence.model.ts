import type { PresenceLimits } from '../../../../platform/presence.js';

/** Classes of the time since the last request of a device's terminal; the longest time first. */
export const PRESENCES = ['never_seen', 'offline', 'stale', 'online'] as const;
export type Presence = (typeof PRESENCES)[number];

/** Time at which a terminal was last seen, and its presence now. */
export interface Sighting {
  /** Null if it never was. */
  readonly lastSeenAt: Date | null;
  readonly presence: Presence;
}

/** Number of devices by presence. */
export type PresenceCounts = Readonly<Record<Presence, number>>;

/** Devices whose logical number is in a group; `groupId` is null for devices without a number or a group. */
export interface GroupPresence {
  readonly groupId: number | null;
  readonly count: number;
  readonly byPresence: PresenceCounts;
}

/** A request of the terminal of a device. */
export interface SeenDevice {
  readonly deviceId: number;
  /** Milliseconds since 1970. */
  readonly seenAt: number;
}

/** Milliseconds since 1970 that the column holds for terminals that were never seen. */
const NEVER = 0;

/** The server's time, and its limits. */
interface At {
  readonly now: Date;
  readonly presence: PresenceLimits;
}

/** Earliest last-seen times of terminals that are offline, stale and online, in milliseconds since 1970. */
export function presenceStarts({
  now,
  presence: { staleMs, offlineMs },
}: At): Readonly<Record<'offline' | 'stale' | 'online', number>> {
  // A terminal is stale when the whole period has passed since it was seen: 1 ms earlier, it is still online.
  return { offline: NEVER + 1, stale: now.getTime() - offlineMs + 1, online: now.getTime() - staleMs + 1 };
}

export function sightingOf(lastSeenAt: number, at: At): Sighting {
  const starts = presenceStarts(at);
  if (lastSeenAt === NEVER) return { lastSeenAt: null, presence: 'never_seen' };
  const states = ['online', 'stale'] as const;
  const presence = states.find((state) => lastSeenAt >= starts[state]) ?? 'offline';
  return { lastSeenAt: new Date(lastSeenAt), presence };
}
