import { graphql } from '../../api/graphql';
import type { IconName } from '../../ui/icon';

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

export interface EditableDevice {
  readonly id: string;
  readonly revision: number;
  readonly enabled: boolean;
  readonly logicalNumber?: { readonly id: string; readonly number: string } | null;
}

export interface NamedDevice {
  readonly id: string;
  readonly serialNumber: string;
}

export type DeviceAction = 'enable' | 'disable' | 'assign' | 'delete';

export const ACTION_ICONS: Readonly<Record<DeviceAction, IconName>> = {
  enable: 'check',
  disable: 'close',
  assign: 'number',
  delete: 'remove',
};
