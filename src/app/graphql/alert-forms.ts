/** Adds the conditions of alerts to the schema, under the names by which `app/wings.ts` adds what they measure. */
import { addAlertForm, countWithin } from '../../domain/base/alert/alert.graphql.js';
import { lowBatteryForm, weakSignalForm } from '../../domain/fleet/device/level.graphql.js';
import { addSilentForm } from '../../domain/fleet/device/silence.graphql.js';
import {
  highSalesForm,
  largePaymentsForm,
  lowApprovalForm,
  noPaymentsForm,
} from '../../domain/payments/transaction/alert/payment-alert.graphql.js';

addSilentForm();
addAlertForm('lowBattery', lowBatteryForm);
addAlertForm('weakSignal', weakSignalForm);
addAlertForm('lowApproval', lowApprovalForm);
addAlertForm('noPayments', noPaymentsForm);
addAlertForm('largePayments', largePaymentsForm);
addAlertForm('highSales', highSalesForm);
addAlertForm(
  'deliveriesFailed',
  countWithin('Deliveries of notifications that have failed, and webhooks whose last attempt has failed.'),
);
addAlertForm(
  'commandsFailed',
  countWithin('Commands that terminals could not do, or did not confirm in time.'),
);
addAlertForm('refused', countWithin('Devices whose terminal was refused.'));
addAlertForm('unknownTerminals', countWithin('Serial numbers that gateways named and no device has.'));
addAlertForm('rolloutStopped', countWithin('Rollouts that have stopped by themselves.'));
addAlertForm(
  'rolloutUnmoved',
  countWithin(
    'Rollouts whose wave waits for terminals, of which none has moved for this time, for example 1d.',
  ),
);
