import { createContext, use } from 'react';

export type Language = 'en' | 'pt';

type Message = string | ((...values: never[]) => string);
/** Messages by their names, each in English and in Portuguese of Brazil. */
export type Pairs = Readonly<Record<string, readonly [en: Message, pt: Message]>>;
type Widened<Text> = Text extends string ? string : Text;
export type Messages<Of extends Pairs> = { readonly [Name in keyof Of]: Widened<Of[Name][0]> };
/** Texts of one message take the same values in each language. */
export type Alike<Of extends Pairs> = {
  readonly [Name in keyof Of]: readonly [Widened<Of[Name][0]>, Widened<Of[Name][0]>];
};

/** Messages of one part of the console, which `useTexts` gives in the language of the console. */
export type Texts<Known> = Readonly<Record<Language, Known>>;

/** Messages such as `{ save: ['Save', 'Salvar'] }`. One without a Portuguese text does not compile. */
export function texts<Of extends Pairs>(pairs: Of & Alike<Of>): Texts<Messages<Of>> {
  const inLanguage = (index: 0 | 1): Messages<Of> => {
    const entries = Object.entries<Pairs[string]>(pairs).map(([name, pair]) => [name, pair[index]]);
    return Object.fromEntries(entries) as Messages<Of>;
  };
  return { en: inLanguage(0), pt: inLanguage(1) };
}

/** Language and time zone in which the console is shown. */
export interface Locale {
  readonly language: Language;
  /** IANA name, for example America/Sao_Paulo. */
  readonly timeZone: string;
}

export const LocaleContext = createContext<Locale>({ language: 'en', timeZone: 'UTC' });

export const useLocale = (): Locale => use(LocaleContext);

/** The messages in the language of the console. */
export function useTexts<Messages>(messages: Texts<Messages>): Messages {
  return messages[useLocale().language];
}

/** Tag of the language for `Intl` and the `lang` attribute. */
export const tagOf = (language: Language): string => (language === 'pt' ? 'pt-BR' : 'en-US');

/** The language of the browser, as far as the console has it. */
export const browserLanguage = (): Language =>
  navigator.language.toLowerCase().startsWith('pt') ? 'pt' : 'en';

/** One of the values to choose from. */
export interface Option<Value extends string = string> {
  readonly value: Value;
  readonly label: string;
}

/** Options named by messages: `optionsOf(text, ['STANDARD', 'MODULE'])`. */
export const optionsOf = <const Values extends readonly string[]>(
  names: Readonly<Record<Values[number], string>>,
  values: Values,
): Option<Values[number]>[] => values.map((value: Values[number]) => ({ value, label: names[value] }));
