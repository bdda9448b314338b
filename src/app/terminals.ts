import type { RequestHandler } from 'express';

import type { Units } from '../database/work.js';
import { notificationTerminalRoutes } from '../domain/messages/notification/notification.terminal.js';
import { WaitingTerminals } from '../domain/messages/notification/waiting.service.js';
import { recordTransaction } from '../domain/payments/transaction/recording/transaction-recording.service.js';
import { transactionRoutes } from '../domain/payments/transaction/recording/transaction.terminal.js';
import { ValidTokens } from '../domain/people/access-token/authentication.service.js';
import { assetRoutes } from '../domain/software/manifest/asset.terminal.js';
import { manifestRoutes } from '../domain/software/manifest/manifest.terminal.js';
import { createRefusalLog } from '../domain/terminals/terminal/refusal.service.js';
import { SeenDevices } from '../domain/terminals/terminal/seen-devices.service.js';
import { admitTerminals, type AdmittedDevice } from '../domain/terminals/terminal/terminal-access.service.js';
import {
  claimTerminal,
  createDeviceTokenLookUp,
  withoutDeviceTokens,
} from '../domain/terminals/terminal/terminal-authentication.service.js';
import { terminalRoutes } from '../domain/terminals/terminal/terminal.terminal.js';
import type { BodyRate } from '../http/body/receive.js';
import type { Authenticator } from '../platform/caller.js';
import type { Clock } from '../platform/clock.js';
import type { DispatchRate } from '../platform/concurrency/dispatch-rate.js';
import { TerminalRefused } from '../platform/terminal.js';
import type { AdmitAll } from '../terminal/batches.js';
import type { TerminalRoute } from '../terminal/exchange.js';
import { createTerminalRouter } from '../terminal/router.js';
import type { Monitoring } from './monitoring.js';

export interface TerminalParts {
  readonly units: Units;
  readonly clock: Clock;
  readonly pace: DispatchRate;
  readonly monitoring: Monitoring;
  readonly onError: (error: unknown, requestId?: string) => void;
  /** Aborted when the server stops. */
  readonly stopping: AbortSignal;
}

export interface Terminals {
  /** Serves all paths below /terminal/v1. */
  readonly router: RequestHandler;
  readonly routes: readonly TerminalRoute<AdmittedDevice>[];
  /** Authenticator for all other surfaces: like `access`, but with a specific error for tokens of devices. */
  readonly authenticator: Authenticator;
  /**
   * Records that the terminal of an admitted device was seen at the server's time `now`. Requests to
   * `/terminal/v1` are recorded already.
   */
  readonly noteSeen: (companyId: number, deviceId: number, now: Date) => void;
  /** Ends requests that wait for notifications. */
  readonly stop: () => Promise<void>;
  /** Stores the recorded times of terminals. Call once none of their requests is running. */
  readonly store: () => Promise<void>;
}

/** All routes of /terminal/v1. */
export function createTerminalRoutes(waiting: WaitingTerminals): readonly TerminalRoute<AdmittedDevice>[] {
  return [
    ...terminalRoutes,
    ...manifestRoutes,
    ...assetRoutes((work, request) => recordTransaction(work, { transactionType: 'get_asset', ...request })),
    ...transactionRoutes,
    ...notificationTerminalRoutes(waiting),
  ];
}

/** Handlers for terminals. `access` verifies the tokens of users. */
export function createTerminals(
  { units, clock, pace, monitoring, onError, stopping }: TerminalParts,
  access: Authenticator,
  bodyRate: BodyRate,
): Terminals {
  const find = createDeviceTokenLookUp(units, clock);
  const gateways = new ValidTokens(clock);
  const refusals = createRefusalLog(units, clock, onError);
  const seen = new SeenDevices(units, clock, onError);
  const noteSeen: Terminals['noteSeen'] = (companyId, deviceId, now) => seen.note(companyId, deviceId, now);
  const onCount = (change: 1 | -1): void => monitoring.metrics.countWaitingTerminals(change);
  const waiting = new WaitingTerminals({ units, clock, pace, onCount, onError });
  const admit: AdmitAll<AdmittedDevice> = async (work, claims) => {
    const found = await admitTerminals(work, claims);
    for (const device of found) {
      if (!(device instanceof TerminalRefused)) noteSeen(work.caller.companyId, device.id, work.now);
    }
    return found;
  };
  const routes = createTerminalRoutes(waiting);
  const router = createTerminalRouter(routes, {
    units,
    clock,
    bodyRate,
    stopping,
    onError,
    onLimited: () => monitoring.metrics.countRateLimited(),
    claim: (given, origin) => claimTerminal({ access, find, gateways }, given, origin),
    admit,
    admitAgain: admitTerminals,
    onRefused: (claim, refused) => {
      monitoring.metrics.countTerminalRefused(refused.code);
      refusals.note(claim, refused);
    },
  });
  const store = () => Promise.all([refusals.finish(), seen.finish()]).then(() => undefined);
  const stop = (): Promise<void> => waiting.stop();
  return { router, routes, authenticator: withoutDeviceTokens(access, find), noteSeen, stop, store };
}
