import type { Language } from './app.model.js';

const SUFFIXES: Readonly<Record<Language, string>> = { posxml: '.posxml', ruby: '.rb' };

export interface Identity {
  readonly name: string;
  readonly language: Language;
}

/** Language and full name of a new application (contract 20), for example `menu.rb` for `menu` in Ruby. */
export function identify(name: string, language?: Language): Identity {
  const chosen = language ?? languageOf(name) ?? 'posxml';
  return { name: withSuffix(name, chosen), language: chosen };
}

/** The same after a change: a new name may imply another language; a new language alone replaces the suffix. */
export function identifyAnew(current: Identity, name?: string, language?: Language): Identity {
  if (name !== undefined) return identify(name, language ?? languageOf(name) ?? current.language);
  if (language === undefined || language === current.language) return identityOf(current);
  return identify(current.name.slice(0, -SUFFIXES[current.language].length), language);
}

const identityOf = ({ name, language }: Identity): Identity => ({ name, language });

function languageOf(name: string): Language | undefined {
  const lower = name.toLowerCase();
  if (lower.endsWith(SUFFIXES.posxml)) return 'posxml';
  return lower.endsWith(SUFFIXES.ruby) ? 'ruby' : undefined;
}

/** Adds the suffix in lower case; replaces one in another letter case. */
function withSuffix(name: string, language: Language): string {
  const suffix = SUFFIXES[language];
  return languageOf(name) === language ? name.slice(0, -suffix.length) + suffix : name + suffix;
}
