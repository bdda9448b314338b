import { useState, type ReactNode } from 'react';

import { findGroups, findLogicalNumbers } from '../../record/find';
import { Choice } from '../../ui/field';
import { ReferenceInput, type Reference } from '../../ui/reference-input';
import { useText } from './words';

export type OwnerInput = { readonly groupId: string } | { readonly logicalNumberId: string };

interface OwnerFieldsProps {
  readonly onChange: (owner: OwnerInput | null) => void;
  readonly error: string | undefined;
}

/** Asks for a group or a logical number. */
export function OwnerFields({ onChange, error }: OwnerFieldsProps): ReactNode {
  const text = useText();
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
