import * as g from '../../../graphql/index.js';
import * as service from './account-link.service.js';
import { answerInvitation, selectInvitations } from './member.service.js';
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
        'Whether the use of the link removes the passkeys and recovery codes of a person who has lost them. Not for members of several companies.',
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

/** Answers the question of a company. The session stays in its own. */
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

export const accountLinkGraphql = g.graphqlModule(
  answer('invitationAccept', 'Makes the user a member of a company that has asked.', true),
  answer('invitationDecline', 'Ends the question of a company.', false),
  g.fields(ViewerType, { invitations }),
  memberAdd,
  memberInvite,
  passwordReset,
  passwordSetByLink,
  passwordRequest,
  emailChange,
  emailConfirm,
);
