import { MAX_EXAMPLES } from '../../base/alert/alert.model.js';
import { countingKind, countingRecords } from '../../base/alert/alert.service.js';
import { countRefusedSince, refusedSince, unknownTerminals } from './terminal.repository.js';

export const refusedTerminals = countingKind(countRefusedSince, (work, since) =>
  refusedSince(work, since, MAX_EXAMPLES),
);

export const unknownSerials = countingRecords(
  unknownTerminals,
  'LAST_SEEN_AT',
  (since) => ({ field: 'lastSeenAt', operator: 'gte', value: since }),
  ({ serialNumber }) => serialNumber,
);
