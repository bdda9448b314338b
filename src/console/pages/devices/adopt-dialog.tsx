import { useState, type ReactNode } from 'react';

import { graphql, mutate } from '../../api';
import { BulkDialog } from '../../record/bulk-dialog';
import { findLogicalNumbers } from '../../record/find';
import { ReferenceInput, type Reference } from '../../ui/reference-input';
import { notify } from '../../ui/toasts';
import { useText } from './words';

const ADOPT = graphql(`
  mutation DeviceAdopt($serialNumber: String!, $logicalNumberId: ID) {
    deviceAdopt(serialNumber: $serialNumber, logicalNumberId: $logicalNumberId) {
      userErrors { code message path rule params }
    }
  }
`);

interface AdoptDialogProps {
  readonly terminals: readonly { readonly id: string; readonly serialNumber: string }[];
  readonly onClose: () => void;
}

/** Makes a device of each terminal, for a logical number if one is chosen. */
export default function AdoptDialog({ terminals, onClose }: AdoptDialogProps): ReactNode {
  const text = useText();
  const [number, setNumber] = useState<Reference | null>(null);
  return (
    <BulkDialog
      title={text.adoptQuestion}
      action={text.adopt}
      targets={terminals.map(({ id, serialNumber }) => ({ id, name: serialNumber }))}
      change={({ name }) => mutate(ADOPT, { serialNumber: name, logicalNumberId: number?.id ?? null })}
      changes="DEVICE"
      onClose={onClose}
      onDone={() => {
        notify({ text: text.adopted });
        onClose();
      }}
    >
      <ReferenceInput
        label={text.logicalNumber}
        value={number}
        onChange={setNumber}
        find={findLogicalNumbers}
      />
      <p className="faint">{text.adoptHelp}</p>
    </BulkDialog>
  );
}
