import { useState, type ReactNode } from 'react';

import { findGroups, findLogicalNumbers } from '../../record/find';
import { RecordLink } from '../../record/link';
import { useTexts } from '../../text';
import { Choice } from '../../ui/field';
import { ReferenceInput, type Reference } from '../../ui/reference-input';
import { words } from './words';

/** The group or the logical number that a parameter or metacontent belongs to. */
export interface Owner {
  readonly group?: { readonly id: string; readonly name: string } | null;
  readonly logicalNumber?: { readonly id: string; readonly number: string } | null;
}

export function OwnerLink({ owner: { group, logicalNumber } }: { readonly owner: Owner }): ReactNode {
  if (group) return <RecordLink page="/groups" record={group} />;
  return <RecordLink page="/logical-numbers" record={logicalNumber} />;
}

export type OwnerInput = { readonly groupId: string } | { readonly logicalNumberId: string };

interface OwnerFieldsProps {
  readonly onChange: (owner: OwnerInput | null) => void;
  readonly error: string | undefined;
}

/** Asks for a group or a logical number. */
export function OwnerFields({ onChange, error }: OwnerFieldsProps): ReactNode {
  const text = useTexts(words);
  const [kind, setKind] = useState<'group' | 'number'>('group');
  const [chosen, setChosen] = useState<Reference | null>(null);
  const isGroup = kind === 'group';
  const choose = (record: Reference | null): void => {
    setChosen(record);
    onChange(record && (isGroup ? { groupId: record.id } : { logicalNumberId: record.id }));
  };
  return (
    <>
      <Choice
        label={text.owner}
        options={[
          { value: 'group', label: text.group },
          { value: 'number', label: text.logicalNumber },
        ]}
        value={kind}
        onChange={(changed) => {
          setKind(changed);
          setChosen(null);
          onChange(null);
        }}
      />
      <ReferenceInput
        key={kind}
        label={isGroup ? text.group : text.logicalNumber}
        value={chosen}
        onChange={choose}
        find={isGroup ? findGroups : findLogicalNumbers}
        error={error}
      />
    </>
  );
}
