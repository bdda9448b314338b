import type { Condition } from '../../../database/list/condition.js';
import { firstIn } from '../../../database/list/listing.js';
import { countingKind } from '../../base/alert/alert-kind.service.js';
import { MAX_EXAMPLES } from '../../base/alert/alert.model.js';
import { countRefusedSince, refusedSince, unknownTerminals } from './terminal.repository.js';

/** Alerts of terminals that are refused. */
export const refusedTerminals = countingKind(countRefusedSince, (work, since) =>
  refusedSince(work, since, MAX_EXAMPLES),
);

const seenSince = (since: Date): Condition => ({ field: 'lastSeenAt', operator: 'gte', value: since });

/** Alerts of serial numbers that no device has. */
export const unknownSerials = countingKind(
  (work, since) => unknownTerminals.count(work, seenSince(since)),
  async (work, since) => {
    const more = { descending: true, condition: seenSince(since) };
    const { items } = await unknownTerminals.slice(work, firstIn('LAST_SEEN_AT', MAX_EXAMPLES, more));
    return items.map(({ record }) => record.serialNumber);
  },
);
