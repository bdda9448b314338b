import type { ReactNode } from 'react';

import { graphql } from '../../api/graphql';
import { CreateDialog } from '../../record/fields';
import { useListAddress } from '../../table/address';
import type { Reference } from '../../ui/reference-input';
import { inputOf, useFields } from './number-fields';
import { useText } from './words';

const CREATE = graphql(`
  mutation LogicalNumberCreate($input: LogicalNumberCreateInput!) {
    logicalNumberCreate(input: $input) {
      logicalNumber { id }
      userErrors { code message path rule params }
    }
  }
`);

const EMPTY = { number: '', group: null as Reference | null };

/** Creates a logical number and opens it. */
export default function NewNumber({ onClose }: { readonly onClose: () => void }): ReactNode {
  const text = useText();
  const [, change] = useListAddress();
  return (
    <CreateDialog
      title={text.newNumber}
      draft="logical-number"
      empty={EMPTY}
      fields={useFields()}
      document={CREATE}
      changes={['LOGICAL_NUMBER']}
      variables={(values) => (values.number === '' ? null : { input: inputOf(values) })}
      onCreated={({ logicalNumber }) => change({ open: logicalNumber?.id, tab: undefined })}
      onClose={onClose}
    />
  );
}
