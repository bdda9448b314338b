import * as g from '../../../../graphql/index.js';
import { type AlertForm, days, hours, ONE_OF_BOTH, threshold } from '../../../base/alert/alert.graphql.js';
import { filterOfDevices } from '../../../fleet/device/silence.graphql.js';

const filter = g.json.orNull(
  'Only payments for which this holds: the filter as the list `transactions` takes it, for example { "groupId": { "eq": "…" } }.',
);
const within = g.duration('Time up to now in which payments have begun: 5m to 1d.');
const TOGETHER =
  'With `count` or `percent`, the payments of each terminal count; without both, all payments together.';

export const lowApprovalForm: AlertForm = {
  description: `Share of payments that are approved: those that are not denied, 100 less \`deniedPercent\` of \`transactionSummary\`. ${TOGETHER}`,
  fields: {
    filter,
    below: g.int('Percent below which the share is low: 1 to 100.'),
    minPayments: g.int(
      'Minimum number of payments, of a terminal or of all together: 1 to 1000000. With fewer, the share does not count.',
    ),
    within,
    ...threshold('terminals with so many payments', TOGETHER),
  },
  filtered: 'Transaction',
};

export const highSalesForm: AlertForm = {
  description: `Sum of approved payments, without those that cancel or refund others. ${TOGETHER}`,
  fields: {
    filter,
    above: g.safeInt('Amount in cents from which the sum is high.'),
    within,
    ...threshold('terminals with payments', TOGETHER),
  },
  filtered: 'Transaction',
};

export const largePaymentsForm: AlertForm = {
  description: 'Terminals with a single approved payment of at least an amount.',
  fields: {
    filter,
    above: g.safeInt('Amount in cents from which a payment is large.'),
    within,
    ...threshold('terminals with payments', ONE_OF_BOTH),
  },
  filtered: 'Transaction',
};

export const noPaymentsForm: AlertForm = {
  description:
    'Enabled devices without a payment, approved or not, for some hours. One that had none in the 30 days before does not count.',
  fields: {
    filter: filterOfDevices,
    lasting: g.duration('Time without a payment, of which only the hours of the rule count: 5m to 3d.'),
    ...hours('only time within the hours counts, and no alert opens outside of them.'),
    days,
    ...threshold('these devices', ONE_OF_BOTH),
  },
  filtered: 'Device',
};
