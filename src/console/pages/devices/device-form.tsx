import type { ReactNode } from 'react';

import { graphql } from '../../api/graphql';
import { useMutation } from '../../api/mutation';
import { CreateDialog, EditFields, type FormField } from '../../record/fields';
import { findLogicalNumbers } from '../../record/find';
import { useTexts } from '../../text';
import type { Reference } from '../../ui/reference-input';
import { words } from './words';

const CREATE = graphql(`
  mutation DeviceCreate($input: DeviceCreateInput!) {
    deviceCreate(input: $input) {
      device { id }
      userErrors { code message path rule params }
    }
  }
`);

export const DEVICE_EDIT = graphql(`
  mutation DeviceEdit($id: ID!, $ifMatch: Int, $input: DeviceUpdateInput!) {
    deviceUpdate(id: $id, ifMatch: $ifMatch, input: $input) {
      device {
        id
        history(first: 1) { nodes { sequence } }
      }
      userErrors { code message path rule params }
    }
  }
`);

interface Values {
  readonly logicalNumber: Reference | null;
  readonly enabled: boolean;
}

const EMPTY = { serialNumber: '', logicalNumber: null as Reference | null, enabled: true };

const inputOf = ({ logicalNumber, enabled }: Values) => ({
  logicalNumberId: logicalNumber?.id ?? null,
  enabled,
});

/** Fields of a device that people set. */
function useFields(): readonly FormField<Values>[] {
  const text = useTexts(words);
  return [
    {
      name: 'logicalNumber',
      label: text.logicalNumber,
      find: findLogicalNumbers,
      argument: 'logicalNumberId',
    },
    { name: 'enabled', label: text.mayWork, isFlag: true },
  ];
}

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
  const { id, enabled, logicalNumber } = device;
  return (
    <EditFields
      record={device}
      present={{
        enabled,
        logicalNumber: logicalNumber ? { id: logicalNumber.id, name: logicalNumber.number } : null,
      }}
      fields={useFields()}
      mutation={useMutation(DEVICE_EDIT, ['DEVICE'])}
      input={(values, ifMatch) => ({ id, ifMatch, input: inputOf(values) })}
      changed={(payload) => payload.device}
      onClose={onClose}
    />
  );
}

/** Creates one device and opens it. */
export function NewDevice(props: {
  readonly onClose: () => void;
  readonly onCreated: (id: string) => void;
}): ReactNode {
  const text = useTexts(words);
  return (
    <CreateDialog
      title={text.createDevice}
      draft="device"
      empty={EMPTY}
      fields={[{ name: 'serialNumber', label: text.serialNumber }, ...useFields()]}
      document={CREATE}
      changes={['DEVICE']}
      variables={(values) =>
        values.serialNumber === ''
          ? null
          : { input: { serialNumber: values.serialNumber, ...inputOf(values) } }
      }
      onCreated={({ device }) => device && props.onCreated(device.id)}
      onClose={props.onClose}
    />
  );
}
