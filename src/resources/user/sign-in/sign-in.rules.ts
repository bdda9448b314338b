import { MINUTE } from '../../../platform/clock.js';
import { invalid } from '../../../platform/errors.js';
import { normalized } from '../../../platform/encoding/text.js';
import type { Credentials, SignInState } from './sign-in.model.js';
import { MAX_PASSWORD } from '../user.model.js';

const FAILURES_UNTIL_LOCK = 10;
const LOCK_MS = 30 * MINUTE;

export function isLocked(state: SignInState, now: Date): boolean {
  return state.lockedUntil !== null && state.lockedUntil > now;
}

/** One more failure: the tenth in a row locks, and failures while locked change nothing. */
export function afterFailure(state: SignInState, now: Date): SignInState {
  if (isLocked(state, now)) return state;
  const failedSignIns = (state.lockedUntil === null ? state.failedSignIns : 0) + 1;
  return {
    failedSignIns,
    lockedUntil: failedSignIns < FAILURES_UNTIL_LOCK ? null : new Date(now.getTime() + LOCK_MS),
  };
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
