import type { SystemWriteWork, Units, WriteWork } from '../../../database/work.js';
import { MINUTE } from '../../../platform/clock.js';
import { type DomainError, invalidRecord } from '../../../platform/errors.js';
import type { Mail, Mailer } from '../../../platform/mail.js';
import { type Browser, type Caller, requireSession, LOCAL_ORIGIN } from '../../../platform/requests.js';
import { parse } from '../../../platform/validate.js';
import { randomToken } from '../access-token/access-token.model.js';
import { addOrAsk, isInOthers } from './member.service.js';
import * as codes from './one-time-code.repository.js';
import { removePasskeys, selectPasskeys } from './passkey.service.js';
import type { SecondFactorNeeded, SignedIn } from './session.model.js';
import { type SessionParts, startSession } from './session.service.js';
import { attemptByCaller, pageRequest } from './sign-in.service.js';
import { type Account, EmailChoice, type Member } from './user.model.js';
import { findAccountByEmail, getAccount, selectMemberships } from './user.repository.js';
import { changeEmail, getUser, recordOfUser, setPassword } from './user.service.js';

/** A second e-mail to set a password is sent after this time only. */
const PAUSE_MS = 5 * MINUTE;

/** Purpose of a link that is sent to a person: to set a password, or to confirm an e-mail address. */
type SentKind = 'password' | 'email';

/** A link before it has a code. */
interface NewLink extends Pick<codes.OneTimeCode, 'email' | 'removesPasskeys'> {
  readonly userId: number;
  readonly kind: SentKind;
}

const ANCHORS: Readonly<Record<SentKind, string>> = { password: 'set-password', email: 'confirm-email' };

/** Address of the page that uses the code of a link; a path if the server does not know its own address. */
const addressOf = ({ publicUrl }: Mailer, kind: SentKind, code: string): string =>
  `${publicUrl}/console#${ANCHORS[kind]}=${code}`;

/** Subject and sentence of an e-mail, in English and in Portuguese. */
const LETTERS = {
  invitation: [
    ['Your account', 'You have been invited. Choose your password within 72 hours:'],
    ['Sua conta', 'Você foi convidado. Escolha sua senha em até 72 horas:'],
  ],
  question: [
    ['An invitation', 'A company asks you to become a member. Sign in to accept or decline:'],
    ['Um convite', 'Uma empresa convida você a ser membro. Entre para aceitar ou recusar:'],
  ],
  password: [
    ['A new password', 'Choose a new password within 72 hours. If you did not ask for it, do nothing:'],
    ['Nova senha', 'Escolha uma nova senha em até 72 horas. Se você não a pediu, não faça nada:'],
  ],
  email: [
    ['Your e-mail address', 'Confirm within 72 hours that this is your new address:'],
    ['Seu endereço de e-mail', 'Confirme em até 72 horas que este é o seu novo endereço:'],
  ],
  changing: [
    [
      'Your e-mail address',
      'Your account is about to get another e-mail address. If this is not you, change your password:',
    ],
    ['Seu endereço de e-mail', 'Sua conta vai receber outro endereço. Se não foi você, troque sua senha:'],
  ],
} as const;

function letter(kind: keyof typeof LETTERS, to: string, address: string): Mail {
  const [[subject, english], [assunto, portuguese]] = LETTERS[kind];
  return { to, subject: `${subject} / ${assunto}`, text: `${english}\n${portuguese}\n\n${address}\n` };
}

/** Makes a link; an earlier one of the same kind ends. Resolves to its code. `by` is the acting user. */
async function issue(work: SystemWriteWork, link: NewLink, by: number): Promise<string> {
  const code = randomToken();
  const { userId, kind, email, removesPasskeys } = link;
  // Locks the account: of two links that are made at the same time, one ends.
  await getAccount(work, userId);
  await codes.deleteCodes(work, userId, kind);
  await codes.saveCodes(work, link, [code]);
  const after = { link: kind, email, removesPasskeys };
  const event = { action: 'issue', entityType: 'user', before: null, after } as const;
  await recordOfUser(work, userId, event, () => Promise.resolve({ userId: by }));
  return code;
}

