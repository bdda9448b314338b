import type { Request, RequestHandler, Response } from 'express';

import type { Units } from '../database/work.js';
import { inviteBody, MAX_BODY_BYTES, notAnObject, readBody } from '../http/body/body.js';
import type { BodyRate } from '../http/body/least-rate.js';
import { bearerToken } from '../http/credential.js';
import { headerOf } from '../http/headers.js';
import { holdBytes, sendText } from '../http/pieces.js';
import { methodNotAllowed } from '../http/problem.js';
import { malformed, readQuery } from '../http/query.js';
import { requestContextOf } from '../http/request-context.js';
import { JSON_TYPE, sendMethods } from '../http/send.js';
import { enterCompany, leaveRequests } from '../http/server/requests.js';
import type { Origin } from '../platform/caller.js';
import { systemClock } from '../platform/clock.js';
import { enterEventLoop, terminalsOwner, workFor } from '../platform/concurrency/event-loop.js';
import { etagOfText } from '../platform/encoding/etag.js';
import { PIECE_BYTES } from '../platform/encoding/long-text.js';
import { DomainError } from '../platform/errors.js';
import { RetrySpread, TERMINAL_RETRIES } from '../platform/limits/retry-spread.js';
import { TerminalRefused, type TerminalClaim } from '../platform/terminal.js';
import { pickInput, unknownFields } from '../rest/input.js';
import { RouteTable, type FoundPath, type KnownRoute, type PathValues } from '../rest/route-table.js';
import { admitted, Batches, type AdmitAll } from './batches.js';
import { Exchange, noteIn, sendAnswer } from './exchange.js';
import type { LimitTerminal } from './limits.js';
import { OpenExchanges, type CheckOptions } from './open-exchanges.js';
import type {
  TerminalBatchRoute,
  TerminalCall,
  TerminalReadRoute,
  ServedRoute,
  TerminalWriteRoute,
} from './route.js';

export const TERMINAL_PREFIX = '/terminal/v1';

/** `T` is a terminal that may use the service. */
export interface TerminalOptions<T> {
  readonly units: Units;
  readonly bodyRate: BodyRate;
  readonly limit: LimitTerminal;
  /** The terminal that a request speaks for. Errors: 400, 401, 403. */
  readonly claim: (
    given: { readonly token: string | undefined; readonly named: string | undefined },
    origin: Origin,
  ) => Promise<TerminalClaim>;
  readonly admit: AdmitAll<T>;
  readonly refusalsOf: CheckOptions['refusalsOf'];
  /** Called for each request of a terminal that `admit` has refused. */
  readonly onRefused: (claim: TerminalClaim, refused: TerminalRefused) => void;
  /** Aborted when the server stops. */
  readonly stopping: AbortSignal;
  /** Gets errors that no response shows. */
  readonly onError: (error: unknown, requestId?: string) => void;
}

interface ServeOptions<T> extends TerminalOptions<T> {
  readonly batches: Batches<T>;
  readonly open: OpenExchanges;
}

/** A request whose terminal is known. */
interface Received {
  readonly request: Request;
  readonly response: Response;
  readonly call: TerminalCall;
  readonly claim: TerminalClaim;
}

/**
 * Handler of all routes below /terminal/v1. HEAD is GET without a body; OPTIONS lists the methods of a path
 * in `Allow`; a method that the path does not have is 405. Other paths go to the next handler.
 */
export function createTerminalRouter<T>(
  routes: readonly ServedRoute<T>[],
  options: TerminalOptions<T>,
): RequestHandler {
  const table = new RouteTable(routes, TERMINAL_PREFIX);
  const batches = new Batches(options.units, options.admit);
  const spread = new RetrySpread(TERMINAL_RETRIES, systemClock);
  const withRetryAfter = (error: unknown): never => {
    if (!(error instanceof DomainError) || error.code !== 'busy') throw error;
    const retryAfter = Math.max(error.details.retryAfter ?? 0, spread.seconds());
    throw new DomainError('busy', error.message, { ...error.details, retryAfter });
  };
  const all = { ...options, batches, open: new OpenExchanges(options) };
  return (request, response, next) => {
    const found = table.find(request.path.slice(TERMINAL_PREFIX.length));
    if (found !== undefined) return serve(found, request, response, all).catch(withRetryAfter);
    next();
    return undefined;
  };
}

