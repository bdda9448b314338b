import type { Database } from '../database/database.js';
import { findStoredResponse, storeResponse } from '../database/stored-responses.js';
import { transactionIngest } from '../domain/payments/transaction/transaction.rest.js';
import { createPasswords } from '../domain/people/user/password.service.js';
import { createSessions } from '../domain/people/user/session.service.js';
import { createSignIn, createSignInThrottle } from '../domain/people/user/sign-in.service.js';
import { discardContent, readContent, stageContent } from '../domain/software/app/content.service.js';
import type { LiveTimes } from '../graphql/live/limits.js';
import type { Graphql, GraphqlOptions } from '../graphql/server.js';
import { createFileBodyReader } from '../http/body/file-body.js';
import { createUploadReader } from '../http/body/multipart.js';
import { Uploads, type UploadStorage } from '../http/body/uploads.js';
import { monitoringRoutes } from '../http/monitoring/health.js';
import type { ClientLimits } from '../http/request.js';
import { createRequestCounter, rateLimit } from '../http/server/admission.js';
import { createHttpApp } from '../http/server/http-app.js';
import type { Timeouts } from '../http/server/listen.js';
import { nameSessionCookie } from '../http/session-cookie.js';
import { createPlaces } from '../platform/client-limits.js';
import { HOUR } from '../platform/clock.js';
import type { Config } from '../platform/config/config.js';
import type { Mailer } from '../platform/mail.js';
import type { Outgoing } from '../platform/outgoing.js';
import type { Authenticator } from '../platform/requests.js';
import { SpoolFiles } from '../platform/spool.js';
import type { WindowStores } from '../platform/windows.js';
import { docsHandlers } from '../rest/docs.js';
import { createIngestRouter, stoppingProblem } from '../rest/lines.js';
import { createOpenApi } from '../rest/openapi/openapi.js';
import { createV1Router, type RestOptions } from '../rest/v1.js';
import { consoleHandlers, withConsoleDocuments } from './console.js';
import { createExportRouter } from './exports.js';
import { createRoutes, surfacesOf } from './routes.js';
import { createTerminals, type TerminalParts } from './terminals.js';

export interface HttpHandlerParts extends TerminalParts {
  readonly config: Config;
  readonly database: Database;
  readonly tokenSecret: string;
  readonly timeouts: Timeouts;
  readonly liveTimes: Partial<LiveTimes>;
  readonly graphiqlToken: () => string | null;
  readonly limits: ClientLimits;
  readonly outgoing: Outgoing;
  readonly mail: Mailer;
}

/** REST, GraphQL, documentation and monitoring, behind one rate limit: everything that is served over HTTP. */
export function createHttpHandlers(parts: HttpHandlerParts) {
  const { config, clock, monitoring, onError } = parts;
  const windows = parts.database.windows(clock);
  const { bodyMs } = parts.timeouts;
  const stopping = new AbortController();
  const terminals = createTerminals(parts, stopping.signal, bodyMs);
  const services = createServices(parts, terminals.authenticator, bodyMs);
  const { countRateLimited } = monitoring.metrics;
  const count = createRequestCounter(config.rateLimitPerHour, clock, windows, HOUR, countRateLimited);
  const { signIn, sessions } = createSigning(parts, windows);
  const routes = createRoutes(signIn);
  const docs = docsHandlers(() => createOpenApi(surfacesOf(routes, terminals.routes)));
  const shared = { ...services, count, sessions, onError, stopping: stopping.signal };
  const graphql = deferGraphql(() => createGraphqlSurface(parts, shared));
  const listener = createHttpApp({
    trustProxy: config.trustProxy,
    allowedOrigins: config.allowedOrigins,
    secure: config.tls !== null,
    limits: parts.limits,
    observers: monitoring.observers,
    uncounted: monitoringRoutes({ ...monitoring.handlers, ...docs, ...consoleHandlers(config) }),
    rateLimit: rateLimit(count, sessions),
    v1: createV1Router(routes, services),
    terminal: terminals.router,
    ingest: createIngestRouter(transactionIngest, shared),
    exports: createExportRouter(graphql.sendExport, parts),
    graphql,
    onError,
  });
  return {
    listener: nameSessionCookie(listener, parts.tokenSecret),
    /** Loads GraphQL; its requests wait until that is done. */
    load: graphql.load,
    /** Ends WebSockets and event streams; gives their running operations up to `graceMs`. */
    stop: async (graceMs: number): Promise<void> => {
      stopping.abort(stoppingProblem());
      await Promise.all([graphql.stop(graceMs), terminals.stop()]);
    },
    noteSeen: terminals.noteSeen,
    store: terminals.store,
  };
}