/**
 * Adds a member or asks a person, like `addOrAsk`, who is told by e-mail. With `byLink`, a new account gets a link to
 * set its password, which is e-mailed too. Errors: `invalid`, `taken`.
 */
export async function inviteMember(
  work: WriteWork,
  input: unknown,
  passwordHash: string,
  mail: Mailer,
  byLink: boolean,
) {
  const { member, ...added } = await addOrAsk(work, input, passwordHash);
  const { isNewAccount, askedEmail } = added;
  if (askedEmail !== null) {
    work.afterCommit(() => mail.send(letter('question', askedEmail, `${mail.publicUrl}/console`)));
  }
  const link = member && isNewAccount && byLink ? await passwordLink(work, member, mail, 'invitation') : null;
  return { user: member, member, ...added, link };
}

const NEW_PASSWORD = { kind: 'password', email: null, removesPasskeys: false } as const;

/** A link to set a new password. Errors: `invalid` for members of several companies, without e-mails or with passkeys. */
export async function resetPassword(
  work: WriteWork,
  member: Member,
  mail: Mailer,
  removesPasskeys: boolean,
): Promise<string | null> {
  const isShared = await isInOthers(work, member);
  if (isShared && (removesPasskeys || !mail.isOn)) {
    throw invalidRecord('{email} is a member of other companies too: {advice}.', {
      email: member.email,
      advice: 'the operator of the server can set the password',
    });
  }
  const link = await passwordLink(work, member, mail, 'password', removesPasskeys);
  // An administrator of one company must not get into the others.
  return isShared ? null : link;
}

async function passwordLink(
  work: WriteWork,
  { id: userId, email }: Member,
  mail: Mailer,
  kind: 'invitation' | 'password',
  removesPasskeys = false,
): Promise<string> {
  const given = { ...NEW_PASSWORD, userId, removesPasskeys };
  const code = await work.acrossCompanies((above) => issue(above, given, work.caller.userId));
  const address = addressOf(mail, 'password', code);
  work.afterCommit(() => mail.send(letter(kind, email, address)));
  return address;
}

/** Makes a code that signs a user in, once, within 10 minutes, in a browser on the machine of the server. */
export async function createSignInCode(units: Units, userId: number): Promise<string> {
  const code = randomToken();
  await units.systemWrite(LOCAL_ORIGIN, (work) => codes.saveCodes(work, { kind: 'sign_in', userId }, [code]));
  return code;
}

/** Signs in by a code that was given out, once. Errors: `invalid`, `too_many_attempts`. */
export async function signInByLink(parts: SessionParts, code: string, from: Browser): Promise<SignedIn> {
  return await useLink(parts, 'sign_in', from.isLocal ? code : '', from, async (work, account) =>
    account.disabledAt === null ? await startSession(work, account, from) : undefined,
  );
}

/** Sets the password by the code of a link, once, and signs in who has no passkey. Errors: as by `signInByLink`, `busy`. */
export async function setPasswordByLink(
  parts: SessionParts,
  code: string,
  password: string,
  from: Browser,
): Promise<SignedIn | SecondFactorNeeded> {
  await requireLink(parts, 'password', code, from);
  const passwordHash = await parts.passwords.hash(password);
  return await useLink(parts, 'password', code, from, async (work, account, { removesPasskeys }) => {
    const { id: userId } = account;
    // The user may have become a member of another company since.
    const { length } = await selectMemberships(work, [userId]);
    if (removesPasskeys && length === 1) await removePasskeys(work, userId, userId);
    await setPassword(work, account, passwordHash, userId);
    if (account.disabledAt !== null) return undefined;
    const passkeys = await selectPasskeys(work, userId);
    return passkeys.length > 0 ? { secondFactor: null } : await startSession(work, account, from);
  });
}

