import { z } from 'zod';

import { MINUTE, SECOND, systemClock } from '../../../platform/clock.js';
import { DomainError, TerminalRefused, isTokenError } from '../../../platform/errors.js';
import { NotificationConfirm } from '../../../platform/terminal.js';
import {
  EVENTS,
  EVENTS_COMMENT,
  parameter,
  type TerminalAnswer,
  type TerminalCall,
  type TerminalRoute,
} from '../../../terminal/index.js';
import type { AdmittedDevice } from '../../terminals/terminal/access.service.js';
import * as dispatch from './dispatch.service.js';
import type { ClaimedDelivery } from './notification.model.js';
import type { WaitingRequest, WaitingTerminals } from './waiting.service.js';

const MAX_WAIT_SECONDS = MINUTE / SECOND;
const HEARTBEAT_MS = 15 * SECOND;
/** Maximum time that an event of a stream is delayed by the rate limit, during which no heartbeat is sent. */
const SILENCE_MS = 45 * SECOND;
/** Memory that is reserved for each stream. An event has up to 16 KiB, most have about 100 bytes. */
const STREAM_BYTES = 4 * 1024;
/** Maximum requests that wait at the same time. `WaitingTerminals` checks their terminals every two seconds. */
export const WAITING_LIMITS = { ofTerminal: 2, ofCompany: 15_000 } as const;

type Call = TerminalCall<AdmittedDevice>;

const bodyOf = ({ id, message, app, queuedAt, command }: ClaimedDelivery): object => ({
  id: String(id),
  message,
  ...(app === null ? {} : { app }),
  ...(command && { command: String(id), expires_at: command.expiresAt.toISOString() }),
  queued_at: queuedAt.toISOString(),
});

const NotificationShape = z
  .strictObject({
    id: z
      .string()
      .describe('To be confirmed.')
      .meta({ examples: ['17'] }),
    message: z.string().meta({ examples: ['17|SHOW_MESSAGE|Closed on Sunday|11-25-2026 06:30'] }),
    app: z
      .string()
      .optional()
      .describe('Asset name of the app that handles it, if there is one.')
      .meta({ examples: ['acme_sale.posxml'] }),
    command: z
      .string()
      .optional()
      .describe('Of a command: where it is reported, as `/terminal/v1/commands/{id}`.')
      .meta({ examples: ['18'] }),
    expires_at: z
      .string()
      .optional()
      .describe('Of a command: it must not be done any more from then on.')
      .meta({ format: 'date-time', examples: ['2026-11-26T09:30:00.000Z'] }),
    queued_at: z.string().meta({ format: 'date-time', examples: ['2026-11-25T09:30:00.000Z'] }),
  })
  .meta({ id: 'TerminalNotification', description: 'A notification or a command for the terminal.' });

const LIST = {
  method: 'GET',
  path: '/notifications',
  scope: 'terminals',
  operationId: 'listTerminalNotifications',
  summary: 'List or wait for notifications',
  description:
    'Urgent commands, then other commands, then notifications, each oldest first, at most 20. What is not confirmed within 30 seconds is given again, with the same id.',
  parameters: [
    parameter(
      'query',
      'wait',
      'Seconds to wait until there is something. The list is empty when they are over.',
      { type: 'integer', minimum: 0, maximum: MAX_WAIT_SECONDS, default: 0 },
    ),
  ],
  response: z.strictObject({ notifications: z.array(NotificationShape) }),
  statuses: { 200: 'Notifications to confirm.' },
} as const;

const STREAM = {
  method: 'GET',
  path: '/notifications/stream',
  scope: 'terminals',
  operationId: 'streamTerminalNotifications',
  summary: 'Stream notifications',
  description:
    'Server-sent events. The data of each event is a notification as JSON; its id is the id of the event. A comment is sent every 15 seconds while there is nothing.',
  response: NotificationShape,
  responseType: 'text/event-stream',
  statuses: { 200: 'Events, until it ends.' },
} as const;

const CONFIRM = {
  method: 'POST',
  path: '/notifications/confirm',
  scope: 'terminals',
  operationId: 'confirmTerminalNotification',
  summary: 'Confirm a notification',
  description: 'May be repeated, and in any order. 404 if the terminal was not given the notification.',
  body: NotificationConfirm,
  bodyTypes: ['application/json'],
  takesForms: true,
  example: { type: 'pnconf', event: '17' },
  response: z.strictObject({}),
  statuses: { 200: 'Confirmed.' },
  errors: [404],
} as const;

