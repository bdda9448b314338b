import { mutate, mutations } from '../../api';
import type { RecordActions } from '../../record/bulk';
import { creating, type DialogButtonProps } from '../../record/dialog-button';
import type { FormField } from '../../record/fields';
import { findGroups } from '../../record/find';
import type { Reference } from '../../ui/reference-input';
import { useText } from './words';

interface Values {
  readonly number: string;
  readonly group: Reference | null;
}

/** Fields of a logical number that people set. */
export function useFields(): readonly FormField<Values>[] {
  const text = useText();
  return [
    { name: 'number', label: text.number },
    { name: 'group', label: text.group, find: findGroups, argument: 'groupId', isOptional: true },
  ];
}

interface Move {
  readonly group: Reference | null;
  readonly force: boolean;
}

/** Actions on logical numbers. */
export function useNumberActions(): RecordActions<{ readonly id: string; readonly number: string }, Move> {
  const text = useText();
  return {
    empty: { group: null, force: false },
    actions: [
      {
        name: text.move,
        icon: 'group',
        done: text.moved,
        effect: text.losses,
        fields: [
          { name: 'group', label: text.group, find: findGroups },
          { name: 'force', label: text.forceMove, isFlag: true },
        ],
        isReady: ({ group }) => group !== null,
        change: ({ id }, { group, force }) =>
          mutate(mutations.logicalNumberMove, { id, groupId: group?.id ?? null, force }),
      },
      {
        name: text.delete,
        icon: 'remove',
        done: text.deleted,
        isDangerous: true,
        effect: text.deleteEffect,
        change: ({ id }) => mutate(mutations.logicalNumberDelete, { id }),
      },
    ],
  };
}

const EMPTY = { number: '', group: null as Reference | null };

/** Creates a logical number and opens it. */
export function useNewNumber(): DialogButtonProps {
  return creating({
    title: useText().newNumber,
    draft: 'logical-number',
    empty: EMPTY,
    fields: useFields(),
    document: mutations.logicalNumberCreate,
    opens: true,
  });
}
