import { useState, type ReactNode } from 'react';

import { graphql, mutate } from '../../api';
import { BulkDialog } from '../../record/bulk-dialog';
import { Button } from '../../ui/button';
import { notify } from '../../ui/toasts';
import { ACTION_ICONS, DEVICE_EDIT, type NamedDevice } from './device-edit';
import { useText } from './words';

const DELETE = graphql(`
  mutation DeviceDelete($id: ID!) {
    deviceDelete(id: $id) { userErrors { code message path rule params } }
  }
`);

const BULK = ['enable', 'disable', 'delete'] as const;
type BulkAction = (typeof BULK)[number];
/** Buttons that change the selected devices. */
export default function DeviceActions(props: {
  readonly devices: readonly NamedDevice[];
  readonly onDone: () => void;
}): ReactNode {
  const text = useText();
  const [action, setAction] = useState<BulkAction | null>(null);
  return (
    <>
      {BULK.map((each) => (
        <Button
          key={each}
          icon={ACTION_ICONS[each]}
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

/** Asks, with number and examples, before devices are changed. */
export function ActionDialog(props: {
  readonly action: BulkAction;
  readonly devices: readonly NamedDevice[];
  readonly onDone: () => void;
  readonly onClose: () => void;
}): ReactNode {
  const text = useText();
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
        notify({ text: isDelete ? text.deleted(devices.length) : text.saved });
        props.onDone();
        props.onClose();
      }}
    >
      <p>{text[`${action}Effect`]}</p>
    </BulkDialog>
  );
}
