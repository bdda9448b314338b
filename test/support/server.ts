import { afterAll, afterEach, beforeAll, beforeEach, inject, onTestFinished } from 'vitest';

import { createServer, type Server, type ServerOverrides } from '../../src/app/server.js';
import { drawIds, NUMBERED_TABLES } from '../../src/database/statements.js';
import type { SystemWriteWork } from '../../src/database/work.js';
import { getToken, revokeToken } from '../../src/domain/people/access-token/access-token.service.js';
import type { Config } from '../../src/platform/config/config.js';
import { createLogger } from '../../src/platform/logger.js';
import type { Caller, Role, Scope } from '../../src/platform/requests.js';
import './checked-fetch.js';
import { closeIdleConnections, createClient, type Client } from './client.js';
import { testClock } from './clock.js';
import { ownSecret, testConfig } from './config.js';
import { newDatabase } from './databases/place.js';
import { metricOf } from './gauges.js';
import { createGraphql, type Graphql } from './graphql.js';
import { addMember } from './members.js';

export { SYSTEM } from './members.js';
export { fileForm, type Client, type Fields, type Reply, type RequestOptions } from './client.js';

export interface Member {
  readonly caller: Caller;
  readonly token: string;
  readonly client: Client;
  readonly graphql: Graphql;
}

const OF_TOKENS = /^update "(?:access_tokens|sessions)" set "last_used_at"|[.]"?token_hash"? (?:=|in) /;
/** When terminals were seen, and refused, is stored in the background. */
const OF_SIGHTINGS = /set last_seen_at|insert into terminal_refusals/;
export const withoutSightings = (statements: readonly string[]): readonly string[] =>
  statements.filter((sql) => !OF_SIGHTINGS.test(sql));
const OF_NODES =
  /^\s*select [^]+ from (?:notification_targets\s+where|jobs\s+where ended_at is null and|rollouts\s+where due_at is not null and due_at <= \S+ and) company_id > /;
/** Ids of records of beta are greater. */
export const IDS_BEFORE_BETA = 1_000_000;
export const COMPANIES = { acme: 'Acme Pagamentos', beta: 'Beta Cards' } as const;

export type TestServer = Awaited<ReturnType<typeof startServer>>;

/**
 * Starts a server in this process, on an empty database of its own. Without `background`, webhooks get nothing, and
 * housekeeping runs when a test calls it.
 */
export async function startServer(
  overrides: Partial<Config> = {},
  parts: Pick<
    ServerOverrides,
    'timeouts' | 'lostLogLines' | 'live' | 'graphiqlToken' | 'examining' | 'resolveName' | 'background'
  > = {},
) {
  const place = await newDatabase();
  const logs: string[] = [];
  const clock = testClock();
  const app = await createServer(
    testConfig(place.url, overrides),
    createLogger('info', { write: (l) => void logs.push(l) }),
    { clock, background: false, ...parts },
  );
  const url = await app.start();
  let members = 0;

  /** Adds a user to a company; without a time zone, in UTC. */
  const member = async (
    company: 'acme' | 'beta',
    role: Role,
    scopes?: readonly Scope[],
    timeZone?: string,
  ): Promise<Member> => {
    const email = `${role}${++members}@${company}.example`;
    const given = { email, role, ...(scopes && { scopes }), ...(timeZone !== undefined && { timeZone }) };
    const onNew = company === 'beta' ? partIds : undefined;
    const { caller, token } = await addMember(app.units, COMPANIES[company], given, onNew);
    return { caller, token, client: createClient(url, token), graphql: createGraphql(url, token) };
  };

  return {
    url,
    app,
    clock,
    place,
    logs,
    /** Admins of two companies, with tokens of every scope. */
    acme: await member('acme', 'admin'),
    beta: await member('beta', 'admin'),
    /** Client without a token. */
    anonymous: createClient(url, null),
    member,
    /** Revokes the token of a member. */
    revoke: ({ caller }: Pick<Member, 'caller'>) =>
      app.units.write(caller, async (work) => revokeToken(work, await getToken(work, caller.tokenId ?? 0))),
    /** One value of the metrics, by its name with its labels; NaN where there is none. */
    metric: (name: string) => metricOf(url, name),
    /**
     * Runs `use` when steps of earlier changes are done; resolves to its result and the SQL statements meanwhile, without
     * those that look up tokens, note their use, or look for work of other nodes.
     */
    statements: async <T>(use: () => Promise<T>) => {
      await app.steps.idle();
      const statements: string[] = [];
      const unwatch = app.database.watchStatements((sql) => {
        if (!OF_TOKENS.test(sql) && !OF_NODES.test(sql)) statements.push(sql);
      });
      const result = await use();
      unwatch();
      return { result, statements };
    },
    stop: async () => {
      closeIdleConnections();
      await app.stop(1_000);
      await place.remove();
    },
  };
}

/** A server for one test, at whose end it stops. */
export async function ownServer(...options: Parameters<typeof startServer>): Promise<TestServer> {
  const server = await startServer(...options);
  onTestFinished(() => server.stop());
  return server;
}

/** Records of this company get ids that no record of the other has, so that tests can ask for them in vain. */
async function partIds({ db }: SystemWriteWork, companyId: number): Promise<void> {
  for (const table of NUMBERED_TABLES) await drawIds(db, table, [{ companyId, count: IDS_BEFORE_BETA }]);
}

/** A server in this process on a database, as the command `serve` opens it, not listening yet; without a log. */
export async function openServer(
  url: string,
  onFatal?: () => void,
  settings: Partial<Config> = {},
): Promise<Server> {
  const logger = createLogger('silent', { write: () => undefined });
  const overrides = onFatal === undefined ? {} : { onFatal };
  return await createServer(testConfig(url, { tokenSecret: ownSecret(url), ...settings }), logger, overrides);
}

/** A second node on the database of a server, not listening yet; undefined for a database that has one node only. */
export async function openOtherNode(
  { place }: Pick<TestServer, 'place'>,
  settings?: Partial<Config>,
): Promise<Server | undefined> {
  return inject('database') === 'postgres' ? await openServer(place.url, undefined, settings) : undefined;
}

/**
 * A server for all tests of the file or the `describe` that calls this: starts before them and stops after them. Its
 * properties are there once the first hook or test runs.
 */
export function useServer(...options: Parameters<typeof startServer>): TestServer {
  const server = {} as TestServer;
  beforeAll(async () => void Object.assign(server, await startServer(...options)));
  afterAll(() => server.stop());
  return server;
}

/** A new server for each test; its properties are there once the next `beforeEach` or the test runs. */
export function useServerPerTest(...options: Parameters<typeof startServer>): TestServer {
  const server = {} as TestServer;
  beforeEach(async () => void Object.assign(server, await startServer(...options)));
  afterEach(() => server.stop());
  return server;
}
