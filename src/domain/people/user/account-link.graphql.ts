import * as g from '../../../graphql/index.js';
import { requireScope } from '../../../platform/requests.js';
import * as service from './account-link.service.js';
import {
  answerInvitation,
  type Invited,
  MAX_INVITED,
  selectAsked,
  selectInvitations,
  selectLinked,
  withdrawInvitation,
} from './member.service.js';
import * as session from './session.graphql.js';
import { browserOf, pageMutation, partsOf, sessionMutation, startSession } from './session.graphql.js';
import { MEMBER, memberAt, Role, UserType } from './user.graphql.js';
import { UserAdd } from './user.model.js';
import { viewerOf, ViewerType } from './viewer.graphql.js';

const MemberAddInput = g.inputOf('MemberAddInput', UserAdd, {
  description: 'Fields of a new member.',
  enums: { role: Role },
  descriptions: {
    email: 'E-mail address to sign in with, in any letter case. At most 254 characters.',
    name: 'Full name. 1 to 255 characters. Other companies of the same user do not see it.',
    role: 'What the user may do in the company.',
    timeZone: 'IANA time zone, for example America/Sao_Paulo. Defaults to "UTC".',
  },
});

const NEW_MEMBER = g.object(MemberAddInput, 'Fields of the new member.');
const ADDED = {
  user: g.object.orNull(UserType, 'The new member. Null if none was added.'),
  member: MEMBER,
  askedEmail: g.text.orNull(
    'Address of a user of other companies who was asked to become a member, in the console and by e-mail. Null if nobody was asked.',
  ),
};

const memberAdd = g.ownMutation('MemberAdd', {
  description:
    'Adds a user to the company. Creates the account if there is none with this e-mail address, and shows its password once. A user of other companies is asked, and becomes a member by `invitationAccept`. Requires the scope ADMIN.',
  args: { input: NEW_MEMBER },
  payload: {
    ...ADDED,
    initialPassword: g.text.orNull(
      'Password of a new user, which is shown only here. Null if none was added, and for a user who has an account already: the password stays what it is.',
    ),
  },
  scope: 'admin',
  // A password is made whether or not it is needed.
  prepare: (ctx) => partsOf(ctx).passwords.initial(),
  run: async (work, { input }, ctx, { password, hash }) => {
    const added = await service.inviteMember(work, input, hash, partsOf(ctx).mail, false);
    return { ...added, initialPassword: added.isNewAccount ? password : null };
  },
});

const LINK = g.text.orNull(
  'Address of a page to choose a password, once, within 72 hours. Shown only here, and e-mailed where the server sends e-mails. A path if the server has no PUBLIC_URL. Null if nothing was changed, and for a user who has or must keep a password of other companies.',
);

const memberInvite = g.ownMutation('MemberInvite', {
  description:
    'Adds a user to the company. A new account gets a link to choose its password; a user of other companies is asked, as by `memberAdd`. Requires the scope ADMIN.',
  args: { input: NEW_MEMBER },
  payload: { ...ADDED, link: LINK },
  scope: 'admin',
  // A random password that is not shown: it is replaced when the link is used.
  prepare: (ctx) => partsOf(ctx).passwords.initial(),
  run: (work, { input }, ctx, { hash }) => service.inviteMember(work, input, hash, partsOf(ctx).mail, true),
});

const passwordReset = g.ownMutation('PasswordReset', {
  description:
    'Makes a link with which a member chooses a new password; the old one works until then. An earlier link ends. The link of a member of several companies is e-mailed only. Requires the scope ADMIN.',
  args: {
    userId: g.id('Global id of the user.'),
    removePasskeys: {
      ...g.flag.orNull(
        'Whether using the link removes the passkeys and recovery codes of a person who has lost them. Not for members of several companies.',
      ),
      defaultValue: false,
    },
  },
  payload: { link: LINK },
  scope: 'admin',
  within: [],
  run: async (work, { userId, removePasskeys }, ctx) => {
    const member = await memberAt(work, userId);
    return { link: await service.resetPassword(work, member, partsOf(ctx).mail, removePasskeys === true) };
  },
});

const ONLY_FIELD = 'Needs no token, from a page of this server, as the only field of the operation.';

const passwordSetByLink = sessionMutation(
  'passwordSetByLink',
  { code: g.text('Code of the link.'), password: g.text('The new password. 12 to 128 characters.') },
  `Sets the password by the code of a link, once, ends all sessions of the user and begins a new one, but for users with passkeys, who sign in with one then: \`viewer\` is null. ${ONLY_FIELD} Sets a cookie that scripts cannot read.`,
  (ctx, { code, password }) =>
    startSession(ctx, (parts, from) => service.setPasswordByLink(parts, code, password, from)),
);

