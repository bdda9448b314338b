import type { ReactNode } from 'react';

import { graphql } from '../../api/graphql';
import { CreateDialog } from '../../record/fields';
import { useListAddress } from '../../table/address';
import type { Reference } from '../../ui/reference-input';
import { inputOf, useFields } from './device-form';
import { useText } from './words';

const CREATE = graphql(`
  mutation DeviceCreate($input: DeviceCreateInput!) {
    deviceCreate(input: $input) {
      device { id }
      userErrors { code message path rule params }
    }
  }
`);

const EMPTY = { serialNumber: '', logicalNumber: null as Reference | null, enabled: true };

/** Creates one device and opens it. */
export default function NewDevice({ onClose }: { readonly onClose: () => void }): ReactNode {
  const text = useText();
  const [, change] = useListAddress();
  return (
    <CreateDialog
      title={text.createDevice}
      draft="device"
      empty={EMPTY}
      fields={[{ name: 'serialNumber', label: text.serialNumber }, ...useFields()]}
      document={CREATE}
      changes={['DEVICE']}
      variables={({ serialNumber, ...rest }) =>
        serialNumber === '' ? null : { input: { serialNumber, ...inputOf(rest) } }
      }
      onCreated={({ device }) => change({ open: device?.id, tab: undefined })}
      onClose={onClose}
    />
  );
}
