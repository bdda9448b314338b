import type { RequestListener } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';

import type { Units } from '../database/work.js';
import { findStoredResponse, storeResponse } from '../domain/base/idempotency-key/idempotency-key.service.js';
import { transactionIngest } from '../domain/payments/transaction/transaction.rest.js';
import { createAuthenticator } from '../domain/people/access-token/authentication.service.js';
import { createPasswords, type Passwords } from '../domain/people/user/password.service.js';
import { createSignIn, createSignInThrottle } from '../domain/people/user/sign-in.service.js';
import { discardContent, readContent, stageContent } from '../domain/software/content/content.service.js';
import type { LiveTimes } from '../graphql/live/limits.js';
import type { Graphql } from '../graphql/server.js';
import { createBase64BodyReader } from '../http/body/base64-body.js';
import { createUploadReader } from '../http/body/multipart.js';
import type { BodyRate } from '../http/body/receive.js';
import { Uploads, type UploadStorage } from '../http/body/uploads.js';
import { monitoringRoutes } from '../http/monitoring/health.js';
import type { ClientLimits } from '../http/request-context.js';
import { createHttpApp } from '../http/server/http-app.js';
import type { Timeouts } from '../http/server/listen.js';
import { createRequestCounter, rateLimit, type CountRequest } from '../http/server/requests.js';
import type { Authenticator } from '../platform/caller.js';
import type { Clock } from '../platform/clock.js';
import type { DispatchRate } from '../platform/concurrency/dispatch-rate.js';
import { createLargeReads } from '../platform/concurrency/semaphore.js';
import type { Config } from '../platform/config/config.js';
import type { WindowStores } from '../platform/limits/windows.js';
import type { SpoolFiles } from '../platform/storage/spool.js';
import { docsHandlers } from '../rest/docs.js';
import { createIngestRouter, stoppingProblem } from '../rest/lines.js';
import { createOpenApi } from '../rest/openapi/openapi.js';
import { createV1Router, type RestOptions } from '../rest/v1.js';
import type { Monitoring } from './monitoring.js';
import { createRoutes, surfacesOf } from './routes.js';
import { createTerminals, type Terminals } from './terminals.js';

export interface HttpHandlerParts {
  readonly config: Config;
  readonly clock: Clock;
  readonly units: Units;
  /** Rate at which notifications are sent to terminals, over all transports. */
  readonly pace: DispatchRate;
  readonly spools: SpoolFiles;
  readonly tokenSecret: string;
  readonly timeouts: Timeouts;
  readonly liveTimes: Partial<LiveTimes>;
  readonly graphiqlToken: () => string | null;
  readonly limits: ClientLimits;
  readonly windows: WindowStores;
  readonly monitoring: Monitoring;
  readonly onError: (error: unknown, requestId?: string | null) => void;
}

/** Everything that the server serves over HTTP. */
export interface HttpHandlers {
  readonly listener: RequestListener;
  /** Loads GraphQL; its requests wait until that is done. */
  readonly load: () => Promise<void>;
  /** Ends WebSockets and event streams; gives their running operations up to `graceMs`. */
  readonly stop: (graceMs: number) => Promise<void>;
  /** Records that a terminal was seen other than by a request, for example over MQTT. */
  readonly noteSeen: Terminals['noteSeen'];
  /** Stores the recorded times of terminals. Call once no request is running. */
  readonly store: () => Promise<void>;
}

/** REST, GraphQL, documentation and monitoring, behind one rate limit. */
export function createHttpHandlers(parts: HttpHandlerParts): HttpHandlers {
  const { config, clock, units, monitoring, onError } = parts;
  const bodyRate = { windowMs: parts.timeouts.bodyMs };
  const stopping = new AbortController();
  const access = createAuthenticator(units, clock, onError);
  const terminals = createTerminals({ ...parts, stopping: stopping.signal }, access, bodyRate);
  const { authenticator } = terminals;
  const count = requestCounter(parts);
  const services = createServices(parts, authenticator, bodyRate);
  const passwords = createPasswords();
  const rest = createRest(parts, services, passwords, terminals);
  const graphql = deferGraphql(() => createGraphqlSurface(parts, services, { count, passwords }));
  const listener = createHttpApp({
    trustProxy: config.trustProxy,
    allowedOrigins: config.allowedOrigins,
    secure: config.tls !== null,
    limits: parts.limits,
    observers: monitoring.observers,
    uncounted: monitoringRoutes({ ...monitoring.handlers, ...rest.docs }),
    rateLimit: rateLimit(count),
    v1: rest.router,
    terminal: terminals.router,
    ingest: createIngestRouter(transactionIngest, {
      units,
      authenticator,
      bodyRate,
      onError,
      stopping: stopping.signal,
    }),
    graphql,
    onError,
  });
  const stop = async (graceMs: number): Promise<void> => {
    stopping.abort(stoppingProblem());
    await Promise.all([graphql.stop(graceMs), terminals.stop()]);
  };
  const { noteSeen, store } = terminals;
  return { listener, load: graphql.load, stop, noteSeen, store };
}

