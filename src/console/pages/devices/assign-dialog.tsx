import type { ReactNode } from 'react';

import { Dialog } from '../../ui/dialog';
import type { EditableDevice, NamedDevice } from './device-edit';
import { DeviceForm } from './device-form';

interface AssignDialogProps {
  readonly device: EditableDevice & NamedDevice;
  readonly onClose: () => void;
}

/** Changes a device without opening it. */
export default function AssignDialog({ device, onClose }: AssignDialogProps): ReactNode {
  return (
    <Dialog title={device.serialNumber} isOpen onClose={onClose}>
      <DeviceForm device={device} onClose={onClose} />
    </Dialog>
  );
}
