import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import type { Language } from '../../../src/resources/app/app.model.js';
import { identify, identifyAnew } from '../../../src/resources/app/app.rules.js';

const SUFFIX: Record<Language, string> = { posxml: '.posxml', ruby: '.rb' };
const OTHER: Record<Language, Language> = { posxml: 'ruby', ruby: 'posxml' };
const anyLanguage = fc.constantFrom<Language>('posxml', 'ruby');
const anySuffix = fc.constantFrom('', '.rb', '.posxml', '.RB', '.Posxml', '.rb.posxml', 'rb', '.');
const anyName = fc
  .tuple(fc.string({ minLength: 1, maxLength: 20 }), anySuffix)
  .map(([stem, suffix]) => stem + suffix);

describe('the language and name of an application', () => {
  it.each<[string, Language | undefined, string, Language]>([
    ['pay', undefined, 'pay.posxml', 'posxml'],
    ['pay.posxml', undefined, 'pay.posxml', 'posxml'],
    ['pay.rb', undefined, 'pay.rb', 'ruby'],
    ['Pay.RB', undefined, 'Pay.rb', 'ruby'],
    ['pay', 'ruby', 'pay.rb', 'ruby'],
    ['pay.rb', 'ruby', 'pay.rb', 'ruby'],
    ['pay.rb', 'posxml', 'pay.rb.posxml', 'posxml'],
    ['pay.rbx', undefined, 'pay.rbx.posxml', 'posxml'],
  ])('contract 20: %s with language %s is %s in %s', (name, language, fullName, chosen) => {
    expect(identify(name, language)).toEqual({ name: fullName, language: chosen });
  });

  it('always ends in the suffix of its language and begins with what was given', () => {
    fc.assert(
      fc.property(anyName, fc.option(anyLanguage, { nil: undefined }), (name, given) => {
        const { name: fullName, language } = identify(name, given);
        expect(fullName.endsWith(SUFFIX[language])).toBe(true);
        expect(fullName.toLowerCase().startsWith(name.toLowerCase())).toBe(true);
        if (given !== undefined) expect(language).toBe(given);
      }),
    );
  });

  it('does not grow when the answered name is sent again', () => {
    fc.assert(
      fc.property(anyName, fc.option(anyLanguage, { nil: undefined }), (name, given) => {
        const once = identify(name, given);
        expect(identify(once.name)).toEqual(once);
        expect(identifyAnew(once, once.name, once.language)).toEqual(once);
      }),
    );
  });

  it('comes back when the language is changed there and back, whatever the name', () => {
    fc.assert(
      fc.property(
        anyName.filter((name) => !/[.](rb|posxml)$/i.test(name)),
        anyLanguage,
        (name, language) => {
          const first = identify(name, language);
          const second = identifyAnew(first, undefined, OTHER[language]);
          expect(second).toEqual({ name: name + SUFFIX[OTHER[language]], language: OTHER[language] });
          expect(identifyAnew(second, undefined, language)).toEqual(first);
        },
      ),
    );
  });

  it.each<[string | undefined, Language | undefined, string, Language]>([
    ['cash', undefined, 'cash.rb', 'ruby'],
    ['cash.posxml', undefined, 'cash.posxml', 'posxml'],
    ['cash', 'posxml', 'cash.posxml', 'posxml'],
    [undefined, 'posxml', 'pay.posxml', 'posxml'],
    [undefined, 'ruby', 'pay.rb', 'ruby'],
    [undefined, undefined, 'pay.rb', 'ruby'],
  ])('of a ruby application, name %s and language %s make %s in %s', (name, language, fullName, chosen) => {
    const current = { name: 'pay.rb', language: 'ruby' } as const;
    expect(identifyAnew(current, name, language)).toEqual({ name: fullName, language: chosen });
  });
});
