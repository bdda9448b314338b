import { useState, type ReactNode } from 'react';

import { graphql } from '../../api/graphql';
import { useMutation } from '../../api/mutation';
import { CreateDialog, EditFields, type FormField } from '../../record/fields';
import { findGroups } from '../../record/find';
import { useTexts } from '../../text';
import { Checkbox } from '../../ui/field';
import type { Reference } from '../../ui/reference-input';
import { words } from './words';

const CREATE = graphql(`
  mutation LogicalNumberCreate($input: LogicalNumberCreateInput!) {
    logicalNumberCreate(input: $input) {
      logicalNumber { id }
      userErrors { code message path rule params }
    }
  }
`);

const UPDATE = graphql(`
  mutation LogicalNumberEdit($id: ID!, $ifMatch: Int, $force: Boolean!, $input: LogicalNumberUpdateInput!) {
    logicalNumberUpdate(id: $id, ifMatch: $ifMatch, force: $force, input: $input) {
      logicalNumber {
        id
        history(first: 1) {
          nodes { sequence }
        }
      }
      userErrors { code message path rule params }
    }
  }
`);

export const NUMBER_DELETE = graphql(`
  mutation LogicalNumberDelete($id: ID!, $ifMatch: Int) {
    logicalNumberDelete(id: $id, ifMatch: $ifMatch) {
      deletedId
      userErrors { code message path rule params }
    }
  }
`);

interface Values {
  readonly number: string;
  readonly group: Reference | null;
}

const EMPTY: Values = { number: '', group: null };

const inputOf = ({ number, group }: Values) => ({ number, groupId: group?.id ?? null });

/** Fields of a logical number that people set. */
function useFields(): readonly FormField<Values>[] {
  const text = useTexts(words);
  return [
    { name: 'number', label: text.number },
    { name: 'group', label: text.group, find: findGroups, argument: 'groupId' },
  ];
}

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
  const text = useTexts(words);
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

/** Creates a logical number and opens it. */
export function NewNumber(props: {
  readonly onClose: () => void;
  readonly onCreated: (id: string) => void;
}): ReactNode {
  const text = useTexts(words);
  return (
    <CreateDialog
      title={text.newNumber}
      draft="logical-number"
      empty={EMPTY}
      fields={useFields()}
      document={CREATE}
      changes={['LOGICAL_NUMBER']}
      variables={(values) => (values.number === '' ? null : { input: inputOf(values) })}
      onCreated={({ logicalNumber }) => logicalNumber && props.onCreated(logicalNumber.id)}
      onClose={props.onClose}
    />
  );
}
