import { useState, type ReactNode } from 'react';

import { graphql } from '../../api/graphql';
import { CreateDialog } from '../../record/fields';
import { errorAt } from '../../ui/form';
import { OwnerFields, type OwnerInput } from './owner-fields';
import { useText } from './words';

const CREATE = graphql(`
  mutation ParameterCreate($input: ParameterCreateInput!) {
    parameterCreate(input: $input) {
      parameter { id }
      userErrors { code message path rule params }
    }
  }
`);

interface NewParameterProps {
  /** The group or number that it is for; without it, the form asks. */
  readonly owner?: OwnerInput;
  readonly onClose: () => void;
}

export default function NewParameter({ owner: given, onClose }: NewParameterProps): ReactNode {
  const text = useText();
  const [owner, setOwner] = useState<OwnerInput | null>(given ?? null);
  return (
    <CreateDialog
      title={text.newParameter}
      draft="parameter"
      empty={{ key: '', value: '', description: '' }}
      fields={[
        { name: 'key', label: text.key },
        { name: 'value', label: text.value, rows: 2 },
        { name: 'description', label: text.description },
      ]}
      document={CREATE}
      changes={['PARAMETER']}
      variables={({ description, ...rest }) =>
        owner && { input: { ...rest, description: description || null, owner } }
      }
      onClose={onClose}
    >
      {({ errors }) =>
        !given && <OwnerFields onChange={setOwner} error={errorAt(errors, 'input', 'owner')} />
      }
    </CreateDialog>
  );
}
