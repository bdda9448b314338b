import type { ReadWork, Units } from '../../../database/work.js';
import { inParts } from '../../../platform/concurrency/event-loop.js';
import { isTemporary } from '../../../platform/errors.js';
import type { Caller } from '../../../platform/requests.js';
import type { TimeRange } from '../../../platform/timestamps.js';
import { selectSerials, sumPayments } from './rollout-payments.repository.js';
import { COMPARED_MS, type Rollout, type WavePayments } from './rollout.model.js';
import { isCountDue } from './rollout.rules.js';
import { getRollout } from './rollout.service.js';

export { approvedPercent } from './rollout.rules.js';

/** Terminals of one read: with a thousand payments each, it stays far below the time that a read may take. */
const TERMINALS_PER_READ = 500;

/** A count that has begun. Each of its parts is one read; it returns the payments of all waves. */
type Count = AsyncGenerator<void, Rollout['payments'], void>;

/** Counts of a node by company and rollout: those of a node that is killed begin again on another one. */
const counts = new WeakMap<Units, Map<string, Count>>();

/**
 * Counts one part of the payments of a rollout. Returns those of all its waves once all that are due have been counted;
 * null if more parts are left, so that other work goes on between them.
 */
export async function countPart(units: Units, server: Caller, rolloutId: number) {
  const begun = counts.get(units) ?? new Map<string, Count>();
  counts.set(units, begun);
  const key = `${server.companyId} ${rolloutId}`;
  const count = begun.get(key) ?? countPayments(units, server, rolloutId);
  begun.delete(key);
  const next = await count.next();
  if (next.done === true) return next.value;
  begun.set(key, count);
  return null;
}

/** Counts the waves that are due. One that cannot be counted now keeps its last count. */
async function* countPayments(units: Units, server: Caller, id: number): Count {
  const { rollout, now } = await units.read(server, async (work) => ({
    rollout: await getRollout(work, id),
    now: work.now.getTime(),
  }));
  const counted = [...rollout.payments];
  for (const [wave, last] of rollout.payments.entries()) {
    if (!isCountDue(rollout, last, now)) continue;
    try {
      counted[wave] = yield* countWave(units, server, { rollout, wave, from: last.from, now });
    } catch (error) {
      if (!isTemporary(error)) throw error;
    }
  }
  return counted;
}

/** `from` is the time at which the wave began. */
async function* countWave(
  units: Units,
  server: Caller,
  { rollout, wave, from, now }: { rollout: Rollout; wave: number; from: number; now: number },
): AsyncGenerator<void, WavePayments, void> {
  const to = Math.min(now, from + COMPARED_MS);
  const read = <T>(use: (work: ReadWork) => Promise<T>): Promise<T> =>
    units.read(server, use, { examines: true });
  async function* sum(serials: readonly string[], span: TimeRange) {
    const sums = { terminals: serials.length, payments: 0, approved: 0, failed: 0 };
    for await (const part of inParts(serials, TERMINALS_PER_READ)) {
      const { payments, approved, failed } = await read((work) => sumPayments(work, part, span));
      sums.payments += payments;
      sums.approved += approved;
      sums.failed += failed;
      yield;
    }
    return sums;
  }
  const granted = await read((work) => selectSerials(work, rollout, ['granted', wave]));
  const waiting = await read((work) => selectSerials(work, rollout, ['waiting', wave]));
  return {
    from,
    countedAt: now,
    now: yield* sum(granted, { from, to }),
    before: yield* sum(granted, { from: from - COMPARED_MS, to: to - COMPARED_MS }),
    waiting: waiting.length === 0 ? null : yield* sum(waiting, { from, to }),
  };
}