/** Signing in, for tokens and for sessions, with the limits that they share. */
function createSigning(
  { units, clock, onError, tokenSecret, mail }: HttpHandlerParts,
  windows: WindowStores,
) {
  const parts = { units, passwords: createPasswords(), throttle: createSignInThrottle(windows) };
  const sessions = createSessions({ ...parts, clock, onError, mail });
  return { sessions, signIn: createSignIn({ ...parts, tokenSecret }) };
}

function createServices(
  { config, units, database }: HttpHandlerParts,
  authenticator: Authenticator,
  bodyMs: number,
): RestOptions & Pick<UploadStorage, 'spool'> & Pick<GraphqlOptions, 'readUpload'> {
  const spools = openSpools(config, database);
  const storage: UploadStorage = {
    spool: (companyId) => spools.open(companyId),
    stage: (caller, content) => stageContent(units, caller, content),
    discard: (caller, content) => discardContent(units, caller, content),
  };
  // A single instance, so that its limits apply to the whole server.
  const uploads = new Uploads(storage, { maxFileBytes: config.maxFileBytes, bodyMs });
  const readUpload = createUploadReader(uploads);
  return {
    units,
    authenticator,
    spool: storage.spool,
    readUpload,
    readFileBody: createFileBodyReader(uploads, readUpload),
    bodyMs,
    places: createPlaces(),
    readContent: (companyId, contentId) => readContent(units, companyId, contentId),
    storedResponses: { find: findStoredResponse, store: storeResponse },
  };
}

const LEAST_SPOOL_BYTES = 256 * 1024 * 1024;

/** Temporary files of uploads, beside the database: temporary folders are often in memory. */
function openSpools({ maxFileBytes }: Config, database: Database): SpoolFiles {
  const maxBytesOfCompany = Math.max(LEAST_SPOOL_BYTES, 2 * maxFileBytes);
  return new SpoolFiles({
    path: database.spoolPath,
    maxBytesOfCompany,
    maxBytes: 4 * maxBytesOfCompany,
    requireRoom: () => database.admit('other'),
  });
}

/** GraphQL, half of what a server loads, is loaded once it listens. Requests that come before wait for it. */
function deferGraphql(create: () => Promise<Graphql>): Graphql & { readonly load: () => Promise<Graphql> } {
  let loading: Promise<Graphql> | undefined;
  const load = (): Promise<Graphql> => (loading ??= create());
  return {
    load,
    handler: async (...request) => (await load()).handler(...request),
    post: async (...request) => (await load()).post(...request),
    // Express recognizes an error handler by its four parameters.
    refuse: async (error, request, response, next) => (await load()).refuse(error, request, response, next),
    sendExport: async (...asked) => (await load()).sendExport(...asked),
    // If it could not be loaded, there is nothing to end.
    stop: async (graceMs) => (await loading?.catch(() => undefined))?.stop(graceMs),
  };
}

/** Mutations whose responses show a secret that is not stored. */
const SECRET_MUTATIONS = [
  'apiTokenCreate',
  'apiTokenRenew',
  'memberAdd',
  'memberInvite',
  'passwordReset',
  'passkeyAdd',
  'recoveryCodesRenew',
  'deviceTokenIssue',
  'exportStart',
  'webhookCreate',
  'webhookSecretRotate',
];
/** Mutations that set the cookie of a session, change what it is for, or ask for what may begin one. */
const SESSION_MUTATIONS = [
  'signIn',
  'signInByLink',
  'signInByPasskey',
  'passkeyOptions',
  'passkeyRemove',
  'passwordSetByLink',
  'passwordRequest',
  'emailChange',
  'emailConfirm',
  'companySwitch',
  'passwordChange',
];

async function createGraphqlSurface(
  parts: HttpHandlerParts,
  shared: ReturnType<typeof createServices> &
    Pick<GraphqlOptions, 'count' | 'sessions' | 'stopping' | 'onError'>,
): Promise<Graphql> {
  const { config, tokenSecret, timeouts, liveTimes, monitoring } = parts;
  // Before type-graphql, which the built program loads before the first line of schema.ts.
  await import('reflect-metadata');
  const { createSchema } = await import('./graphql/schema.js');
  const { createGraphql } = await import('../graphql/server.js');
  return await createGraphql({
    ...shared,
    schema: await createSchema(),
    sensitiveMutations: [...SECRET_MUTATIONS, ...SESSION_MUTATIONS, 'apiTokenRevoke'],
    secretMutations: [...SECRET_MUTATIONS, ...SESSION_MUTATIONS],
    outgoing: parts.outgoing,
    tokenSecret,
    development: config.graphqlDevelopment,
    usesPlans: config.graphqlPlans,
    countQuery: monitoring.metrics.countQuery,
    graphiqlToken: parts.graphiqlToken,
    allowList: withConsoleDocuments(config.graphqlAllowList),
    maxContentBytes: config.maxFileBytes,
    limits: parts.limits,
    observer: monitoring.observeOperations,
    clock: parts.clock,
    liveTimes: { idleMs: timeouts.idleMs, ...liveTimes },
  });
}