async function serve<T>(
  { path: { methods, allowed, template }, values }: FoundPath<ServedRoute<T>>,
  request: Request,
  response: Response,
  options: ServeOptions<T>,
): Promise<void> {
  const known = methods.get(request.method === 'HEAD' ? 'GET' : request.method);
  requestContextOf(response).template = known?.template ?? template;
  if (request.method === 'OPTIONS') {
    sendMethods(response, allowed);
    return;
  }
  if (known === undefined) throw methodNotAllowed(allowed);
  const call = callOf(known, values, readQuery(request.originalUrl));
  const claim = await identify(request, response, options);
  const received = { request, response, call, claim };
  await workFor(terminalsOwner(claim.caller), () => handle(known.route, received, options));
}

function callOf(
  { placeholders, template }: Pick<KnownRoute<ServedRoute<unknown>>, 'placeholders' | 'template'>,
  values: PathValues,
  query: ReadonlyMap<string, string>,
): TerminalCall {
  return {
    query,
    value: (placeholder) => {
      const value = values[`p${placeholders.indexOf(placeholder)}`];
      if (value === undefined) throw new Error(`The path ${template} has no placeholder ${placeholder}`);
      return value;
    },
  };
}

/**
 * From here on, limits are those of the terminal and its company: thousands of terminals may share one address, so the
 * request no longer counts for the address.
 */
async function identify<T>(
  request: Request,
  response: Response,
  options: TerminalOptions<T>,
): Promise<TerminalClaim> {
  const claimed = await claimOf(request, response, options);
  leaveRequests(response);
  enterCompany(response, claimed.caller, 'terminals');
  await options.limit(response, claimed);
  return claimed;
}

async function claimOf<T>(
  request: Request,
  response: Response,
  { claim }: TerminalOptions<T>,
): Promise<TerminalClaim> {
  const { ip, requestId } = requestContextOf(response);
  const given = { token: bearerToken(request), named: namedTerminal(request) };
  return await claim(given, { channel: 'api', ip, requestId });
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** The serial number in `X-Serial-Number`, in UTF-8; Node reads headers as Latin-1. */
function namedTerminal(request: Request): string | undefined {
  const given = headerOf(request, 'x-serial-number');
  if (typeof given !== 'string') return undefined;
  try {
    return utf8.decode(Buffer.from(given, 'latin1'));
  } catch {
    throw malformed('X-Serial-Number is not UTF-8.');
  }
}

async function handle<T>(route: ServedRoute<T>, received: Received, options: ServeOptions<T>): Promise<void> {
  const { request, response, claim } = received;
  // Refuses a request whose response would have to wait, before anything is read or changed.
  requestContextOf(response).limits.waiting.demandRoom(claim.caller.companyId);
  if ('exchange' in route) {
    const claimAgain = (): Promise<TerminalClaim> => claimOf(request, response, options);
    await route.exchange(new Exchange({ ...options, ...received, claimAgain }));
    return;
  }
  try {
    await ('read' in route ? answer(route, received, options) : change(route, received, options));
  } catch (error) {
    if (error instanceof TerminalRefused) options.onRefused(claim, error);
    throw error;
  }
}

async function change<T>(
  route: TerminalWriteRoute<T> | TerminalBatchRoute<T>,
  { request, response, claim }: Received,
  { units, bodyRate, admit, batches }: ServeOptions<T>,
): Promise<void> {
  const held = holdBytes(response, PIECE_BYTES);
  inviteBody(request, response);
  const body = await readBody(request, { rate: bodyRate, maxBytes: MAX_BODY_BYTES });
  await enterEventLoop();
  if (body.isForm && !('batch' in route)) throw notAnObject();
  const input = pickInput(route.body, body);
  const result =
    'batch' in route
      ? await batches.write(route.batch, { claim, input, hasEnded: () => response.closed })
      : await units.write(claim.caller, async (work) => {
          await route.write(work, await admitted(admit, work, claim), input);
          const ignored = unknownFields(route.body, body);
          return ignored.length === 0 ? {} : { ignored };
        });
  if (result === null) return;
  response.setHeader('Content-Type', JSON_TYPE);
  await sendText(response, JSON.stringify(result), held);
}

async function answer<T>(
  route: TerminalReadRoute<T>,
  received: Received,
  options: TerminalOptions<T>,
): Promise<void> {
  const { call, claim } = received;
  const { note, ...read } = await options.units.read(claim.caller, async (work) =>
    route.read(work, await admitted(options.admit, work, claim), call),
  );
  if (note !== undefined) await noteIn({ ...options, ...received }, note);
  await sendAnswer(received, { status: 200, etag: etagOfText(read.content), ...read });
}
