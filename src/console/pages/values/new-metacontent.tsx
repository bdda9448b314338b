import { useState, type ReactNode } from 'react';

import { graphql } from '../../api/graphql';
import { CreateDialog } from '../../record/fields';
import { errorAt } from '../../ui/form';
import { jsonOf } from './json';
import { OwnerFields, type OwnerInput } from './owner-fields';
import { useText } from './words';

const CREATE = graphql(`
  mutation MetacontentCreate($input: MetacontentCreateInput!) {
    metacontentCreate(input: $input) {
      metacontent { id }
      userErrors { code message path rule params }
    }
  }
`);

export default function NewMetacontent({ onClose }: { readonly onClose: () => void }): ReactNode {
  const text = useText();
  const [owner, setOwner] = useState<OwnerInput | null>(null);
  return (
    <CreateDialog
      title={text.newMetacontent}
      draft="metacontent"
      empty={{ key: '', value: '' }}
      fields={[
        { name: 'key', label: text.key },
        { name: 'value', label: text.value, help: text.valueHelp, rows: 4 },
      ]}
      document={CREATE}
      changes={['METACONTENT']}
      variables={({ key, value }) => owner && { input: { key, value: jsonOf(value), owner } }}
      onClose={onClose}
    >
      {({ errors }) => <OwnerFields onChange={setOwner} error={errorAt(errors, 'input', 'owner')} />}
    </CreateDialog>
  );
}
