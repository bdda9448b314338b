import { lazy, Suspense, useState, type ReactNode } from 'react';
import type { CombinedError } from 'urql';

import { mutate, noteChange } from '../../api';
import { failureOf } from '../../api/errors';
import { messageOf } from '../../api/rules';
import { useMay } from '../../app/session';
import { useChangeNote } from '../../record/undo';
import { useLocale } from '../../text';
import { ActionMenu } from '../../ui/menu';
import { notify } from '../../ui/toasts';
import {
  ACTION_ICONS,
  DEVICE_EDIT,
  type DeviceAction,
  type EditableDevice,
  type NamedDevice,
} from './device-edit';
import { useText } from './words';

const AssignDialog = lazy(() => import('./assign-dialog'));
const ActionDialog = lazy(async () => ({ default: (await import('./device-actions')).ActionDialog }));

/** The actions of one device, as the list of a button. */
export function DeviceMenu({ device }: { readonly device: EditableDevice & NamedDevice }): ReactNode {
  const text = useText();
  const { language } = useLocale();
  const note = useChangeNote();
  const [action, setAction] = useState<'assign' | 'delete' | null>(null);
  const close = (): void => setAction(null);
  const setEnabled = async (enabled: boolean): Promise<void> => {
    try {
      const payload = await mutate(DEVICE_EDIT, { id: device.id, input: { enabled } });
      noteChange('DEVICE');
      const [error] = payload.userErrors;
      if (error) notify({ text: messageOf(error, language), tone: 'bad' });
      else note(`${device.serialNumber}: ${enabled ? text.enabled : text.disabled}`, payload.device);
    } catch (error) {
      notify({ text: failureOf(error as CombinedError, language).message, tone: 'bad' });
    }
  };
  if (!useMay('WRITE')) return null;
  const offered: readonly DeviceAction[] = ['assign', device.enabled ? 'disable' : 'enable', 'delete'];
  return (
    <>
      <ActionMenu
        label={text.actionsOf(device.serialNumber)}
        actions={offered.map((id) => ({
          id,
          name: text[id],
          icon: ACTION_ICONS[id],
          run: () => {
            if (id === 'enable' || id === 'disable') void setEnabled(id === 'enable');
            else setAction(id);
          },
        }))}
      />
      <Suspense>
        {action === 'assign' && <AssignDialog device={device} onClose={close} />}
        {action === 'delete' && (
          <ActionDialog devices={[device]} action="delete" onDone={close} onClose={close} />
        )}
      </Suspense>
    </>
  );
}
