import * as g from '../../../graphql/index.js';
import { DomainError } from '../../../platform/errors.js';
import type { Browser, Caller, Role as RoleName } from '../../../platform/requests.js';
import { signInByLink } from './account-link.service.js';
import { PasskeyUse } from './passkey-sign-in.service.js';
import type { SecondFactorNeeded, SignedIn } from './session.model.js';
import * as service from './session.service.js';
import { Role } from './user.graphql.js';
import type { CompanyMembership } from './user.model.js';
import { viewerOf, ViewerType } from './viewer.graphql.js';

const SessionType = g.objectType<
  Omit<service.ListedSession, 'id' | 'companyId' | 'userId'> & { readonly id: string }
>('Session', 'A sign-in of the user to the console.', {
  id: g.id('Global id, for `sessionEnd`.'),
  createdAt: g.instant('When the user signed in. The session ends seven days later.'),
  lastUsedAt: g.instant(
    'When the session was last used, with an error of up to five minutes. It ends twelve hours later.',
  ),
  ip: g.text('IP address of the sign-in.'),
  userAgent: g.text.orNull('What the browser said about itself. Null if it said nothing.'),
  current: g.flag('Whether it is the session of the request.'),
});

const shown = (session: service.ListedSession) => ({ ...session, id: g.globalId('Session', session.id) });

interface NamedCompany {
  readonly id: string;
  readonly name: string;
}

const CompanyName = g.objectType<NamedCompany>('CompanyName', 'A company that the user is a member of.', {
  id: g.id('Global id, for `companySwitch`.'),
  name: g.text('Name.'),
});

export const ViewerCompany = g.objectType<{ readonly company: NamedCompany; readonly role: RoleName }>(
  'ViewerCompany',
  'A company with the role of the user in it.',
  {
    company: g.object(CompanyName, 'The company.'),
    role: g.choice(Role, 'What the user may do in the company.'),
  },
);

export const shownCompany = ({
  companyId,
  companyName: name,
  role,
}: Pick<CompanyMembership, 'companyId' | 'companyName' | 'role'>) => ({
  company: { id: g.globalId('Company', companyId), name },
  role,
});

export const VIEWER = {
  viewer: g.object.orNull(ViewerType, 'The caller from now on. Null if nothing was changed.'),
};

/** A mutation without a unit of work of the caller's company. `run` returns the fields of the payload. */
export const pageMutation = <F extends g.Fields>(
  name: string,
  description: string,
  args: F,
  payload: g.Fields,
  run: (ctx: g.GraphqlContext, args: g.ValuesOf<F>) => Promise<object>,
  within: Parameters<typeof g.payload>[1] = [],
): g.GraphqlModule =>
  g.mutation(name, {
    field: g.object(g.payloadType(`${name.charAt(0).toUpperCase()}${name.slice(1)}`, payload), description),
    args,
    resolve: (_source, ctx, given) => g.payload(() => run(ctx, given), within),
  });

/** A mutation after which the request goes on as the caller that `run` returns. */
export const sessionMutation = <F extends g.Fields>(
  name: string,
  args: F,
  description: string,
  run: (ctx: g.GraphqlContext, args: g.ValuesOf<F>) => Promise<Caller | SecondFactorNeeded>,
  more: g.Fields = {},
) =>
  pageMutation(name, description, args, { ...VIEWER, ...more }, async (ctx, given) => {
    const result = await run(ctx, given);
    ctx.counters.hasChanged = true;
    if ('secondFactor' in result) return result;
    ctx.become(result);
    return { viewer: viewerOf(ctx.caller) };
  });

export const partsOf = ({ services }: g.GraphqlContext): service.SessionParts =>
  (services.sessions as service.Sessions).parts;

/** The browser of the request. Errors: `forbidden` for programs. */
export function browserOf({ request: { page } }: g.GraphqlContext): Browser {
  if (page !== null) return page.browser;
  throw new DomainError('forbidden', 'Only a page of this server can do this.');
}

type SignIn = (parts: service.SessionParts, from: Browser) => Promise<SignedIn | SecondFactorNeeded>;

/** Signs in the browser of the request, and gives it the cookie. Errors: `forbidden` for programs. */
export async function startSession(
  ctx: g.GraphqlContext,
  signIn: SignIn,
): Promise<Caller | SecondFactorNeeded> {
  const { page } = ctx.request;
  if (page === null) {
    throw new DomainError('forbidden', 'Only a page of this server can sign in; a program uses a token.');
  }
  const signedIn = await signIn(partsOf(ctx), { ...page.browser, earlier: ctx.caller });
  if ('secondFactor' in signedIn) return signedIn;
  page.setCookie(signedIn.cookie);
  return signedIn.caller;
}

export const ONLY_FIELD =
  'Needs no token, from a page of this server, as the only field of the operation. Sets a cookie that scripts cannot read. A session that the browser had ends.';

