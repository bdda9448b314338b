import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import {
  afterFailure,
  afterSuccess,
  type Attempted,
  credentialsToTry,
  isLocked,
} from '../../../../src/domain/people/user/sign-in.rules.js';
import {
  NEW_NETWORK,
  type SignInNetwork,
  type SignInState,
} from '../../../../src/domain/people/user/user.model.js';
import { DAY, HOUR, MINUTE } from '../../../../src/platform/clock.js';

const email = 'ana@acme.example';

describe('credentialsToTry', () => {
  it.each([
    ['one%2Bone', ['one%2Bone', 'one+one']],
    ['50%%2B50%', ['50%%2B50%', '50%+50%']],
    ['%C3%A9', ['%C3%A9', 'é']],
    ['%FF%2B', ['%FF%2B']],
    ['no encoding + here', ['no encoding + here']],
  ])('of %s that was labelled as a form', (password, tried) => {
    expect(credentialsToTry({ email, password }, true).map((each) => each.password)).toEqual(tried);
  });

  it('never decodes what was not labelled as a form', () => {
    expect(credentialsToTry({ email: 'a%2Bb', password: '%2B' }, false)).toEqual([
      { email: 'a%2Bb', password: '%2B' },
    ]);
  });

  it('measures each form by itself', () => {
    const password = '%2B'.repeat(128);
    expect(credentialsToTry({ email, password }, true)).toEqual([{ email, password: '+'.repeat(128) }]);
    expect(() => credentialsToTry({ email, password }, false)).toThrow('not valid');
  });

  it('tries at most two, and what is encoded comes back', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 40, unit: 'grapheme' }), (password) => {
        const tried = credentialsToTry({ email, password: encodeURIComponent(password) }, true);
        expect(tried.length).toBeLessThanOrEqual(2);
        expect(tried.at(-1)?.password).toBe(password.normalize('NFC'));
      }),
    );
  });
});

describe('afterFailure', () => {
  const start = new Date('2026-01-01T00:00:00Z');
  const after = (milliseconds: number): Date => new Date(start.getTime() + milliseconds);
  const account: SignInState = { failedSignIns: 0, failedSince: null, lockedUntil: null };
  const known: SignInNetwork = { ...NEW_NETWORK, signedInAt: start };
  const fail = (attempted: Attempted, times: number, at = start): Attempted => {
    let state = attempted;
    for (let n = 0; n < times; n += 1) state = afterFailure(state, at);
    return state;
  };

  it.each([
    ['new', NEW_NETWORK],
    ['known', known],
  ])(
    'locks a %s network at the tenth, never before, and for as long whatever comes after',
    (_which, network) => {
      const nine = fail({ account, network }, 9);
      expect(isLocked(nine, start)).toBe(false);
      const locked = afterFailure(nine, start);
      expect(locked.network.lockedUntil).toEqual(after(30 * MINUTE));
      expect(locked.account.lockedUntil).toEqual(after(30 * MINUTE));
      expect(afterFailure(locked, after(30 * MINUTE - 1))).toEqual(locked);
      expect(isLocked(locked, after(30 * MINUTE))).toBe(false);
      const next = afterFailure(locked, after(30 * MINUTE));
      expect(next.network).toEqual({ ...network, failedSignIns: 1 });
    },
  );

  it('locks all new networks at the hundredth within a day, and none that is known', () => {
    let state = account;
    const failOnce = (at: Date): void => {
      state = afterFailure({ account: state, network: NEW_NETWORK }, at).account;
    };
    for (let n = 0; n < 99; n += 1) failOnce(after(n * MINUTE));
    expect(isLocked({ account: state, network: NEW_NETWORK }, after(HOUR))).toBe(false);
    failOnce(after(2 * HOUR));
    expect(state).toEqual({ failedSignIns: 100, failedSince: start, lockedUntil: after(DAY) });
    expect(isLocked({ account: state, network: NEW_NETWORK }, after(DAY - 1))).toBe(true);
    expect(isLocked({ account: state, network: known }, after(2 * HOUR))).toBe(false);
    failOnce(after(DAY - 1));
    expect(state.failedSignIns).toBe(100);
    expect(isLocked({ account: state, network: NEW_NETWORK }, after(DAY))).toBe(false);
    failOnce(after(DAY));
    expect(state).toMatchObject({ failedSignIns: 1, failedSince: after(DAY) });
  });

  it('of a known network counts for this network alone', () => {
    expect(fail({ account, network: known }, 9).account).toEqual(account);
  });

  it('counts on after a success, so that nobody gets more guesses by the sign-ins of the user', () => {
    const failed = fail({ account, network: NEW_NETWORK }, 9);
    expect(afterSuccess(failed, start)).toEqual({ account: failed.account, network: known });
    const locked = fail(failed, 1);
    expect(afterSuccess(locked, after(MINUTE)).account.lockedUntil).toEqual(after(30 * MINUTE));
    expect(afterSuccess(locked, after(30 * MINUTE)).account.lockedUntil).toBeNull();
  });
});
