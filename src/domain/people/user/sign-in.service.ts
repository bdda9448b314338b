import type { SystemWriteWork, Units } from '../../../database/work.js';
import { clientNetwork } from '../../../platform/client-limits.js';
import { MINUTE, SECOND } from '../../../platform/clock.js';
import { DomainError, invalid } from '../../../platform/errors.js';
import type { Caller, Origin } from '../../../platform/requests.js';
import { rule } from '../../../platform/rules.js';
import { isObject, parse } from '../../../platform/validate.js';
import { createNetworkCounter, type WindowStores } from '../../../platform/windows.js';
import { ensureDerivedTokens } from '../access-token/access-token.service.js';
import type { Passwords, Verify } from './password.service.js';
import { afterFailure, afterSuccess, credentialsToTry, isLocked } from './sign-in.rules.js';
import { type Account, type Credentials, NEW_NETWORK, SignInInput } from './user.model.js';
import * as store from './user.repository.js';
import { getUser, recordOfUser, type UserEvent } from './user.service.js';

export interface SignInRequest extends Origin {
  readonly ip: string;
  /** The request had the content type of a form, so texts in its JSON may be percent-encoded. */
  readonly labelledAsForm: boolean;
}

export const pageRequest = ({ ip, requestId }: Pick<SignInRequest, 'ip'> & { readonly requestId: string }) =>
  ({ channel: 'interface', ip, requestId, labelledAsForm: false }) as const;

export type SignIn = ReturnType<typeof createSignIn>;

export interface AttemptParts {
  readonly units: Units;
  readonly passwords: Pick<Passwords, 'inTurn'>;
  readonly throttle: ReturnType<typeof createSignInThrottle>;
}

/** Gives something for a correct password. Undefined: the attempt fails like one with a wrong password. */
export type Grant<T> = (work: SystemWriteWork, account: Account) => Promise<T | undefined>;

/**
 * Exchanges e-mail address and password for a token of each company of the user, ordered by its name. Errors:
 * `invalid`; `unauthenticated`, the same for an unknown e-mail, a wrong password, a locked and a disabled
 * account; `too_many_attempts`; `busy`.
 */
export function createSignIn({ tokenSecret, ...parts }: AttemptParts & { readonly tokenSecret: string }) {
  return (input: unknown, request: SignInRequest) =>
    attempt(parts, input, request, async (work, account) => {
      await recordSignedIn(work, account, request.ip);
      return await tokensOf(work, tokenSecret, account.id);
    });
}

/** Checks e-mail address and password, and grants something in the unit of work that records the attempt. */
export async function attempt<T>(
  { units, passwords, throttle }: AttemptParts,
  input: unknown,
  { labelledAsForm, ...origin }: SignInRequest,
  grant: Grant<T>,
): Promise<T> {
  const credentials = credentialsToTry(parse(SignInInput, input), labelledAsForm);
  await throttle.check(origin.ip);
  const granted = await passwords.inTurn(async (verify) => {
    // Other attempts may have failed while this one waited.
    await throttle.check(origin.ip);
    const tried = await tryAll(units, verify, credentials);
    const answer = await units.systemWrite(origin, (work) => settle(work, grant, tried, origin.ip));
    if (answer === undefined) await throttle.countFailure(origin.ip);
    return answer;
  });
  if (granted === undefined) throw new DomainError('unauthenticated', WRONG_CREDENTIALS);
  return granted;
}

/** Like `attempt`, with the password of the caller. `field` is the argument that has it. Errors: also `invalid`. */
export async function attemptByCaller<T>(
  parts: AttemptParts,
  caller: Caller,
  { password, field }: { readonly password: string; readonly field: string },
  grant: Grant<T>,
): Promise<T> {
  const { email } = await parts.units.read(caller, (work) => getUser(work, caller.userId));
  const request = pageRequest({ ip: caller.ip ?? 'unknown', requestId: caller.requestId ?? '' });
  try {
    return await attempt(parts, { email, password }, request, grant);
  } catch (error) {
    const isWrong =
      error instanceof DomainError &&
      (error.code === 'unauthenticated' || error.details.fields?.password !== undefined);
    throw isWrong ? invalid(field, 'is not the password of the user') : error;
  }
}

/** Like `attempt`, where `grant` checks what the user has shown instead of a password. Undefined if it failed. */
export async function attemptWithoutPassword<T>(
  { units, throttle }: AttemptParts,
  userId: number | undefined,
  { labelledAsForm: _, ...origin }: SignInRequest,
  grant: Grant<T>,
): Promise<T | undefined> {
  await throttle.check(origin.ip);
  const granted = await units.systemWrite(origin, async (work) => {
    const match = userId === undefined ? undefined : await store.getAccount(work, userId);
    return await settle(work, grant, { match, wrong: [undefined] }, origin.ip);
  });
  if (granted === undefined) await throttle.countFailure(origin.ip);
  return granted;
}

export async function replacing<T>(
  use: () => Promise<T>,
  by: (error: DomainError) => DomainError,
): Promise<T> {
  try {
    return await use();
  } catch (error) {
    const isWrong = error instanceof DomainError && ['invalid', 'unauthenticated'].includes(error.code);
    throw isWrong ? by(error) : error;
  }
}

export const WRONG_CREDENTIALS = rule('The e-mail address or the password is wrong.');

