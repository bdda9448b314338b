import * as g from '../../../graphql/index.js';
import { PasskeyUse } from './passkey-sign-in.service.js';
import type { NamedPasskey } from './passkey.model.js';
import { countRecoveryCodes, renamePasskey, selectPasskeys } from './passkey.service.js';
import * as session from './session.graphql.js';
import { ViewerType } from './viewer.graphql.js';

const PasskeyType = g.objectType<Omit<NamedPasskey, 'id'> & { readonly id: string }>(
  'Passkey',
  'A passkey of the user (WebAuthn): in a device, a security key or a password manager.',
  {
    id: g.id('Global id, for `passkeyRename` and `passkeyRemove`.'),
    name: g.text('Name that the user gave it.'),
    createdAt: g.instant('When it was added.'),
    lastUsedAt: g.instant.orNull('When it was last used. Null before the first use.'),
  },
);

const shown = (passkey: NamedPasskey) => ({ ...passkey, id: g.globalId('Passkey', passkey.id) });

const RESPONSE = 'of `navigator.credentials`, as its `toJSON()` returns it. At most 16 KB.';
const PASSKEY = g.object.orNull(PasskeyType, 'The passkey after the change. Null if nothing was changed.');
const NAME = g.text('Name, for example of the device. 1 to 64 characters.');
const ID = { id: g.id('Global id of the passkey.') };
const RECOVERY_CODES = g.nullable(
  g.text.list(
    'Ten recovery codes, shown only here. Each stands in for a passkey once. Null if there are no new ones.',
  ),
);

const ConfirmationInput = g.inputType(
  'ConfirmationInput',
  'What shows that the user is there: exactly one of its fields.',
  {
    password: g.text.orNull('The password of the user.'),
    passkey: g.json.orNull(`Response ${RESPONSE}`),
  },
);
const CONFIRMATION = {
  confirmation: g.object(ConfirmationInput, 'Password or passkey of the user. Wrong ones count as sign-ins.'),
};

const passkeysIn = (ctx: g.GraphqlContext) => new PasskeyUse(session.partsOf(ctx), session.browserOf(ctx));

/** Errors name the arguments; a password is in `confirmation`. */
const within: Parameters<typeof g.payload>[1] = (field) =>
  field === 'password' ? ['confirmation', field] : [field];

export const passkeyGraphql = g.graphqlModule(
  session.pageMutation(
    'passkeyOptions',
    `Options for \`navigator.credentials\`, once, for five minutes: with a confirmation those of \`create\` for a new passkey, without one those of \`get\`, for the user of the session or for a sign-in. From a page of this server; without a session as the only field of the operation.`,
    { confirmation: g.nullable(CONFIRMATION.confirmation) },
    { options: g.json.orNull('The options as JSON. Null if there are none.') },
    async (ctx, { confirmation }) => ({
      options: await passkeysIn(ctx).options(ctx.caller, confirmation),
    }),
    within,
  ),
  session.pageMutation(
    'passkeyAdd',
    'Adds a passkey to the account: from now on, a sign-in by password needs a passkey or a recovery code too. FORBIDDEN for tokens.',
    { name: NAME, passkey: g.json(`Response of \`create\` ${RESPONSE}`) },
    { passkey: PASSKEY, recoveryCodes: RECOVERY_CODES },
    async (ctx, given) => {
      const { passkey, recoveryCodes } = await passkeysIn(ctx).add(ctx.caller, given);
      return { passkey: shown(passkey), recoveryCodes };
    },
  ),
  g.ownMutation('PasskeyRename', {
    description: 'Renames a passkey of the user. FORBIDDEN for tokens.',
    args: { ...ID, name: NAME },
    payload: { passkey: PASSKEY },
    scope: null,
    within: [],
    run: async (work, { id, name }) => ({
      passkey: shown(await renamePasskey(work, g.idOf('Passkey', id), { name })),
    }),
  }),
  session.pageMutation(
    'passkeyRemove',
    'Removes a passkey of the user; with the last one, the recovery codes. FORBIDDEN for tokens.',
    { ...ID, ...CONFIRMATION },
    { removedId: g.id.orNull('Global id of the passkey. Null if none was removed.') },
    async (ctx, { id, confirmation }) => {
      await passkeysIn(ctx).remove(ctx.caller, g.idOf('Passkey', id), confirmation);
      return { removedId: id };
    },
    within,
  ),
  session.pageMutation(
    'recoveryCodesRenew',
    'Makes ten recovery codes; earlier ones end. For users with a passkey. FORBIDDEN for tokens.',
    CONFIRMATION,
    { recoveryCodes: RECOVERY_CODES },
    async (ctx, { confirmation }) => ({
      recoveryCodes: await passkeysIn(ctx).renewRecoveryCodes(ctx.caller, confirmation),
    }),
    within,
  ),
  session.sessionMutation(
    'signInByPasskey',
    { passkey: g.json(`Response of \`get\` ${RESPONSE}`) },
    `Begins a session by a passkey alone, which has verified its user. ${session.ONLY_FIELD}`,
    (ctx, { passkey }) =>
      session.startSession(ctx, (parts, from) => new PasskeyUse(parts, from).signIn(passkey)),
  ),
  g.fields(ViewerType, {
    passkeys: g.computed(
      g.object.list(PasskeyType, 'Passkeys of the user, the oldest first. Empty with a token.'),
      async (_viewer, { caller, services }) => {
        if (caller.sessionId === undefined) return [];
        return (await services.units.systemRead((work) => selectPasskeys(work, caller.userId))).map(shown);
      },
    ),
    recoveryCodesLeft: g.computed(
      g.int('Recovery codes of the user that were not used. 0 with a token.'),
      async (_viewer, { caller, services }) =>
        caller.sessionId === undefined
          ? 0
          : await services.units.systemRead((work) => countRecoveryCodes(work, caller.userId)),
    ),
  }),
);
