import { DAY, MINUTE } from '../../../platform/clock.js';
import { invalid } from '../../../platform/errors.js';
import { normalized } from '../../../platform/validate.js';
import {
  type Attempted,
  type Credentials,
  MAX_PASSWORD,
  type SignInNetwork,
  type SignInState,
} from './user.model.js';

/** Wrong passwords from one network for one account until the network is locked. */
const FAILURES_UNTIL_LOCK = 10;
const LOCK_MS = 30 * MINUTE;
/** Wrong passwords from all networks that are new to an account until new networks are locked. */
const NEW_NETWORK_FAILURES = 100;
const NEW_NETWORK_PERIOD_MS = DAY;

/** True if passwords from the network are refused (contract 25; decisions.md#members). */
export function isLocked({ account, network }: Attempted, now: Date): boolean {
  if (network.lockedUntil !== null && network.lockedUntil > now) return true;
  return (
    network.signedInAt === null && account.failedSignIns >= NEW_NETWORK_FAILURES && isCounting(account, now)
  );
}

/** State after a wrong password. Attempts from a locked network change nothing. */
export function afterFailure(attempted: Attempted, now: Date): Attempted {
  if (isLocked(attempted, now)) return attempted;
  const network = failedFrom(attempted.network, now);
  const account = network.signedInAt === null ? failedAnew(attempted.account, now) : attempted.account;
  const ends = [account.lockedUntil, network.lockedUntil];
  if (isLocked({ account, network: { ...network, lockedUntil: null } }, now)) ends.push(endOfPeriod(account));
  return { network, account: { ...account, lockedUntil: latest(ends) } };
}

/** State after a correct password. Failures from new networks stay, or each sign-in would allow more guesses. */
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

/** The literal values, then decoded ones of a form (contract 25). Errors: `invalid` for long passwords. */
export function credentialsToTry(given: Credentials, labelledAsForm: boolean): readonly Credentials[] {
  const decoded = { email: percentDecoded(given.email), password: percentDecoded(given.password) };
  const differs = decoded.email !== given.email || decoded.password !== given.password;
  const fitting = (labelledAsForm && differs ? [given, decoded] : [given]).filter(
    ({ password }) => Array.from(password).length <= MAX_PASSWORD,
  );
  if (fitting.length === 0)
    throw invalid('password', 'must have at most {maximum} characters', { maximum: MAX_PASSWORD });
  return fitting.map(({ email, password }) => ({ email, password: normalized(password) }));
}

/** Decodes percent-encoded UTF-8. Everything else, for example a single %, stays unchanged. */
function percentDecoded(text: string): string {
  return text.replace(/(?:%[0-9a-f]{2})+/gi, (encoded) => {
    try {
      return decodeURIComponent(encoded);
    } catch {
      return encoded;
    }
  });
}
