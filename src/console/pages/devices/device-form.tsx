import type { ReactNode } from 'react';

import { graphql } from '../../api/graphql';
import { useMutation } from '../../api/mutation';
import { EditForm } from '../../record/edit-form';
import { findLogicalNumbers } from '../../record/find';
import { useTexts } from '../../text';
import { Checkbox } from '../../ui/field';
import { errorAt } from '../../ui/form';
import { ReferenceInput } from '../../ui/reference-input';
import { words as common } from '../../ui/words';
import { words } from './words';

export const DEVICE_EDIT = graphql(`
  mutation DeviceEdit($id: ID!, $ifMatch: Int, $input: DeviceUpdateInput!) {
    deviceUpdate(id: $id, ifMatch: $ifMatch, input: $input) {
      device {
        id
        history(first: 1) {
          nodes { sequence }
        }
      }
      userErrors { code message path rule params }
    }
  }
`);

export interface EditableDevice {
  readonly id: string;
  readonly revision: number;
  readonly enabled: boolean;
  readonly logicalNumber?: { readonly id: string; readonly number: string } | null;
}

interface DeviceFormProps {
  readonly device: EditableDevice;
  readonly onClose: () => void;
}

/** Changes the logical number of a device and whether it may work. */
export function DeviceForm({ device, onClose }: DeviceFormProps): ReactNode {
  const text = useTexts(words);
  const commonText = useTexts(common);
  const mutation = useMutation(DEVICE_EDIT, ['DEVICE']);
  const { enabled, logicalNumber } = device;
  return (
    <EditForm
      record={device}
      present={{
        enabled,
        logicalNumber: logicalNumber ? { id: logicalNumber.id, name: logicalNumber.number } : null,
      }}
      mutation={mutation}
      variables={(values, ifMatch) => ({
        id: device.id,
        ifMatch,
        input: { enabled: values.enabled, logicalNumberId: values.logicalNumber?.id ?? null },
      })}
      changed={(payload) => payload.device}
      fields={[
        { title: text.logicalNumber, show: (values) => values.logicalNumber?.name },
        { title: text.enabled, show: (values) => (values.enabled ? commonText.yes : commonText.no) },
      ]}
      shown={['input.logicalNumberId']}
      onClose={onClose}
    >
      {({ values, set }) => (
        <>
          <ReferenceInput
            label={text.logicalNumber}
            value={values.logicalNumber}
            onChange={(chosen) => set({ logicalNumber: chosen })}
            find={findLogicalNumbers}
            error={errorAt(mutation.errors, 'input', 'logicalNumberId')}
          />
          <Checkbox isSelected={values.enabled} onChange={(isSelected) => set({ enabled: isSelected })}>
            {text.mayWork}
          </Checkbox>
        </>
      )}
    </EditForm>
  );
}
