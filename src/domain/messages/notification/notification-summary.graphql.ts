import * as g from '../../../graphql/index.js';
import { BUCKET_MEANINGS, type Bucket } from '../../../platform/buckets.js';
import {
  MAX_BUCKETS,
  summarizeNotifications,
  type NotificationSummaryRow,
} from './notification-summary.service.js';
import { NotificationList } from './notification.graphql.js';
import { notifications } from './notification.service.js';

const SummaryBucket = g.enumeration<Bucket>(
  'NotificationSummaryBucket',
  'Time interval of a row of a summary.',
  BUCKET_MEANINGS,
);

const SummaryRow = g.objectType<NotificationSummaryRow>(
  'NotificationSummaryRow',
  'Number of the notifications that were sent in one time interval, and of their deliveries by present state.',
  {
    bucketStart: g.instant.orNull(
      'First instant of the hour, day, week or month in the time zone of the summary. Null with the bucket NONE.',
    ),
    bucketEnd: g.instant.orNull(
      'First instant after the hour, day, week or month: `createdAt: { gte: bucketStart, lt: bucketEnd }` selects its notifications. Null with the bucket NONE.',
    ),
    count: g.int('Number of notifications.'),
    queued: g.safeInt('Deliveries that wait.'),
    sent: g.safeInt('Deliveries that were handed out and are not confirmed yet.'),
    delivered: g.safeInt('Deliveries that terminals have confirmed.'),
    failed: g.safeInt('Deliveries that have failed.'),
    expired: g.safeInt('Deliveries that were not confirmed within 7 days.'),
    cancelled: g.safeInt('Deliveries that were cancelled.'),
  },
);

/** Records that a summary adds to the cost of an operation. */
const SUMMARY_COST = 1_000;

export const notificationSummaryGraphql = g.query('notificationSummary', {
  field: g.object.list(
    SummaryRow,
    [
      'Deliveries over time: of the notifications that were sent in each time interval, ascending.',
      '`bucketStart` and `bucketEnd` of a row are filters of `notifications`, which find what it counts; with `deliveryState`, those with deliveries in one state.',
      `Intervals without notifications have no row. At most ${MAX_BUCKETS} rows from the first to the last notification.`,
      `Adds ${SUMMARY_COST} records to the cost of the operation.`,
    ].join(' '),
  ),
  args: {
    filter: g.object.orNull(NotificationList.Filter, 'Only notifications for which this holds.'),
    bucket: { ...g.choice(SummaryBucket, 'Time interval of a row.'), defaultValue: 'none' },
    timeZone: g.text.orNull(
      'IANA name of the time zone of hours, days, weeks and months, for example America/Sao_Paulo. UTC if null.',
    ),
    emptyBuckets: {
      ...g.flag(
        'Whether each hour, day, week or month without a notification has a row with zeros: in the interval that the filter gives to `createdAt`, or from the first to the last notification where an end is open. Not with the bucket NONE.',
      ),
      defaultValue: false,
    },
  },
  counts: SUMMARY_COST,
  searches: () => [{ rows: 'notifications' }],
  resolve: async (_source, ctx, { filter, timeZone, ...args }) => {
    const request = { ...args, where: g.conditionOf(notifications, filter), timeZone: timeZone ?? null };
    return ctx.loaders.rendered(await ctx.loadSelected(summarizeNotifications, request));
  },
});
