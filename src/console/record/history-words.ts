import { useLabel, useTexts } from '../text';
import { HIDDEN, ledgerWords } from './ledger-words';

/** True if a change of a field is not shown: the first bytes are those that the size is of. */
export const isHidden = ({ field, before }: { readonly field: string; readonly before?: unknown }): boolean =>
  HIDDEN.includes(field) || (field === 'contentId' && before === null);

/** `communication_media` or `someField`, as a person may read it. */
const spoken = (name: string): string => {
  const words = name
    .replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
    .replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
};

/** Says actions and fields of the ledger in words: `UPDATE`, `groupId`, `meta.battery_level`. */
export function useHistoryLabel(): (name: string) => string {
  const label = useLabel(useTexts(ledgerWords));
  return (name) => label(name, spoken(name.replace(/^.*\./, '')));
}