/** Changes the address by the code of a link, once. Resolves to the new one. Errors: as by `signInByLink`. */
export async function confirmEmail(parts: SessionParts, code: string, from: Browser): Promise<string> {
  return await useLink(parts, 'email', code, from, async (work, account, { email }) =>
    email === null ? undefined : (await changeEmail(work, account, email, account.id)).email,
  );
}

type LinkKind = SentKind | 'sign_in';

const ended = (kind: LinkKind): DomainError =>
  invalidRecord(
    kind === 'sign_in'
      ? 'The link was used, is older than 10 minutes or is from another machine.'
      : 'The link was used, was replaced by a later one, is older than 72 hours, or the account was changed since.',
  );

/** Resolves to the user of a link. Errors: `invalid` if the code is of no link, which counts like a wrong password. */
async function requireLink(
  { units, throttle }: SessionParts,
  kind: LinkKind,
  code: string,
  { ip }: Browser,
): Promise<number> {
  await throttle.check(ip);
  const userId = await units.systemRead((work) => codes.findUserOfCode(work, kind, code));
  if (userId != null) return userId;
  await throttle.countFailure(ip);
  throw ended(kind);
}

/** Ends a link and does what it is for, in one unit. */
async function useLink<T>(
  parts: SessionParts,
  kind: LinkKind,
  code: string,
  from: Browser,
  use: (work: SystemWriteWork, account: Account, link: codes.OneTimeCode) => Promise<T | undefined>,
): Promise<T> {
  const userId = await requireLink(parts, kind, code, from);
  return await parts.units.systemWrite(pageRequest(from), async (work) => {
    // Locks the account first, as every change of it does that ends its codes.
    const account = await getAccount(work, userId);
    const link = await codes.takeCode(work, kind, code);
    const result = link && (await use(work, account, link));
    if (result === undefined) throw ended(kind);
    return result;
  });
}

function requireMail({ isOn }: Mailer): void {
  if (isOn) return;
  const advice = 'ask an administrator of your company';
  throw invalidRecord('This server sends no e-mail: {advice}.', { advice });
}

/**
 * Sends a link to set a new password. Counts like a wrong password, and answers the same, in the same time, whether or
 * not there is such an account. Errors: `invalid`, `too_many_attempts`.
 */
export async function requestPassword(
  { units, throttle, mail, onError }: SessionParts,
  email: string,
  from: Browser,
): Promise<void> {
  requireMail(mail);
  await throttle.check(from.ip);
  await throttle.countFailure(from.ip);
  const answered = units.systemWrite(pageRequest(from), async (work) => {
    const account = await findAccountByEmail(work, email);
    if (account === undefined || account.disabledAt !== null) return;
    const [last] = await codes.selectCodes(work, account.id, 'password');
    if (last !== undefined && work.now.getTime() - last.createdAt.getTime() < PAUSE_MS) return;
    const code = await issue(work, { ...NEW_PASSWORD, userId: account.id }, account.id);
    work.afterCommit(() => mail.send(letter('password', account.email, addressOf(mail, 'password', code))));
  });
  answered.catch(onError);
}

/** Sends a link to a new address. Errors: `invalid`, `too_many_attempts`, `busy`, `forbidden` for tokens. */
export async function requestEmail(
  parts: SessionParts,
  caller: Caller,
  { email, password }: { readonly email: string; readonly password: string },
): Promise<void> {
  const { units, mail } = parts;
  requireSession(caller);
  requireMail(mail);
  const wanted = parse(EmailChoice, { email }).email;
  const { email: present } = await units.read(caller, (work) => getUser(work, caller.userId));
  await attemptByCaller(parts, caller, { password, field: 'password' }, async (work, { id }) => {
    const code = await issue(work, { ...NEW_PASSWORD, userId: id, kind: 'email', email: wanted }, id);
    work.afterCommit(() => {
      mail.send(letter('email', wanted, addressOf(mail, 'email', code)));
      mail.send(letter('changing', present, `${mail.publicUrl}/console`));
    });
    return code;
  });
}
