import type { PresenceLimits } from '../../../platform/presence.js';

/** How long ago the terminal of a device last sent a request; in the order of these times, the longest first. */
export const PRESENCES = ['never_seen', 'offline', 'stale', 'online'] as const;
export type Presence = (typeof PRESENCES)[number];

/** When a terminal was last seen, and what follows from it now. */
export interface Sighting {
  /** Null if it never was. */
  readonly lastSeenAt: Date | null;
  readonly presence: Presence;
}

/** Number of devices by presence. */
export type PresenceCounts = Readonly<Record<Presence, number>>;

/** Devices whose logical number is in a group; null for those without a number or a group. */
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

/** The times from which on a terminal that was last seen then is offline, stale and online, in milliseconds since 1970. */
export function presenceStarts({
  now,
  presence: { staleMs, offlineMs },
}: At): Readonly<Record<'offline' | 'stale' | 'online', number>> {
  // A terminal is stale when the whole time has passed since it was seen: one that was seen a millisecond later is not.
  return { offline: NEVER + 1, stale: now.getTime() - offlineMs + 1, online: now.getTime() - staleMs + 1 };
}

export function sightingOf(lastSeenAt: number, at: At): Sighting {
  const starts = presenceStarts(at);
  if (lastSeenAt === NEVER) return { lastSeenAt: null, presence: 'never_seen' };
  const states = ['online', 'stale'] as const;
  const presence = states.find((state) => lastSeenAt >= starts[state]) ?? 'offline';
  return { lastSeenAt: new Date(lastSeenAt), presence };
}
