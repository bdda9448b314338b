import { createNamedToken } from '../../src/domain/people/access-token/access-token.service.js';
import { HOUR } from '../../src/platform/clock.js';
import type { Scope } from '../../src/platform/requests.js';
import { answered, type Page, type UserErrorShape } from './dashboard.js';
import { createGraphql, type Graphql } from './graphql.js';
import { type Fields, type Member, SYSTEM, type TestServer } from './server.js';

export interface Token extends Fields {
  readonly id: string;
  readonly databaseId: number;
  readonly lastFour: string;
}

export interface RenewedToken {
  readonly token: string | null;
  readonly apiToken: Token | null;
  readonly userErrors: readonly UserErrorShape[];
}

export interface TokenCaller {
  readonly graphql: Graphql;
}

/** Actions on API tokens of a server, for tests; `fields` are those that are read of each token. */
export const tokenTools = (server: TestServer, fields: string) => ({
  callerWith: (token: string): TokenCaller => ({ graphql: createGraphql(server.url, token) }),
  /** Status of a request with a token. */
  statusOf: async (token: string): Promise<number> =>
    (await createGraphql(server.url, token)('{ viewer { role } }')).status,
  ownTokens: async (caller: TokenCaller): Promise<readonly Token[]> => {
    const own = `{ viewer { apiTokens(first: 100) { totalCount nodes { ${fields} } } } }`;
    return (await answered<{ viewer: { apiTokens: Page<Token> } }>(caller, own)).viewer.apiTokens.nodes;
  },
  /** A further token of a member. */
  tokenOf: async (
    { caller: { companyId, userId } }: Member,
    scopes: readonly Scope[],
    expiresAt: Date | null = null,
  ): Promise<{ readonly id: number; readonly secret: string }> => {
    const { token, secret } = await server.app.units.systemWrite(SYSTEM, (work) =>
      createNamedToken(work, { companyId, userId }, { name: 'another', scopes, expiresAt }),
    );
    return { id: token.id, secret };
  },
  inAnHour: (): Date => new Date(server.clock.now().getTime() + HOUR),
});
