import { useState, type ReactNode } from 'react';
import type { CombinedError } from 'urql';

import { noteChange } from '../../api/changes';
import { failureOf } from '../../api/errors';
import { graphql } from '../../api/graphql';
import { mutate } from '../../api/mutation';
import { messageOf } from '../../api/rules';
import { useMay } from '../../app/session';
import { BulkDialog } from '../../record/bulk-dialog';
import { useChangeNote } from '../../record/undo';
import { useLocale, useTexts } from '../../text';
import { Button } from '../../ui/button';
import { Dialog } from '../../ui/dialog';
import type { IconName } from '../../ui/icon';
import { ActionMenu } from '../../ui/menu';
import { notify } from '../../ui/toasts';
import { words as common } from '../../ui/words';
import { DEVICE_EDIT, DeviceForm, type EditableDevice } from './device-form';
import { words } from './words';

const DELETE = graphql(`
  mutation DeviceDelete($id: ID!) {
    deviceDelete(id: $id) {
      deletedId
      userErrors { code message path rule params }
    }
  }
`);

interface Actable extends EditableDevice {
  readonly serialNumber: string;
}

const BULK = ['enable', 'disable', 'delete'] as const;
type BulkAction = (typeof BULK)[number];
type Action = BulkAction | 'assign';

const ICONS: Readonly<Record<Action, IconName>> = {
  enable: 'check',
  disable: 'close',
  assign: 'number',
  delete: 'remove',
};

/** Buttons that change the selected devices. */
export function DeviceActions(props: {
  readonly devices: readonly Actable[];
  readonly onDone: () => void;
}): ReactNode {
  const text = useTexts(words);
  const [action, setAction] = useState<BulkAction | null>(null);
  return (
    <>
      {BULK.map((each) => (
        <Button
          key={each}
          icon={ICONS[each]}
          look={each === 'delete' ? 'danger' : 'plain'}
          onPress={() => setAction(each)}
        >
          {text[each]}
        </Button>
      ))}
      {action && <ActionDialog {...props} action={action} onClose={() => setAction(null)} />}
    </>
  );
}

/** The actions of one device, as the list of a button. */
export function DeviceMenu({ device }: { readonly device: Actable }): ReactNode {
  const text = useTexts(words);
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
  const offered: readonly Action[] = ['assign', device.enabled ? 'disable' : 'enable', 'delete'];
  return (
    <>
      <ActionMenu
        label={text.actionsOf(device.serialNumber)}
        actions={offered.map((id) => ({
          id,
          name: text[id],
          icon: ICONS[id],
          run: () => {
            if (id === 'enable' || id === 'disable') void setEnabled(id === 'enable');
            else setAction(id);
          },
        }))}
      />
      {action === 'assign' && (
        <Dialog title={device.serialNumber} isOpen onClose={close}>
          <DeviceForm device={device} onClose={close} />
        </Dialog>
      )}
      {action === 'delete' && (
        <ActionDialog devices={[device]} action="delete" onDone={close} onClose={close} />
      )}
    </>
  );
}

/** Asks, with number and examples, before devices are changed. */
function ActionDialog(props: {
  readonly action: BulkAction;
  readonly devices: readonly Actable[];
  readonly onDone: () => void;
  readonly onClose: () => void;
}): ReactNode {
  const text = useTexts(words);
  const commonText = useTexts(common);
  const { action, devices } = props;
  const isDelete = action === 'delete';
  return (
    <BulkDialog
      title={text[`${action}Question`]}
      action={text[action]}
      isDangerous={isDelete}
      targets={devices.map(({ id, serialNumber }) => ({ id, name: serialNumber }))}
      change={({ id }) =>
        isDelete
          ? mutate(DELETE, { id })
          : mutate(DEVICE_EDIT, { id, input: { enabled: action === 'enable' } })
      }
      changes="DEVICE"
      onClose={props.onClose}
      onDone={() => {
        notify({ text: isDelete ? text.deleted(devices.length) : commonText.saved });
        props.onDone();
        props.onClose();
      }}
    >
      <p>{text[`${action}Effect`]}</p>
    </BulkDialog>
  );
}
