import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { credentialsToTry } from '../../../../src/domain/people/user/sign-in.rules.js';

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
