import { createContext, use } from 'react';

export type Language = 'en' | 'pt';

type Message = string | ((...values: never[]) => string);
/** Messages in another language: each is there, with the same values. */
type Translation<Messages> = {
  readonly [Name in keyof Messages]: Messages[Name] extends string ? string : Messages[Name];
};

export interface Texts<Messages> {
  readonly in: (language: Language) => Translation<Messages>;
}

/** Messages of one part of the console in each language. A missing one does not compile. */
export function texts<const Messages extends Readonly<Record<string, Message>>>(messages: {
  readonly en: Messages;
  readonly pt: NoInfer<Translation<Messages>>;
}): Texts<Messages> {
  return { in: (language) => messages[language] as Translation<Messages> };
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
export function useTexts<Messages>(messages: Texts<Messages>): Translation<Messages> {
  return messages.in(useLocale().language);
}

/** Tag of the language for `Intl` and the `lang` attribute. */
export const tagOf = (language: Language): string => (language === 'pt' ? 'pt-BR' : 'en-US');

/** The language of the browser, as far as the console has it. */
export const browserLanguage = (): Language =>
  navigator.language.toLowerCase().startsWith('pt') ? 'pt' : 'en';
