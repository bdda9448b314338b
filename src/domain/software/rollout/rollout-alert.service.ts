import type { Condition } from '../../../database/list/condition.js';
import { firstIn } from '../../../database/list/listing.js';
import { countingKind } from '../../base/alert/alert-kind.service.js';
import { MAX_EXAMPLES } from '../../base/alert/alert.model.js';
import { rollouts } from './rollout.service.js';

const stoppedSince = (since: Date): Condition => ({
  and: [
    { field: 'state', operator: 'eq', value: 'stopped_by_failures' },
    { field: 'updatedAt', operator: 'gte', value: since },
  ],
});

/** Alerts of rollouts that have stopped by themselves. */
export const stoppedRollouts = countingKind(
  (work, since) => rollouts.count(work, stoppedSince(since)),
  async (work, since) => {
    const more = { descending: true, condition: stoppedSince(since) };
    const { items } = await rollouts.slice(work, firstIn('ID', MAX_EXAMPLES, more));
    return items.map(({ record }) => record.name);
  },
);
