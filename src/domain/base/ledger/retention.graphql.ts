import * as g from '../../../graphql/index.js';
import { type Deleted, type DeletedRows, deletedRows } from './retention.service.js';

const DeletedRecords = g.objectType<Deleted>(
  'DeletedRecords',
  'What retention has deleted of one kind of records.',
  {
    count: g.safeInt('Number of records that were deleted so far.'),
    upTo: g.int(
      'All records with a `sequence` up to this one are deleted: the next one is the first that is left. 0 if there is none, and for deliveries, which are deleted in the order of their ends.',
    ),
    newestAt: g.instant.orNull(
      'The time of the newest of them: when it was recorded or, for a delivery, ended. Null if there is none.',
    ),
  },
);

const DeletedByRetention = g.objectType<DeletedRows>(
  'DeletedByRetention',
  'What retention has deleted in the company. Lists, totals and summaries do not have it any more.',
  {
    ledger: g.object(DeletedRecords, 'Entries of the ledger.'),
    transactions: g.object(DeletedRecords, 'Transactions.'),
    deliveries: g.object(DeletedRecords, 'Deliveries of notifications.'),
  },
);

export const retentionGraphql = g.query('deletedByRetention', {
  field: g.object(
    DeletedByRetention,
    'What retention has deleted in the company, so that a reader who goes on from an earlier sequence or cursor knows what it misses.',
  ),
  resolve: (_source, ctx) => ctx.loadOnce(deletedRows),
});
