import { useState, type ReactNode } from 'react';

import { graphql } from '../../api/graphql';
import { useMutation } from '../../api/mutation';
import { findLogicalNumbers } from '../../record/find';
import { useTexts } from '../../text';
import { Dialog } from '../../ui/dialog';
import { TextInput } from '../../ui/field';
import { errorAt, Form } from '../../ui/form';
import { ReferenceInput, type Reference } from '../../ui/reference-input';
import { words as common } from '../../ui/words';
import { words } from './words';

const CREATE = graphql(`
  mutation DeviceCreate($input: DeviceCreateInput!) {
    deviceCreate(input: $input) {
      device { id }
      userErrors { code message path rule params }
    }
  }
`);

/** Creates one device and opens it. */
export function CreateDialog(props: {
  readonly onClose: () => void;
  readonly onCreated: (id: string) => void;
}): ReactNode {
  const text = useTexts(words);
  const commonText = useTexts(common);
  const { run, ...mutation } = useMutation(CREATE, ['DEVICE']);
  const [serialNumber, setSerialNumber] = useState('');
  const [logicalNumber, setLogicalNumber] = useState<Reference | null>(null);
  const create = async (): Promise<void> => {
    const payload = await run({ input: { serialNumber, logicalNumberId: logicalNumber?.id ?? null } });
    if (payload?.device) props.onCreated(payload.device.id);
  };
  return (
    <Dialog title={text.createDevice} isOpen onClose={props.onClose}>
      <Form
        {...mutation}
        onSubmit={() => void create()}
        submit={commonText.create}
        onCancel={props.onClose}
        shown={['input.serialNumber', 'input.logicalNumberId']}
      >
        <TextInput
          label={text.serialNumber}
          autoFocus
          value={serialNumber}
          onChange={setSerialNumber}
          error={errorAt(mutation.errors, 'input', 'serialNumber')}
        />
        <ReferenceInput
          label={text.logicalNumber}
          value={logicalNumber}
          onChange={setLogicalNumber}
          find={findLogicalNumbers}
          error={errorAt(mutation.errors, 'input', 'logicalNumberId')}
        />
      </Form>
    </Dialog>
  );
}
