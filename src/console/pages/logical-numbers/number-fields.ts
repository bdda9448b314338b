import type { FormField } from '../../record/fields';
import { findGroups } from '../../record/find';
import type { Reference } from '../../ui/reference-input';
import { useText } from './words';

interface Values {
  readonly number: string;
  readonly group: Reference | null;
}

export const inputOf = ({ number, group }: Values) => ({ number, groupId: group?.id ?? null });

/** Fields of a logical number that people set. */
export function useFields(): readonly FormField<Values>[] {
  const text = useText();
  return [
    { name: 'number', label: text.number },
    { name: 'group', label: text.group, find: findGroups, argument: 'groupId' },
  ];
}
