/** Adds the conditions of alerts to the schema, under the names by which `app/wings.ts` adds what they measure. */
import { addAlertForm, countWithin } from '../../domain/base/alert/alert.graphql.js';
import { silentForm } from '../../domain/fleet/device/silence.graphql.js';

addAlertForm('silent', silentForm);
addAlertForm(
  'deliveriesFailed',
  countWithin('Deliveries of notifications that have failed, and webhooks whose last attempt has failed.'),
);
addAlertForm('refused', countWithin('Devices whose terminal was refused.'));
addAlertForm('unknownTerminals', countWithin('Serial numbers of no device that gateways named.'));
addAlertForm('rolloutStopped', countWithin('Rollouts that have stopped by themselves.'));
addAlertForm(
  'rolloutUnmoved',
  countWithin(
    'Rollouts whose wave waits for terminals, of which none has moved for this time, for example 1d.',
  ),
);
