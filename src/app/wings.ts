/** Wings register with those below them how their rows are removed with others, and after which time. */
import { addAlertKind, alertRetention, detachFromRules } from '../domain/base/alert/alert.service.js';
import {
  deleteSchedulesOf,
  linkOfEntry,
  noteDelivered,
} from '../domain/base/export-schedule/export-schedule.service.js';
import { jobKinds, jobRetention } from '../domain/base/job/job.service.js';
import { ledgerRetention, retained } from '../domain/base/ledger/retention.service.js';
import { addressed } from '../domain/base/webhook/delivery.service.js';
import { webhookRemovals } from '../domain/base/webhook/webhook.service.js';
import * as bulk from '../domain/fleet/bulk/bulk-change.service.js';
import { detachDevicesFrom, reportFollowers } from '../domain/fleet/device/device.service.js';
import { lowBattery, weakSignal } from '../domain/fleet/device/level.service.js';
import { silence } from '../domain/fleet/device/silence.service.js';
import { groupRemovals } from '../domain/fleet/group/group.service.js';
import { FLEET_IMPORT, importSome } from '../domain/fleet/import/import.service.js';
import { logicalNumberRemovals } from '../domain/fleet/logical-number/logical-number.service.js';
import { parameters } from '../domain/fleet/setting/parameter.service.js';
import { metacontents, deleteOwned } from '../domain/fleet/setting/setting.service.js';
import { failedCommands } from '../domain/messages/command/command-alert.service.js';
import {
  COMMAND_SEND,
  noteAppUpdate,
  noteLog,
  noteRestart,
  queueSome,
} from '../domain/messages/command/command.service.js';
import { failedDeliveries } from '../domain/messages/notification/delivery-alert.service.js';
import { deleteDeliveriesOf, deliveryRetention } from '../domain/messages/notification/delivery.service.js';
import {
  highSales,
  largePayments,
  lowApproval,
  noPayments,
} from '../domain/payments/transaction/alert/payment-alert.service.js';
import { transactionRetention } from '../domain/payments/transaction/transaction.service.js';
import { tokenRetention } from '../domain/people/access-token/access-token.service.js';
import { assetsShown } from '../domain/software/manifest/manifest.service.js';
import * as rolling from '../domain/software/rollout/rollout-step.service.js';
import {
  DRAW,
  GRANT,
  stoppedRollouts,
  UNDO,
  unmovedRollouts,
} from '../domain/software/rollout/rollout.service.js';
import { logFollowers, logRetention } from '../domain/terminals/device-log/device-log.service.js';
import { issueTokensOfJob } from '../domain/terminals/terminal/device-token.service.js';
import { refusedTerminals, unknownSerials } from '../domain/terminals/terminal/terminal-alert.service.js';

const owned = [parameters, metacontents];

groupRemovals.push((work, { id, name }) =>
  deleteOwned(work, `The group ${name}`, { groupId: id, logicalNumberId: null }, owned),
);

logicalNumberRemovals.push(
  deleteDeliveriesOf,
  (work, { id, number }) =>
    deleteOwned(work, `The logical number ${number}`, { logicalNumberId: id, groupId: null }, owned),
  detachDevicesFrom,
);

webhookRemovals.push(detachFromRules, deleteSchedulesOf);
addressed.set('export_schedule', { more: linkOfEntry, delivered: noteDelivered });

retained.push(
  transactionRetention,
  ledgerRetention,
  deliveryRetention,
  logRetention,
  tokenRetention,
  jobRetention,
  alertRetention,
);

addAlertKind('silent', silence);
addAlertKind('lowBattery', lowBattery);
addAlertKind('weakSignal', weakSignal);
addAlertKind('lowApproval', lowApproval);
addAlertKind('noPayments', noPayments);
addAlertKind('largePayments', largePayments);
addAlertKind('highSales', highSales);
addAlertKind('deliveriesFailed', failedDeliveries);
addAlertKind('commandsFailed', failedCommands);
addAlertKind('refused', refusedTerminals);
addAlertKind('unknownTerminals', unknownSerials);
addAlertKind('rolloutStopped', stoppedRollouts);
addAlertKind('rolloutUnmoved', unmovedRollouts);

assetsShown.push(noteAppUpdate);
logFollowers.push(noteLog);
reportFollowers.push(noteRestart);

jobKinds.set(bulk.NUMBER_CHANGE, bulk.changeSomeNumbers).set(COMMAND_SEND, queueSome);
jobKinds
  .set(DRAW, rolling.storeDrawn)
  .set(GRANT, rolling.grantToTerminals)
  .set(UNDO, rolling.undoOfTerminals);
for (const [kind, change] of [
  [bulk.DEVICE_CHANGE, bulk.changeSomeDevices],
  [FLEET_IMPORT, importSome],
] as const) {
  jobKinds.set(kind, (work, input, rows, context) =>
    change(work, input, rows, (devices, keepOldFor) => issueTokensOfJob(work, context, devices, keepOldFor)),
  );
}
