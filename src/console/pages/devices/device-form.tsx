import type { ReactNode } from 'react';

import { EditRecord, type FormField } from '../../record/fields';
import { findLogicalNumbers } from '../../record/find';
import type { Reference } from '../../ui/reference-input';
import { DEVICE_EDIT, type EditableDevice } from './device-edit';
import { useText } from './words';

interface Values {
  readonly logicalNumber: Reference | null;
  readonly enabled: boolean;
}

export const inputOf = ({ logicalNumber, enabled }: Values) => ({
  logicalNumberId: logicalNumber?.id ?? null,
  enabled,
});

/** Fields of a device that people set. */
export function useFields(): readonly FormField<Values>[] {
  const text = useText();
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

interface DeviceFormProps {
  readonly device: EditableDevice;
  readonly onClose: () => void;
}

/** Changes the logical number of a device and whether it may work. */
export function DeviceForm({ device, onClose }: DeviceFormProps): ReactNode {
  const { enabled, logicalNumber } = device;
  return (
    <EditRecord
      record={device}
      present={{
        enabled,
        logicalNumber: logicalNumber ? { id: logicalNumber.id, name: logicalNumber.number } : null,
      }}
      fields={useFields()}
      document={DEVICE_EDIT}
      changes={['DEVICE']}
      input={inputOf}
      onClose={onClose}
    />
  );
}
