import type { ReadWork, Units } from '../../../database/work.js';
import { inParts, type TimeRange } from '../../../platform/clock.js';
import type { Caller } from '../../../platform/requests.js';
import { isPassing } from '../../base/job/job.service.js';
import { selectSerials, sumPayments } from './rollout-payments.repository.js';
import { COMPARED_MS, type PaymentFigures, type Rollout, type WavePayments } from './rollout.model.js';
import { isCountDue } from './rollout.rules.js';
import { getRollout } from './rollout.service.js';

export { approvedPercent } from './rollout.rules.js';

/** A read of so many terminals, with a thousand payments each, stays far below the time that a read may take. */
const TERMINALS_PER_READ = 500;

/**
 * Payments of the waves of a rollout: those that are due are counted again, in many reads outside the event loop. A wave
 * that cannot be counted now keeps its last count.
 */
export async function countPayments(units: Units, server: Caller, id: number): Promise<Rollout['payments']> {
  const { rollout, now } = await units.read(server, async (work) => ({
    rollout: await getRollout(work, id),
    now: work.now.getTime(),
  }));
  const counted: WavePayments[] = [];
  for (const [wave, last] of rollout.payments.entries()) {
    if (!isCountDue(rollout, last, now)) {
      counted.push(last);
      continue;
    }
    const count = countWave(units, server, { rollout, wave, from: last.from, now });
    counted.push(
      await count.catch((error: unknown) => {
        if (isPassing(error)) return last;
        throw error;
      }),
    );
  }
  return counted;
}

interface CountedWave {
  readonly rollout: Rollout;
  readonly wave: number;
  /** When it began, and the present time. */
  readonly from: number;
  readonly now: number;
}

async function countWave(
  units: Units,
  server: Caller,
  { rollout, wave, from, now }: CountedWave,
): Promise<WavePayments> {
  const to = Math.min(now, from + COMPARED_MS);
  const read = <T>(use: (work: ReadWork) => Promise<T>): Promise<T> =>
    units.read(server, use, { examines: true });
  const sum = async (serials: readonly string[], span: TimeRange): Promise<PaymentFigures> => {
    const sums = { terminals: serials.length, payments: 0, approved: 0, failed: 0 };
    for await (const part of inParts(serials, TERMINALS_PER_READ)) {
      const { payments, approved, failed } = await read((work) => sumPayments(work, part, span));
      sums.payments += payments;
      sums.approved += approved;
      sums.failed += failed;
    }
    return sums;
  };
  const granted = await read((work) => selectSerials(work, rollout, ['granted', wave]));
  const waiting = await read((work) => selectSerials(work, rollout, ['waiting', wave]));
  return {
    from,
    countedAt: now,
    now: await sum(granted, { from, to }),
    before: await sum(granted, { from: from - COMPARED_MS, to: to - COMPARED_MS }),
    waiting: waiting.length === 0 ? null : await sum(waiting, { from, to }),
  };
}
