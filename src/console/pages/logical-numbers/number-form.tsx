import { useState, type ReactNode } from 'react';

import { graphql, useMutation } from '../../api';
import { EditFields } from '../../record/fields';
import { Checkbox } from '../../ui/checkbox';
import type { Reference } from '../../ui/reference-input';
import { inputOf, useFields } from './number-fields';
import { useText } from './words';

const UPDATE = graphql(`
  mutation LogicalNumberEdit($id: ID!, $ifMatch: Int, $force: Boolean!, $input: LogicalNumberUpdateInput!) {
    logicalNumberUpdate(id: $id, ifMatch: $ifMatch, force: $force, input: $input) {
      logicalNumber {
        id
        history(first: 1) { nodes { sequence } }
      }
      userErrors { code message path rule params }
    }
  }
`);

interface NumberFormProps {
  readonly logicalNumber: {
    readonly id: string;
    readonly revision: number;
    readonly number: string;
    readonly group?: Reference | null;
  };
  readonly onClose: () => void;
}

/** Changes a logical number and its group; if terminals would lose app versions by that, asks once more. */
export function NumberForm({ logicalNumber, onClose }: NumberFormProps): ReactNode {
  const text = useText();
  const [force, setForce] = useState(false);
  const mutation = useMutation(UPDATE, ['LOGICAL_NUMBER', 'DEVICE']);
  const { id, number, group } = logicalNumber;
  const loss = mutation.errors.find(({ code }) => code === 'IN_USE');
  return (
    <EditFields
      record={logicalNumber}
      present={{ number, group: group ? { id: group.id, name: group.name } : null }}
      fields={useFields()}
      mutation={{ ...mutation, errors: mutation.errors.filter((error) => error !== loss) }}
      input={(values, ifMatch) => ({ id, ifMatch, force, input: inputOf(values) })}
      changed={(payload) => payload.logicalNumber}
      onClose={onClose}
    >
      <p className="faint">{text.losses}</p>
      {loss && (
        <p className="field-error" role="alert">
          {text.lossCount((loss.params as { readonly count: number }).count)}
        </p>
      )}
      {(loss !== undefined || force) && (
        <Checkbox isSelected={force} onChange={setForce}>
          {text.force}
        </Checkbox>
      )}
    </EditFields>
  );
}
