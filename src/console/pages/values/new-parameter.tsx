import type { ReactNode } from 'react';

import { mutations } from '../../api';
import { CreateDialog } from '../../record/dialog-button';
import { NO_OWNER, useOwnerFields } from './owner';
import { useText } from './words';

interface NewParameterProps {
  /** The group or number that it is for; without it, the form asks. */
  readonly owner?: { readonly groupId: string } | { readonly logicalNumberId: string };
  readonly onClose: () => void;
}

export default function NewParameter({ owner, onClose }: NewParameterProps): ReactNode {
  const text = useText();
  const ownerFields = useOwnerFields();
  return (
    <CreateDialog
      title={text.newParameter}
      draft="parameter"
      empty={{ key: '', value: '', description: '', ...NO_OWNER }}
      fields={[
        { name: 'key', label: text.key },
        { name: 'value', label: text.value, rows: 2 },
        { name: 'description', label: text.description, isOptional: true },
        ...(owner ? [] : ownerFields),
      ]}
      {...(owner && { input: { owner } })}
      document={mutations.parameterCreate}
      onClose={onClose}
    />
  );
}
