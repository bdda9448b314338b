import { optionsOf, texts, useTexts } from '../text';

const words = texts({
  '0s': ['It ends at once', 'Termina na hora'],
  '1h': ['1 hour', '1 hora'],
  '24h': ['24 hours', '24 horas'],
  '7d': ['7 days', '7 dias'],
  '30d': ['30 days', '30 dias'],
  keepOldFor: ['Keep the old token for', 'Manter o token antigo por'],
});

export const ENDS_AT_ONCE = { keepOldFor: '0s' };

/** The field that says how long an old token works beside the new one. */
export function useKeepOldField() {
  const text = useTexts(words);
  const options = optionsOf(text, ['0s', '1h', '24h', '7d', '30d']);
  return { name: 'keepOldFor', label: text.keepOldFor, options } as const;
}
