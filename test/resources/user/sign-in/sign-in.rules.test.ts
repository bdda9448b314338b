import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import {
  afterFailure,
  credentialsToTry,
  isLocked,
} from '../../../../src/resources/user/sign-in/sign-in.rules.js';

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
  it('locks at the tenth, never before, and for as long whatever comes after', () => {
    const start = new Date('2026-01-01T00:00:00Z');
    let state = afterFailure({ failedSignIns: 0, lockedUntil: null }, start);
    for (let n = 2; n <= 9; n += 1) state = afterFailure(state, start);
    expect(isLocked(state, start)).toBe(false);
    const locked = afterFailure(state, start);
    expect(locked.lockedUntil).toEqual(new Date('2026-01-01T00:30:00Z'));
    expect(afterFailure(locked, new Date('2026-01-01T00:29:59Z'))).toEqual(locked);
    expect(isLocked(locked, new Date('2026-01-01T00:30:00Z'))).toBe(false);
    expect(afterFailure(locked, new Date('2026-01-01T00:30:00Z'))).toEqual({
      failedSignIns: 1,
      lockedUntil: null,
    });
  });
});
