import { AppCreate, type Language } from './app.model.js';

const SUFFIXES: Readonly<Record<Language, string>> = { posxml: '.posxml', ruby: '.rb' };

export interface Identity {
  readonly name: string;
  readonly language: Language;
}

/**
 * Language and name of a new application (contract 20). A POSXML name ends in `.posxml`: `menu` becomes
 * `menu.posxml`. A Ruby name is kept as it was sent, since clients find the application by it.
 */
export function identify(name: string, language?: Language): Identity {
  const chosen = language ?? languageOf(name) ?? 'posxml';
  return { name: chosen === 'ruby' ? name : withPosxmlSuffix(name), language: chosen };
}

/** Identity after a change. A new name may imply a language; a new language alone replaces the suffix. */
export function identifyAnew(current: Identity, name?: string, language?: Language): Identity {
  if (name !== undefined) return identify(name, language ?? languageOf(name) ?? current.language);
  if (language === undefined || language === current.language) return identityOf(current);
  return identify(nameWithoutSuffix(current, language), language);
}

const identityOf = ({ name, language }: Identity): Identity => ({ name, language });

function languageOf(name: string): Language | undefined {
  const lower = name.toLowerCase();
  if (lower.endsWith(SUFFIXES.posxml)) return 'posxml';
  return lower.endsWith(SUFFIXES.ruby) ? 'ruby' : undefined;
}

/** Adds the suffix in lower case; replaces one in another letter case. */
function withPosxmlSuffix(name: string): string {
  const suffix = SUFFIXES.posxml;
  return languageOf(name) === 'posxml' ? name.slice(0, -suffix.length) + suffix : name + suffix;
}

/**
 * Removes the suffix: `menu` for `menu.posxml` that becomes Ruby. Returns the whole name if it has no suffix,
 * or if the rest is not a valid name.
 */
function nameWithoutSuffix(current: Identity, language: Language): string {
  if (languageOf(current.name) !== current.language) return current.name;
  const rest = current.name.slice(0, -SUFFIXES[current.language].length);
  return language === 'posxml' || AppCreate.shape.name.safeParse(rest).success ? rest : current.name;
}
