import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { AppCreate, type Language } from '../../../../src/domain/software/app/app.model.js';
import { identify, identifyAnew } from '../../../../src/domain/software/app/app.service.js';

const OTHER: Record<Language, Language> = { posxml: 'ruby', ruby: 'posxml' };
const anyLanguage = fc.constantFrom<Language>('posxml', 'ruby');
const anySuffix = fc.constantFrom('', '.rb', '.posxml', '.RB', '.Posxml', '.rb.posxml', 'rb', '.');
const anyName = fc
  .tuple(fc.string({ minLength: 1, maxLength: 20 }), anySuffix)
  .map(([stem, suffix]) => stem + suffix);

/** The language for a name without a language: that of its suffix, else POSXML. */
const languageOf = (name: string): Language => (/[.]rb$/i.test(name) ? 'ruby' : 'posxml');

describe('the language and name of an application', () => {
  it('keeps a Ruby name as it was sent, and ends a POSXML name in .posxml', () => {
    fc.assert(
      fc.property(anyName, fc.option(anyLanguage, { nil: undefined }), (name, given) => {
        const { name: fullName, language } = identify(name, given);
        expect(language).toBe(given ?? languageOf(name));
        if (language === 'ruby') expect(fullName).toBe(name);
        else expect(fullName).toBe(`${name.replace(/[.]posxml$/i, '')}.posxml`);
      }),
    );
  });

  it('does not grow when the answered name is sent again', () => {
    fc.assert(
      fc.property(anyName, fc.option(anyLanguage, { nil: undefined }), (name, given) => {
        const once = identify(name, given);
        expect(identify(once.name, once.language)).toEqual(once);
        expect(identifyAnew(once, once.name, once.language)).toEqual(once);
      }),
    );
  });

  it('has a valid name after every change of language, and comes back to its own', () => {
    const valid = anyName.filter((name) => AppCreate.shape.name.safeParse(name).success);
    fc.assert(
      fc.property(valid, anyLanguage, (name, language) => {
        const first = identify(name, language);
        const second = identifyAnew(first, undefined, OTHER[language]);
        expect(second.language).toBe(OTHER[language]);
        expect(AppCreate.shape.name.safeParse(second.name).success).toBe(true);
        if (!/[.](rb|posxml)$/i.test(name)) expect(identifyAnew(second, undefined, language)).toEqual(first);
      }),
    );
  });

  it.each<[string | undefined, Language | undefined, string, Language]>([
    ['cash', undefined, 'cash', 'ruby'],
    ['cash.posxml', undefined, 'cash.posxml', 'posxml'],
    ['cash', 'posxml', 'cash.posxml', 'posxml'],
    [undefined, 'posxml', 'pay.posxml', 'posxml'],
    [undefined, 'ruby', 'pay.rb', 'ruby'],
    [undefined, undefined, 'pay.rb', 'ruby'],
  ])('of a ruby application, name %s and language %s make %s in %s', (name, language, fullName, chosen) => {
    const current = { name: 'pay.rb', language: 'ruby' } as const;
    expect(identifyAnew(current, name, language)).toEqual({ name: fullName, language: chosen });
  });

  it.each([
    ['menu.posxml', 'menu'],
    ['.posxml', '.posxml'],
    ['..posxml', '..posxml'],
    ['menu .posxml', 'menu .posxml'],
  ])('of the POSXML application %s, the language ruby alone makes %s', (name, changed) => {
    expect(identifyAnew({ name, language: 'posxml' }, undefined, 'ruby')).toEqual({
      name: changed,
      language: 'ruby',
    });
  });
});
