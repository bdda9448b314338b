import { useSyncExternalStore } from 'react';

import { mutate, mutations } from '../api';
import { browserStorage } from '../api/storage';
import { browserLanguage, type Language } from '../text';

export type Theme = 'system' | 'light' | 'dark';

export interface Preferences {
  readonly language: Language;
  readonly theme: Theme;
}

const KEY = 'preferences';
const listeners = new Set<() => void>();
let current: Preferences = {
  language: browserLanguage(),
  theme: 'system',
  ...known(browserStorage.read(KEY)),
};
applyTheme(current.theme);

/** Preferences that this version of the console knows: other programs may save others. */
function known(preferences: unknown): Partial<Preferences> {
  const { language, theme } = Object(preferences) as { language?: unknown; theme?: unknown };
  return {
    ...((language === 'en' || language === 'pt') && { language }),
    ...((theme === 'system' || theme === 'light' || theme === 'dark') && { theme }),
  };
}

/** Language and theme of this browser. */
export function usePreferences(): Preferences {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => current,
  );
}

/** Sets them for this browser from now on, and for the person in other browsers, too. */
export function setPreferences(changes: Partial<Preferences>): void {
  adoptPreferences(changes);
  // A browser without a session keeps them for itself.
  mutate(mutations.preferencesSet, { preferences: current }).catch(() => undefined);
}

/** Takes over what the person has set in another browser. */
export function adoptPreferences(changes: unknown): void {
  current = { ...current, ...known(changes) };
  browserStorage.set(KEY, JSON.stringify(current));
  applyTheme(current.theme);
  for (const listener of listeners) listener();
}

function applyTheme(theme: Theme): void {
  document.documentElement.dataset.theme = theme;
}
