import type { ReactNode } from 'react';

import { RecordLink } from '../../record/link';

/** The group or the logical number that a parameter or metacontent belongs to. */
export interface Owner {
  readonly group?: { readonly id: string; readonly name: string } | null;
  readonly logicalNumber?: { readonly id: string; readonly number: string } | null;
}

export function OwnerLink({ owner: { group, logicalNumber } }: { readonly owner: Owner }): ReactNode {
  if (group) return <RecordLink page="/groups" record={group} />;
  return <RecordLink page="/logical-numbers" record={logicalNumber} />;
}