export function notificationTerminalRoutes(
  waiting: WaitingTerminals,
): readonly TerminalRoute<AdmittedDevice>[] {
  return [
    { ...LIST, answer: (call) => list(call, waiting) },
    { ...STREAM, answer: (call) => stream(call, waiting) },
    { ...CONFIRM, answer: confirm },
  ];
}

async function confirm(call: Call): Promise<TerminalAnswer> {
  return { body: (await call.writeTogether(dispatch.confirmForAll, call.body.input)) ?? {} };
}

async function list(call: Call, waiting: WaitingTerminals): Promise<TerminalAnswer> {
  const deliveries = await firstOf(call, waiting, waitOf(call.query) * SECOND);
  return { body: { notifications: deliveries.map(bodyOf) } };
}

/** Errors: `malformed`. */
function waitOf(query: ReadonlyMap<string, string>): number {
  const given = query.get('wait') ?? '0';
  const seconds = /^[0-9]{1,3}$/.test(given) ? Number(given) : Number.NaN;
  if (seconds <= MAX_WAIT_SECONDS) return seconds;
  throw new DomainError('malformed', `wait must be a whole number of seconds from 0 to ${MAX_WAIT_SECONDS}.`);
}

/** Free deliveries, or the first ones that arrive within `waitMs`; empty if none do. HEAD claims nothing. */
async function firstOf(call: Call, waiting: WaitingTerminals, waitMs: number) {
  const taken = await takeFree(call);
  if (call.request.method === 'HEAD' || taken === null) return [];
  if (taken.deliveries.length > 0 || waitMs === 0) return taken.deliveries;
  const request = enter(call, waiting, taken.found);
  try {
    return await next(call, request, waitMs);
  } finally {
    request.leave();
  }
}

/** Claims free deliveries. Writes nothing if there are none. Null if the request has ended. */
async function takeFree(call: Call): Promise<dispatch.ClaimedDeliveries | null> {
  const found = await call.readTogether(dispatch.checkForAll, null);
  if (found === null || !found.isAvailable || call.request.method === 'HEAD') {
    return found && { found, deliveries: [] };
  }
  return await call.writeTogether(dispatch.takeForAll, null);
}

/** Errors: 429 and 503 if too many requests wait. */
function enter(call: Call, waiting: WaitingTerminals, found: dispatch.DeliveryCheck): WaitingRequest {
  call.wait(WAITING_LIMITS);
  return waiting.enter(found);
}

/** Deliveries that arrive within `waitMs`; empty if none do. Errors: those of the token and of `admit`, at any time. */
async function next(call: Call, request: WaitingRequest, waitMs: number, pacedMs = waitMs) {
  const started = systemClock.elapsed();
  for (;;) {
    const passed = systemClock.elapsed() - started;
    const reason = await request.wait(waitMs - passed, call.ended, pacedMs - passed);
    if (reason === 'over' || call.ended.aborted) return [];
    const deliveries = await takeAgain(call, request, reason === 'woken');
    if (deliveries.length > 0) return deliveries;
  }
}

/** Checks again, in one unit that writes if there probably is a delivery. */
async function takeAgain(call: Call, request: WaitingRequest, isProbable: boolean) {
  try {
    const taken = await (isProbable ? call.writeTogether(dispatch.takeForAll, null) : takeFree(call));
    if (taken !== null) request.found(taken.found);
    return taken?.deliveries ?? [];
  } catch (error) {
    if (isTokenError(error)) request.refused();
    throw error;
  }
}

async function stream(call: Call, waiting: WaitingTerminals): Promise<TerminalAnswer> {
  const found = await call.readTogether(dispatch.checkForAll, null);
  // Nothing is sent to a client that has left.
  if (found === null) return {};
  const request = enter(call, waiting, found);
  const pieces = eventsOf(call, request);
  return { headers: EVENTS, stream: { pieces, heldBytes: STREAM_BYTES, sent: () => request.leave() } };
}

/** Ends when the terminal may not use the service any more; its next request gets the error. */
async function* eventsOf(call: Call, request: WaitingRequest): AsyncGenerator<string> {
  yield EVENTS_COMMENT;
  try {
    for (const delivery of await takeAgain(call, request, false)) yield eventOf(delivery);
    while (!call.ended.aborted) {
      const deliveries = await next(call, request, HEARTBEAT_MS, SILENCE_MS);
      if (deliveries.length === 0) yield EVENTS_COMMENT;
      for (const delivery of deliveries) yield eventOf(delivery);
    }
  } catch (error) {
    if (!(error instanceof DomainError) && !(error instanceof TerminalRefused)) throw error;
  }
}

function eventOf(delivery: ClaimedDelivery): string {
  return `id: ${delivery.id}\ndata: ${JSON.stringify(bodyOf(delivery))}\n\n`;
}
