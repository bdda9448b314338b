import * as g from '../../../graphql/index.js';
import type { Scope as ScopeName } from '../../../platform/requests.js';
import {
  type AccessToken,
  NamedTokenCreate,
  NamedTokenUpdate,
  type TokenState,
} from './access-token.model.js';
import {
  apiTokens,
  createOwnToken,
  getManagedToken,
  renameToken,
  renewToken,
  revokeToken,
} from './access-token.service.js';

export const Scope = g.enumeration<ScopeName>(
  'Scope',
  "What a token allows. It takes effect only as far as the role of the token's user allows it too.",
  {
    read: 'Reads the data of the company.',
    write: 'Changes the data of the company.',
    admin: 'Reads and manages users, tokens and the ledger.',
    ingest:
      'Records transactions and reports of devices, and nothing else. Only a token that names it has it.',
    terminals:
      'Speaks for any terminal of the company at `/terminal/v1`, and does nothing else. Only a token that names it has it.',
  },
);

const ApiTokenKind = g.enumeration<AccessToken['kind']>('ApiTokenKind', 'How a token was created.', {
  derived: 'By signing in through REST, which returns the same token at every call.',
  named: 'By `apiTokenCreate` or the command line. Its text is shown once.',
});

export const ApiTokenType = g.nodeType<AccessToken, 'companyId' | 'userId' | 'replacedById'>(
  'ApiToken',
  'An access token of a user for the company. Its text cannot be read again.',
  {
    kind: g.choice(ApiTokenKind, 'How the token was created.'),
    name: g.text.orNull('Name. Null for a token that was created by signing in.'),
    scopes: g.choice.list(
      Scope,
      "Scopes of the token. Those that the user's role does not allow have no effect.",
    ),
    lastFour: g.text('The last four characters of its text.'),
    createdAt: g.instant('When the token was created.'),
    lastUsedAt: g.instant.orNull(
      'When the token was last used, with an error of up to five minutes. Null if it was never used.',
    ),
    expiresAt: g.instant.orNull('When the token expires. Null if it does not expire at a set time.'),
    revokedAt: g.instant.orNull('When the token was revoked. Null if it was not.'),
  },
);

const ApiTokenState = g.enumeration<TokenState>('ApiTokenState', 'Whether a token works.', {
  valid: 'It works, as long as its user is a member and not disabled.',
  revoked: 'It was revoked, or replaced by a new one.',
  expired: 'It has expired, and was not revoked before.',
});

export const ApiTokenList = g.listTypes(
  apiTokens,
  ApiTokenType,
  {},
  { state: ApiTokenState },
  { state: 'Whether the token works now: by `revokedAt` and `expiresAt`.' },
);

const ApiTokenCreateInput = g.inputOf('ApiTokenCreateInput', NamedTokenCreate, {
  description: 'Fields of a new token.',
  enums: { scopes: Scope },
  descriptions: {
    name: 'Purpose of the token. 1 to 100 characters.',
    scopes:
      'Scopes of the token, out of those that the caller has. A caller with READ, WRITE and ADMIN can also give INGEST and TERMINALS. At least one.',
    expiresAt: 'When the token expires. It does not expire if this is absent or null.',
  },
});

const RIGHTS =
  'Users can do so with their own tokens that have no more scopes than the token of the request, administrators with all tokens of the company.';

/** Fields of a payload with a new token and its text; `none` says when they are null. */
const issued = (none: string) => ({
  apiToken: g.object.orNull(ApiTokenType, `The new token. Null if ${none}.`),
  token: g.text.orNull(`Text of the new token, which is shown only here. Null if ${none}.`),
});

const apiTokenCreate = g.ownMutation('ApiTokenCreate', {
  description:
    'Creates a token for the caller and shows its text once. With a token, requires the scope ADMIN; people who have signed in to the console create tokens with the scopes of their role.',
  args: { input: g.object(ApiTokenCreateInput, 'Fields of the new token.') },
  payload: issued('none was created'),
  scope: null,
  run: async (work, { input }) => {
    const { token, secret } = await createOwnToken(work, input);
    return { apiToken: token, token: secret };
  },
});

/** Argument of mutations that issue a token in place of another one. */
export const KEEP_OLD_FOR = {
  ...g.duration.orNull('Time for which the old token works beside the new one: at most 30d.'),
  defaultValue: 0,
};

const apiTokenRenew = g.ownMutation('ApiTokenRenew', {
  description:
    'Replaces a token by a new one with the same name, scopes and expiry, and shows its text once. The old one ends at once, or after `keepOldFor`, and with the new one if that is revoked. Users can renew their own tokens, administrators all of the company; none with a later expiry or more scopes than the token of the request, or than people who have signed in could give.',
  args: { id: g.id('Global id of the token to replace.'), keepOldFor: KEEP_OLD_FOR },
  payload: issued('nothing was changed'),
  scope: null,
  within: [],
  run: async (work, given, { services }) => {
    const current = await getManagedToken(work, g.idOf('ApiToken', given.id));
    const { token, secret } = await renewToken(work, services.tokenSecret, current, given.keepOldFor ?? 0);
    return { apiToken: token, token: secret };
  },
});

const ApiTokenUpdateInput = g.inputOf('ApiTokenUpdateInput', NamedTokenUpdate, {
  description: 'Changes of a token.',
  descriptions: { name: 'Purpose of the token. 1 to 100 characters.' },
});

const apiTokenUpdate = g.ownMutation('ApiTokenUpdate', {
  description: `Gives a token another name; those that were created by signing in have none. ${RIGHTS}`,
  args: {
    id: g.id('Global id of the token.'),
    input: g.object(ApiTokenUpdateInput, 'New values.'),
  },
  payload: { apiToken: g.changedRecord(ApiTokenType) },
  scope: null,
  within: (field) => (field === 'id' ? ['id'] : ['input', field]),
  run: async (work, { id, input }) => ({
    apiToken: await renameToken(work, await getManagedToken(work, g.idOf('ApiToken', id)), input),
  }),
});

export const apiTokenGraphql = g.graphqlModule(
  g.queries(ApiTokenList, {
    scope: 'admin',
    entityType: 'access_token',
    listDescription: 'All tokens of the company, expired and revoked ones included.',
  }),
  apiTokenCreate,
  apiTokenRenew,
  apiTokenUpdate,
  g.recordMutations(ApiTokenList, {
    get: getManagedToken,
    changes: {
      apiTokenRevoke: {
        description: `Revokes a token: requests with it fail from now on. ${RIGHTS}`,
        scope: null,
        run: revokeToken,
      },
    },
  }),
  g.fields(ApiTokenType, {
    replacedBy: g.one(
      ApiTokenList,
      'replacedById',
      'The token that has replaced it, beside which it works until `expiresAt`. Null if it was not renewed, or ended at once.',
    ),
  }),
);
