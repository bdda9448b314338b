import type { ReactNode } from 'react';

import type { FormField } from '../../record/fields';
import { findGroups, findLogicalNumbers } from '../../record/find';
import { RecordLink } from '../../record/link';
import type { Reference } from '../../ui/reference-input';
import { useText } from './words';

/** The group or the logical number that a parameter or metacontent belongs to. */
interface Owner {
  readonly group?: { readonly id: string; readonly name: string } | null;
  readonly logicalNumber?: { readonly id: string; readonly number: string } | null;
}

export function OwnerLink({ owner: { group, logicalNumber } }: { readonly owner: Owner }): ReactNode {
  if (group) return <RecordLink page="/groups" record={group} />;
  return <RecordLink page="/logical-numbers" record={logicalNumber} />;
}

interface OwnerValues {
  readonly group: Reference | null;
  readonly logicalNumber: Reference | null;
}

export const NO_OWNER: OwnerValues = { group: null, logicalNumber: null };

/** Fields that ask for a group or a logical number: once one is chosen, the other is not asked for. */
export function useOwnerFields(): readonly FormField<OwnerValues>[] {
  const text = useText();
  return [
    {
      name: 'group',
      label: text.group,
      find: findGroups,
      argument: 'owner.groupId',
      isShown: ({ logicalNumber }) => logicalNumber === null,
    },
    {
      name: 'logicalNumber',
      label: text.logicalNumber,
      find: findLogicalNumbers,
      argument: 'owner.logicalNumberId',
      isShown: ({ group }) => group === null,
    },
  ];
}
