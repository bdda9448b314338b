import { MAX_EXAMPLES } from '../../base/alert/alert.model.js';
import { countingKind } from '../../base/alert/alert.service.js';
import { countFailedSince, failedSerialsSince } from './command.repository.js';

/** Alerts of commands that terminals could not do, or did not confirm in time. */
export const failedCommands = countingKind(countFailedSince, async (work, since) => [
  ...new Set(await failedSerialsSince(work, since, MAX_EXAMPLES)),
]);
