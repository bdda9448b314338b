import { DAY, MINUTE } from '../../../platform/clock.js';
import { invalid } from '../../../platform/errors.js';
import { normalized } from '../../../platform/encoding/text.js';
import type { Credentials, SignInNetwork, SignInState } from './sign-in.model.js';
import { MAX_PASSWORD } from '../user.model.js';

/** From one network, for one account. */
const FAILURES_UNTIL_LOCK = 10;
const LOCK_MS = 30 * MINUTE;
/** From all networks that are new to an account. */
const NEW_NETWORK_FAILURES = 100;
const NEW_NETWORK_PERIOD_MS = DAY;

/** An account, and the network from which someone signs in. */
export interface Attempted {
  readonly account: SignInState;
  readonly network: SignInNetwork;
}

/** Whether no password is accepted from the network (contract 25; decisions.md#members). */
export function isLocked({ account, network }: Attempted, now: Date): boolean {
  if (network.lockedUntil !== null && network.lockedUntil > now) return true;
  return (
    network.signedInAt === null && account.failedSignIns >= NEW_NETWORK_FAILURES && isCounting(account, now)
  );
}

/** One more wrong password. Those from a locked network change nothing. */
export function afterFailure(attempted: Attempted, now: Date): Attempted {
  if (isLocked(attempted, now)) return attempted;
  const network = failedFrom(attempted.network, now);
  const account = network.signedInAt === null ? failedAnew(attempted.account, now) : attempted.account;
  const ends = [account.lockedUntil, network.lockedUntil];
  if (isLocked({ account, network: { ...network, lockedUntil: null } }, now)) ends.push(endOfPeriod(account));
  return { network, account: { ...account, lockedUntil: latest(ends) } };
}

/**
 * A right password from a network that is not locked. The count of failures from new networks stays: otherwise each sign-in
 * of the user would allow more guesses.
 */
export function afterSuccess({ account }: Attempted, now: Date): Attempted {
  const isOver = account.lockedUntil !== null && account.lockedUntil <= now;
  return {
    account: isOver ? { ...account, lockedUntil: null } : account,
    network: { signedInAt: now, failedSignIns: 0, lockedUntil: null },
  };
}

function failedFrom({ signedInAt, ...network }: SignInNetwork, now: Date): SignInNetwork {
  const failedSignIns = (network.lockedUntil === null ? network.failedSignIns : 0) + 1;
  const lockedUntil = failedSignIns < FAILURES_UNTIL_LOCK ? null : new Date(now.getTime() + LOCK_MS);
  return { signedInAt, failedSignIns, lockedUntil };
}

function failedAnew(account: SignInState, now: Date): SignInState {
  if (!isCounting(account, now)) return { ...account, failedSignIns: 1, failedSince: now };
  return { ...account, failedSignIns: account.failedSignIns + 1 };
}

function isCounting(account: SignInState, now: Date): boolean {
  const end = endOfPeriod(account);
  return end !== null && end > now;
}

function endOfPeriod({ failedSince }: SignInState): Date | null {
  return failedSince && new Date(failedSince.getTime() + NEW_NETWORK_PERIOD_MS);
}

function latest(dates: readonly (Date | null)[]): Date | null {
  return dates.reduce((last, date) => (last === null || (date !== null && date > last) ? date : last), null);
}

/**
 * What is tried, in this order: the literal values, and after them, where the request was labelled as a form,
 * the percent-decoded ones (contract 25). Errors: `invalid` for a password that is too long either way.
 */
export function credentialsToTry(given: Credentials, labelledAsForm: boolean): readonly Credentials[] {
  const decoded = { email: percentDecoded(given.email), password: percentDecoded(given.password) };
  const differs = decoded.email !== given.email || decoded.password !== given.password;
  const fitting = (labelledAsForm && differs ? [given, decoded] : [given]).filter(
    ({ password }) => Array.from(password).length <= MAX_PASSWORD,
  );
  if (fitting.length === 0) throw invalid('password', `must have at most ${MAX_PASSWORD} characters`);
  return fitting.map(({ email, password }) => ({ email, password: normalized(password) }));
}

/** Decodes what is percent-encoded UTF-8 and leaves everything else, a single % too, as it is. */
function percentDecoded(text: string): string {
  return text.replace(/(?:%[0-9a-f]{2})+/gi, (encoded) => {
    try {
      return decodeURIComponent(encoded);
    } catch {
      return encoded;
    }
  });
}