/** The account of the first right guess, and of each wrong one, in a time that does not reveal whether there is one. */
async function tryAll(units: Units, verify: Verify, credentials: readonly Credentials[]) {
  const wrong: (Account | undefined)[] = [];
  for (const { email, password } of credentials) {
    const account = await units.systemRead((work) => store.findAccountByEmail(work, email));
    if (await verify(account?.passwordHash, password)) return { match: account, wrong };
    wrong.push(account);
  }
  return { match: undefined, wrong };
}

type Tried = Awaited<ReturnType<typeof tryAll>>;

/** Records every attempt, so that all take the same time. Undefined if it failed. */
async function settle<T>(work: SystemWriteWork, grant: Grant<T>, { match, wrong }: Tried, ip: string) {
  if (match !== undefined) return await enter(work, grant, match, ip);
  for (const account of wrong) {
    if (account === undefined) await saveNothing(work, clientNetwork(ip));
    else await fail(work, account.id, clientNetwork(ip));
  }
  if (wrong.every((account) => account === undefined)) {
    work.ledger.append({ action: 'sign_in_failed', entityType: 'sign_in', entityId: null, companyId: null });
  }
  return undefined;
}

/** Signs in after a correct password. Undefined if it does not, or no longer, open the account. */
async function enter<T>(work: SystemWriteWork, grant: Grant<T>, seen: Account, ip: string) {
  const network = clientNetwork(ip);
  const account = await store.getAccount(work, seen.id);
  const { id } = account;
  if (account.passwordHash !== seen.passwordHash) {
    await fail(work, id, network);
    return undefined;
  }
  const attempted = { account, network: await store.findNetwork(work, id, network) };
  if (account.disabledAt !== null || isLocked(attempted, work.now)) {
    await saveNothing(work, network);
    await record(work, id, { action: 'sign_in_refused' });
    return undefined;
  }
  const granted = await grant(work, account);
  if (granted === undefined) await fail(work, id, network);
  else if (!isHalf(granted)) await store.saveAttempt(work, id, network, afterSuccess(attempted, work.now));
  return granted;
}

/** True if a second factor is asked for, so that the attempt has neither failed nor succeeded yet. */
const isHalf = (granted: unknown): boolean => isObject(granted) && 'secondFactor' in granted;

export async function recordSignedIn(work: SystemWriteWork, account: Account, ip: string): Promise<void> {
  const { id } = account;
  const signInCount = account.signInCount + 1;
  await store.updateUser(work, account, { signInCount, lastSignInAt: work.now, lastSignInIp: ip });
  await store.recordSignIn(work, id, ip);
  await record(work, id, { action: 'sign_in', userId: id });
}

/** No user has this id: what is saved for it changes nothing, but takes as long as for a user. */
const NO_USER = 0;
const NO_FAILURES = { failedSignIns: 0, failedSince: null, lockedUntil: null };

async function saveNothing(work: SystemWriteWork, network: string): Promise<void> {
  await store.saveAttempt(work, NO_USER, network, { account: NO_FAILURES, network: NEW_NETWORK });
}

async function fail(work: SystemWriteWork, userId: number, network: string): Promise<void> {
  const account = await store.getAccount(work, userId);
  const before = { account, network: await store.findNetwork(work, userId, network) };
  const wasLocked = isLocked(before, work.now);
  const state = afterFailure(before, work.now);
  // A locked attempt stores nothing, or each new network would add a row.
  if (wasLocked) await saveNothing(work, network);
  else await store.saveAttempt(work, userId, network, state);
  await record(work, userId, { action: 'sign_in_failed' });
  if (wasLocked || !isLocked(state, work.now)) return;
  const { lockedUntil } = state.account;
  await record(work, userId, { action: 'sign_in_locked', after: { lockedUntil } });
}

async function tokensOf(work: SystemWriteWork, tokenSecret: string, userId: number) {
  const memberships = (await store.selectMemberships(work, [userId])).filter((of) => of.disabledAt === null);
  const companyIds = memberships.map((membership) => membership.companyId);
  const tokens = await ensureDerivedTokens(work, tokenSecret, { userId, companyIds });
  return memberships.map(({ companyId, companyName }) => ({
    companyId,
    companyName,
    token: tokens.get(companyId) ?? '',
  }));
}

const record = (work: SystemWriteWork, userId: number, event: Omit<UserEvent, 'entityType'>): Promise<void> =>
  recordOfUser(work, userId, { entityType: 'sign_in', ...event });

/** Holds back a network after 30 failed sign-ins in 10 minutes, whatever the accounts (contract 25). */
export function createSignInThrottle(windows: WindowStores) {
  const failures = createNetworkCounter({ name: 'sign-in', points: 30, windowMs: 10 * MINUTE }, windows);
  return {
    /** Errors: `too_many_attempts`. */
    check: async (ip: string): Promise<void> => {
      await failures.exchange(ip);
      const { isFull, msLeft } = failures.read(ip);
      if (!isFull) return;
      throw new DomainError('too_many_attempts', 'Too many failed sign-ins: wait before trying again.', {
        retryAfter: Math.max(1, Math.ceil(msLeft / SECOND)),
      });
    },
    countFailure: async (ip: string): Promise<void> => {
      failures.count(ip);
      // Without delay: otherwise an attacker could try as often on each node before the other nodes know the
      // failures.
      await failures.exchange(ip);
    },
  };
}
