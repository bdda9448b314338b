import type { RequestHandler } from 'express';

import type { Units } from '../database/work.js';
import type { BodyRate } from '../http/body/least-rate.js';
import type { Authenticator } from '../platform/caller.js';
import type { Clock } from '../platform/clock.js';
import type { Pace } from '../platform/concurrency/pace.js';
import { admitTerminal } from '../resources/terminal/terminal-access.service.js';
import {
  claimTerminal,
  createDeviceTokenLookUp,
  withoutDeviceTokens,
} from '../resources/terminal/terminal-authentication.service.js';
import { createRefusalLog } from '../resources/terminal/terminal-refusal.service.js';
import { notificationTerminalRoutes } from '../resources/notification/notification.terminal.js';
import { WaitingTerminals } from '../resources/notification/waiting/waiting-terminals.service.js';
import { terminalRoutes } from '../resources/terminal/terminal.terminal.js';
import { createTerminalLimit } from '../terminal/limits.js';
import { createTerminalRouter } from '../terminal/router.js';
import type { Monitoring } from './monitoring.js';

export interface TerminalParts {
  readonly units: Units;
  readonly clock: Clock;
  readonly pace: Pace;
  readonly monitoring: Monitoring;
  readonly onError: (error: unknown) => void;
  /** Aborted when the server stops. */
  readonly stopping: AbortSignal;
}

export interface Terminals {
  /** Of all paths below /terminal/v1. */
  readonly router: RequestHandler;
  /** For all other surfaces: `access`, but it refuses tokens of devices in words of their own. */
  readonly authenticator: Authenticator;
  /** Stores what is noted of terminals. */
  readonly stop: () => Promise<void>;
}

/** The surface for terminals. `access` knows the tokens of users. */
export function createTerminals(
  { units, clock, pace, monitoring, onError, stopping }: TerminalParts,
  access: Authenticator,
  bodyRate: BodyRate,
): Terminals {
  const find = createDeviceTokenLookUp(units, clock);
  const refusals = createRefusalLog(units, clock, onError);
  const onCount = (change: 1 | -1): void => monitoring.metrics.countWaitingTerminals(change);
  const waiting = new WaitingTerminals({ units, clock, pace, onCount, onError });
  const routes = [...terminalRoutes, ...notificationTerminalRoutes(waiting)];
  const router = createTerminalRouter(routes, {
    ...{ units, bodyRate, stopping },
    limit: createTerminalLimit(clock, () => monitoring.metrics.countRateLimited()),
    claim: (given, origin) => claimTerminal({ access, find }, given, origin),
    admit: admitTerminal,
    onRefused: (claim, refused) => {
      monitoring.metrics.countTerminalRefused(refused.code);
      refusals.note(claim, refused);
    },
  });
  const stop = async (): Promise<void> => {
    await Promise.all([refusals.finish(), waiting.stop()]);
  };
  return { router, authenticator: withoutDeviceTokens(access, find), stop };
}