const passwordRequest = pageMutation(
  'passwordRequest',
  `E-mails a link to choose a new password, at most one in five minutes. The answer is the same if there is no such account. ${ONLY_FIELD}`,
  { email: g.text('E-mail address, in any letter case.') },
  {},
  async (ctx, { email }) => {
    await service.requestPassword(partsOf(ctx), email, browserOf(ctx));
    return {};
  },
);

const emailChange = pageMutation(
  'emailChange',
  'E-mails a link to a new address of the user, which is the address once the link is opened, within 72 hours. FORBIDDEN for tokens.',
  { email: g.text('The new address.'), password: g.text('The password of the user.') },
  {},
  async (ctx, given) => {
    await service.requestEmail(partsOf(ctx), ctx.caller, given);
    return {};
  },
);

const emailConfirm = pageMutation(
  'emailConfirm',
  `Changes the e-mail address of a user by the code of a link, once. ${ONLY_FIELD}`,
  { code: g.text('Code of the link.') },
  { email: g.text.orNull('The address of the user from now on. Null if nothing was changed.') },
  async (ctx, { code }) => ({ email: await service.confirmEmail(partsOf(ctx), code, browserOf(ctx)) }),
);

/** Accepts or declines the invitation of a company. The session stays in its own. */
const answer = (name: string, description: string, isAccepted: boolean) =>
  pageMutation(
    name,
    `${description} FORBIDDEN for tokens.`,
    { id: g.id('Global id of the company.') },
    session.VIEWER,
    async ({ caller, services: { units } }, { id }) => {
      const of = g.idOf('Company', id);
      await units.systemWrite(caller, (work) => answerInvitation(work, caller, of, isAccepted), of);
      return { viewer: viewerOf(caller) };
    },
  );

const invitations = g.computed(
  g.object.list(
    session.ViewerCompany,
    'Companies that ask the user to become a member, with the role there. Empty with a token.',
  ),
  async (_viewer: unknown, { caller, services: { units } }) => {
    if (caller.sessionId === undefined) return [];
    const open = await units.systemRead((work) => selectInvitations(work, caller.userId));
    return open.map((of) => session.shownCompany({ ...of, role: of.membership.role }));
  },
);

const Invitation = g.objectType<Invited>(
  'Invitation',
  'A person who was invited to the company and has not joined yet.',
  {
    email: g.text('E-mail address.'),
    name: g.text('Full name, as the invitation has it.'),
    role: g.choice(Role, 'What the person may do in the company.'),
    isMember: g.flag(
      'Whether it is a new account, which is a member already. False for a person with an account, who becomes a member by `invitationAccept`.',
    ),
    invitedAt: g.instant('When the person was invited, or was sent the last link.'),
    expiresAt: g.instant.orNull(
      'When the link to choose a password ends; may be past. Null for a person with an account, who can answer at any time.',
    ),
  },
);

const openInvitations = g.query('invitations', {
  field: g.nullable(
    g.object.list(
      Invitation,
      `People who were invited and have not joined yet: up to ${MAX_INVITED} with an account and ${MAX_INVITED} new accounts, newest first. Adds ${2 * MAX_INVITED} records to the cost of the operation. Requires the scope ADMIN; null without it.`,
    ),
  ),
  counts: 2 * MAX_INVITED,
  resolve: async (_source, { caller, services: { units } }) => {
    requireScope(caller, 'admin');
    return await units.systemRead(async (work) => [
      ...(await selectAsked(work, caller.companyId)),
      ...(await selectLinked(work, caller.companyId)),
    ]);
  },
});

const invitationWithdraw = g.ownMutation('InvitationWithdraw', {
  description:
    'Withdraws the invitation of a person who has an account; `memberRemove` removes a new account. Requires the scope ADMIN.',
  args: { email: g.text('E-mail address of the person who was asked.') },
  payload: { email: g.text.orNull('The address. Null if nothing was changed.') },
  scope: 'admin',
  within: [],
  run: async (work, given) => {
    await withdrawInvitation(work, given);
    return { email: given.email };
  },
});

export const accountLinkGraphql = g.graphqlModule(
  answer('invitationAccept', 'Accepts the invitation of a company: the user becomes a member.', true),
  answer('invitationDecline', 'Declines the invitation of a company.', false),
  g.fields(ViewerType, { invitations }),
  openInvitations,
  invitationWithdraw,
  memberAdd,
  memberInvite,
  passwordReset,
  passwordSetByLink,
  passwordRequest,
  emailChange,
  emailConfirm,
);
