import { createUnits, type Units, type WriteWork } from '../database/work.js';
import type { Database } from '../database/open.js';
import { SCOPES, type Caller, type Channel } from '../platform/caller.js';
import { DAY, type Clock } from '../platform/clock.js';
import type { Random } from './random.js';

/** Where the demo's past is played: everything goes through services, each change at its own time. */
export interface Stage {
  readonly random: Random;
  readonly now: Date;
  /** Units of work whose time is so many days ago. */
  at(daysAgo: number): Units;
}

export function createStage(database: Database, clock: Clock, random: Random): Stage {
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

/** Somebody of a company, for whom the demo acts. */
export interface Actor {
  /** As one who works so many days ago. */
  write<T>(daysAgo: number, use: (work: WriteWork) => Promise<T>, channel?: Channel): Promise<T>;
}

export function actorOf(stage: Stage, member: Pick<Caller, 'companyId' | 'userId' | 'timeZone'>): Actor {
  return {
    write: (daysAgo, use, channel = 'interface') => {
      const caller: Caller = {
        ...member,
        tokenId: null,
        role: 'admin',
        scopes: SCOPES,
        channel,
        ip: null,
        requestId: null,
      };
      return stage.at(daysAgo).write(caller, use);
    },
  };
}
