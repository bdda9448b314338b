import { Turns, type TurnLimits } from '../../../platform/concurrency/turns.js';
import { DomainError } from '../../../platform/errors.js';
import type { ExaminingLimits } from '../../database.js';

/**
 * Milliseconds that a unit waits to write. Units of a company write one after the other
 * (decisions.md#company-writers), so they wait longer than reads; with the statement itself, less than 10 s.
 */
const WRITE_WAIT_MS = 8_000;

const EXAMINING = { deadlineMs: 5_000, maxWaitMs: 5_000, maxWaiting: 1_000, maxWaitingOfCompany: 200 };

/** Limits of units that may examine many records. */
export type ExaminingSettings = typeof EXAMINING & Pick<Partial<ExaminingLimits>, 'threads'>;

export const examiningSettings = (given: Partial<ExaminingLimits>): ExaminingSettings => ({
  ...EXAMINING,
  ...given,
});

export type UnitTurns = Readonly<Record<'read' | 'write' | 'above' | 'examine', Turns<number>>>;

/** A queue for each kind of unit, which has its share of the connections. */
export function turnsOf(
  connections: number,
  { threads, maxWaitMs, maxWaiting, maxWaitingOfCompany }: ExaminingSettings,
): UnitTurns {
  const share = sharesOf(connections, threads);
  return {
    read: turns({ places: share.read, placesOfKey: share.read - 1 }),
    write: turns({ places: share.write, placesOfKey: 1, maxWaitMs: WRITE_WAIT_MS }),
    above: turns({ places: share.above, placesOfKey: share.above }),
    examine: turns({
      ...{ places: share.examine, placesOfKey: Math.max(1, share.examine - 1), maxWaitMs, maxWaiting },
      ...{ maxWaitingOfKey: maxWaitingOfCompany, busy: examiningBusy },
    }),
  };
}

interface Shares {
  readonly read: number;
  readonly write: number;
  readonly above: number;
  readonly examine: number;
}

/** Shares of the connections, apart from the one that listens. */
function sharesOf(connections: number, examine = Math.max(2, Math.floor(connections / 6))): Shares {
  const rest = connections - 1 - examine;
  const above = Math.max(1, Math.floor(rest / 4));
  const write = Math.max(2, Math.floor(rest / 3));
  return { examine, above, write, read: Math.max(2, rest - above - write) };
}

const LIMITS = { maxWaiting: 2_000, maxWaitingOfKey: 1_000, maxWaitMs: 5_000, busy };

function turns(limits: Pick<TurnLimits, 'places' | 'placesOfKey'> & Partial<TurnLimits>): Turns<number> {
  return new Turns({ ...LIMITS, ...limits });
}

function busy(): DomainError {
  return new DomainError('busy', 'The database is busy; try again in a second.', { retryAfter: 1 });
}

function examiningBusy(): DomainError {
  return new DomainError('busy', 'Too many requests examine many records at the same time; try again.', {
    retryAfter: 1,
  });
}
