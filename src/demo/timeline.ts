import type { Database } from '../database/database.js';
import { createUnits } from '../database/units.js';
import type { Units, WriteWork } from '../database/work.js';
import { localCaller, type Caller, type Channel } from '../platform/caller.js';
import { DAY, type Clock } from '../platform/clock.js';
import type { Random } from '../platform/random.js';

/** Writes records of the past: the services run as usual, with a clock that is some days behind. */
export interface Timeline {
  readonly random: Random;
  /** The time at which the demo is created. */
  readonly now: Date;
  /** Units of work whose clock stands still `daysAgo` days before `now`. */
  at(daysAgo: number): Units;
}

export function createTimeline(database: Database, clock: Clock, random: Random): Timeline {
  const now = clock.now();
  return {
    random,
    now,
    at: (daysAgo) => {
      const then = new Date(now.getTime() - daysAgo * DAY);
      return createUnits(database, { ...clock, now: () => then });
    },
  };
}

/** The user on whose behalf the demo writes. */
export interface Actor {
  write<T>(daysAgo: number, use: (work: WriteWork) => Promise<T>, channel?: Channel): Promise<T>;
}

export function createActor(
  timeline: Timeline,
  member: Pick<Caller, 'companyId' | 'userId' | 'timeZone'>,
): Actor {
  return {
    write: (daysAgo, use, channel = 'interface') =>
      timeline.at(daysAgo).write({ ...localCaller(member), channel }, use),
  };
}