function createServices(
  parts: HttpHandlerParts,
  authenticator: Authenticator,
  bodyRate: BodyRate,
): RestOptions {
  const { units } = parts;
  const uploads = createUploads(parts, bodyRate);
  return {
    units,
    authenticator,
    readUpload: createUploadReader(uploads),
    readBase64Body: createBase64BodyReader(uploads),
    bodyRate,
    largeReads: createLargeReads(),
    waiting: parts.limits.waiting,
    readContent: (companyId, contentId) => readContent(units, companyId, contentId),
    storedResponses: { find: findStoredResponse, store: storeResponse },
  };
}

/** A single instance, so that its limits apply to the whole server. */
function createUploads({ config, units, spools }: HttpHandlerParts, rate: BodyRate): Uploads {
  const storage: UploadStorage = {
    spool: (companyId) => spools.open(companyId),
    stage: (caller, content) => stageContent(units, caller, content),
    discard: (caller, content) => discardContent(units, caller, content),
  };
  return new Uploads(storage, { maxFileBytes: config.maxFileBytes, rate });
}

function createRest(
  { units, windows, tokenSecret }: HttpHandlerParts,
  services: RestOptions,
  passwords: Passwords,
  terminals: Terminals,
) {
  const signIn = createSignIn({
    units,
    passwords,
    throttle: createSignInThrottle(windows),
    tokenSecret,
  });
  const routes = createRoutes(signIn);
  const router = createV1Router(routes, services);
  return { router, docs: docsHandlers(() => createOpenApi(surfacesOf(routes, terminals.routes))) };
}

/** Mutations whose responses show a secret that is not stored. */
const SECRET_MUTATIONS = ['apiTokenCreate', 'apiTokenRenew', 'memberAdd', 'deviceTokenIssue'];

interface DeferredGraphql extends Graphql {
  /** Loads it, unless that was done before. Rejects with what `create` rejects with. */
  readonly load: () => Promise<void>;
}

/**
 * GraphQL that is loaded once the server listens: with its schema, it is half of what a server loads.
 * Requests that come before wait for it.
 */
function deferGraphql(create: () => Promise<Graphql>): DeferredGraphql {
  let loaded: Graphql | undefined;
  let loading: Promise<Graphql> | undefined;
  const load = async (): Promise<Graphql> => (loaded = await (loading ??= create()));
  const use = <T>(handle: (graphql: Graphql) => T): T | Promise<T> =>
    loaded === undefined ? load().then(handle) : handle(loaded);
  return {
    load: async () => void (await load()),
    handler: (...request) => use(({ handler }) => void handler(...request)),
    post: (...request) => use(({ post }) => void post(...request)),
    // Express recognizes an error handler by its four parameters.
    refuse: (error, request, response, next) =>
      use(({ refuse }) => void refuse(error, request, response, next)),
    stop: async (graceMs) => {
      // If it could not be loaded, there is nothing to end.
      await loading?.catch(() => undefined);
      await loaded?.stop(graceMs);
    },
  };
}

/** Modules of GraphQL, in an order in which each loads in less than 50 ms; requests are served in between. */
const GRAPHQL_PARTS: readonly (() => Promise<unknown>)[] = [
  () => import('reflect-metadata'),
  () => import('graphql'),
  () => import('../graphql/schema/scalars.js'),
  () => import('type-graphql'),
  () => import('../graphql/index.js'),
  () => import('../domain/payments/transaction/recording/transaction-recording.graphql.js'),
  () => import('./graphql/graphql-modules.js'),
  () => import('../graphql/live/sockets.js'),
  () => import('../graphql/http/operations.js'),
  () => import('../graphql/server.js'),
];

async function loadGraphqlParts(): Promise<void> {
  for (const load of GRAPHQL_PARTS) {
    await nextTurn();
    await load();
  }
  await nextTurn();
}

async function createGraphqlSurface(
  {
    config,
    clock,
    tokenSecret,
    timeouts,
    liveTimes,
    limits,
    graphiqlToken,
    monitoring,
    onError,
  }: HttpHandlerParts,
  services: RestOptions,
  { count, passwords }: { readonly count: CountRequest; readonly passwords: Passwords },
): Promise<Graphql> {
  await loadGraphqlParts();
  const { createSchema } = await import('./graphql/schema.js');
  const schema = await createSchema();
  await nextTurn();
  const { createGraphql } = await import('../graphql/server.js');
  return await createGraphql({
    ...services,
    schema,
    sensitiveMutations: [...SECRET_MUTATIONS, 'apiTokenRevoke'],
    secretMutations: SECRET_MUTATIONS,
    secrets: { tokenSecret, newPassword: passwords.initial },
    development: config.graphqlDevelopment,
    graphiqlToken,
    allowList: config.graphqlAllowList,
    maxContentBytes: config.maxFileBytes,
    onError,
    limits,
    count,
    observer: monitoring.observeOperations,
    clock,
    liveTimes: { idleMs: timeouts.idleMs, ...liveTimes },
  });
}

/** Counts HTTP requests and operations over sockets against one limit per client. */
function requestCounter({ config, clock, windows, monitoring }: HttpHandlerParts): CountRequest {
  const count = createRequestCounter(config.rateLimitPerHour, clock, windows);
  return (address) => {
    const counted = count(address);
    if (counted !== null && counted.retryAfter !== null) monitoring.metrics.countRateLimited();
    return counted;
  };
}