const SecondFactorInput = g.inputType(
  'SecondFactorInput',
  'What a user with passkeys shows besides the password: exactly one of its fields.',
  {
    passkey: g.json.orNull('Response of `get` of `navigator.credentials` to the options, as JSON.'),
    recoveryCode: g.text.orNull('A recovery code that was not used yet, in any letter case.'),
  },
);

const signIn = sessionMutation(
  'signIn',
  {
    email: g.text('E-mail address, in any letter case.'),
    password: g.text('Password.'),
    secondFactor: g.object.orNull(SecondFactorInput, 'For users with passkeys. Ignored for all others.'),
  },
  `Begins a session of the console, in the company of the last one or of the oldest membership. INVALID for every wrong combination. ${ONLY_FIELD}`,
  (ctx, given) => startSession(ctx, (parts, from) => new PasskeyUse(parts, from).signInByPassword(given)),
  {
    secondFactor: g.json.orNull(
      'Options for `navigator.credentials.get`, if the password is right and the user has passkeys: sign in again with the response, or with a recovery code. Null otherwise.',
    ),
  },
);

const companySwitch = sessionMutation(
  'companySwitch',
  { companyId: g.id('Global id of another company of the user.') },
  'Moves the session to another company of the user. Subscriptions of the session end, and requests that name the company before fail with OTHER_COMPANY. FORBIDDEN for tokens.',
  ({ caller, services }, { companyId }) =>
    services.units.systemWrite(caller, (work) =>
      service.switchCompany(work, caller, g.numberIn('Company', companyId) ?? 0),
    ),
);

const passwordChange = sessionMutation(
  'passwordChange',
  { current: g.text('The current password.'), new: g.text('The new password. 12 to 128 characters.') },
  'Changes the password of the user, and ends all other sessions of the user. Tokens stay valid. FORBIDDEN for tokens.',
  async (ctx, given) => {
    await service.changePassword(partsOf(ctx), ctx.caller, given);
    return ctx.caller;
  },
);

const signOut = g.ownMutation('SignOut', {
  description: 'Ends the session of the request, and removes its cookie. FORBIDDEN for tokens.',
  args: {},
  payload: {},
  scope: null,
  run: async (work, _args, { caller, request: { page } }) => {
    await service.endSession(work, caller.sessionId ?? 0, 'sign_out');
    work.afterCommit(() => page?.setCookie(null));
    return {};
  },
});

const sessionEnd = g.ownMutation('SessionEnd', {
  description:
    'Ends a session of the user: its requests and subscriptions fail from now on. FORBIDDEN for tokens.',
  args: { id: g.id('Global id of the session.') },
  payload: { endedId: g.id.orNull('Global id of the ended session. Null if none was ended.') },
  scope: null,
  run: async (work, { id }) => {
    await service.endSession(work, g.idOf('Session', id));
    return { endedId: id };
  },
});

const preferencesSet = g.ownMutation('PreferencesSet', {
  description: 'Replaces what the console keeps for the user, in all companies. FORBIDDEN for tokens.',
  args: { preferences: g.json('An object of at most 16 KB as JSON.') },
  payload: VIEWER,
  scope: null,
  within: [],
  run: async (work, { preferences }, { caller }) => {
    await service.setPreferences(work, { preferences });
    return { viewer: viewerOf(caller) };
  },
});

export const sessionGraphql = g.graphqlModule(
  signIn,
  sessionMutation(
    'signInByLink',
    { code: g.text('Code of the link.') },
    `Begins a session by the code of a link, once. ${ONLY_FIELD}`,
    (ctx, { code }) => startSession(ctx, (parts, from) => signInByLink(parts, code, from)),
  ),
  signOut,
  sessionEnd,
  companySwitch,
  passwordChange,
  preferencesSet,
  g.fields(ViewerType, {
    session: g.computed(
      g.object.orNull(SessionType, 'The session of the request. Null with a token.'),
      async (_viewer, ctx) => (await sessionsOf(ctx)).find(({ current }) => current) ?? null,
    ),
    sessions: g.computed(
      g.object.list(
        SessionType,
        'Sessions of the user in all companies, the last used first. Empty with a token.',
      ),
      (_viewer, ctx) => sessionsOf(ctx),
    ),
    companies: g.computed(
      g.object.list(
        ViewerCompany,
        'Companies that the user can switch to: that of the last session, then the oldest first. With a token its own only.',
      ),
      async (_viewer, { caller, services }) => {
        const companies = await services.units.systemRead((work) => service.listOwnCompanies(work, caller));
        return companies.map(shownCompany);
      },
    ),
    preferences: g.computed(
      g.json('What the console keeps for the user: an object, empty at first.'),
      (_viewer, { caller, services }) =>
        services.units.systemRead((work) => service.findPreferences(work, caller.userId)),
    ),
  }),
);

async function sessionsOf({ caller, services }: g.GraphqlContext) {
  return (await services.units.systemRead((work) => service.listSessions(work, caller))).map(shown);
}
