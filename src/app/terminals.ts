import type { Units } from '../database/work.js';
import { commandRoute } from '../domain/messages/command/command.terminal.js';
import { notificationTerminalRoutes } from '../domain/messages/notification/notification.terminal.js';
import { WaitingTerminals } from '../domain/messages/notification/waiting.service.js';
import { recordTransaction } from '../domain/payments/transaction/recording/transaction-recording.service.js';
import { transactionRoutes } from '../domain/payments/transaction/recording/transaction.terminal.js';
import { createAuthenticator } from '../domain/people/access-token/authentication.service.js';
import { installRoute } from '../domain/software/manifest/install.terminal.js';
import { manifestRoutes } from '../domain/software/manifest/manifest.terminal.js';
import { logRoute } from '../domain/terminals/device-log/device-log.terminal.js';
import {
  type AdmittedDevice,
  createClaims,
  createDeviceTokenLookUp,
  SeenDevices,
} from '../domain/terminals/terminal/access.service.js';
import { refuseToken } from '../domain/terminals/terminal/device-token.service.js';
import { RefusalLog } from '../domain/terminals/terminal/refusal.service.js';
import { terminalRoutes } from '../domain/terminals/terminal/terminal.terminal.js';
import type { Clock } from '../platform/clock.js';
import type { DispatchRate } from '../platform/concurrency/dispatch-rate.js';
import { createTerminalRouter, type TerminalRoute } from '../terminal/router.js';
import type { Monitoring } from './monitoring.js';

export interface TerminalParts {
  readonly units: Units;
  readonly clock: Clock;
  /** Rate at which notifications are sent to terminals, over all transports. */
  readonly pace: DispatchRate;
  readonly monitoring: Monitoring;
  readonly onError: (error: unknown, requestId?: string | null) => void;
}

export type Terminals = ReturnType<typeof createTerminals>;

/** All routes of /terminal/v1. */
export function createTerminalRoutes(waiting: WaitingTerminals): readonly TerminalRoute<AdmittedDevice>[] {
  return [
    ...terminalRoutes,
    ...manifestRoutes((work, request) =>
      recordTransaction(work, { transactionType: 'get_asset', ...request }, request.numberAtStart),
    ),
    installRoute,
    logRoute,
    commandRoute,
    ...transactionRoutes,
    ...notificationTerminalRoutes(waiting),
  ];
}

export function createTerminals(
  { units, clock, pace, monitoring, onError }: TerminalParts,
  stopping: AbortSignal,
  bodyMs: number,
) {
  const find = createDeviceTokenLookUp(units, clock, onError);
  const access = createAuthenticator(units, clock, (token) => refuseToken(token, find), onError);
  const refusals = new RefusalLog(units, clock, onError);
  const seen = new SeenDevices(units, clock, onError);
  const onCount = (change: 1 | -1): void => monitoring.metrics.countWaitingTerminals(change);
  const waiting = new WaitingTerminals({ units, clock, pace, onCount, onError });
  const routes = createTerminalRoutes(waiting);
  const router = createTerminalRouter(routes, {
    units,
    clock,
    bodyMs,
    stopping,
    onError,
    onLimited: monitoring.metrics.countRateLimited,
    claim: createClaims(access, find),
    admit: seen.admit,
    onRefused: (claim, refused) => {
      monitoring.metrics.countTerminalRefused(refused.code);
      refusals.note(claim, refused);
    },
  });
  return {
    /** Serves all paths below /terminal/v1. */
    router,
    routes,
    /** Authenticator for all other surfaces: of users, with a specific error for tokens of devices. */
    authenticator: access,
    /** Records that a terminal was seen at the server's time `now` other than by a request, for example over MQTT. */
    noteSeen: (companyId: number, deviceId: number, now: Date): void => seen.note(companyId, deviceId, now),
    /** Ends requests that wait for notifications. */
    stop: (): Promise<void> => waiting.stop(),
    /** Stores the recorded times of terminals. Call once none of their requests is running. */
    store: async (): Promise<void> => void (await Promise.all([refusals.finish(), seen.finish()])),
  };
}
