import { mutate, mutations } from '../../api';
import { useMay } from '../../app/session';
import type { DeviceRecordFragment, DeviceUpdateInput } from '../../gql/graphql';
import type { RecordAction, RecordActions } from '../../record/bulk';
import { hasNumber, reachingDevices, SEND_COMMAND, SET_PARAMETER, TAG } from '../logical-numbers/reaching';

/** The logical number of a device, which may have none. */
export const NUMBER = { name: 'logicalNumberId', isOptional: true };

type Device = Pick<DeviceRecordFragment, 'id' | 'enabled'> & {
  readonly logicalNumber?: { readonly number: string } | null;
};

const change = ({ id }: Device, input: DeviceUpdateInput) => mutate(mutations.deviceUpdate, { id, input });

const setting = (enabled: boolean) => ({
  isFor: (device: Device) => device.enabled !== enabled,
  input: { enabled },
  isJob: true,
  change,
});

const ACTIONS: readonly RecordAction<Device>[] = [
  { id: 'assign', icon: 'number', fields: ['logicalNumberId'], isJob: true, change },
  { id: 'move', icon: 'group', fields: ['groupId'], isJob: true },
  { ...SET_PARAMETER, isFor: hasNumber },
  TAG,
  ...reachingDevices,
  SEND_COMMAND,
  { ...setting(true), id: 'enable', icon: 'check' },
  { ...setting(false), id: 'disable', icon: 'close' },
];

const ON_TOKENS: readonly RecordAction<Device>[] = [
  {
    id: 'issueTokens',
    icon: 'key',
    fields: ['token.keepOldFor'],
    isJob: true,
    change: ({ id }, input: { readonly token: { readonly keepOldFor: string } }) =>
      mutate(mutations.deviceTokenIssue, { deviceId: id, ...input.token }),
  },
  {
    id: 'revokeToken',
    icon: 'close',
    isDangerous: true,
    change: ({ id }) => mutate(mutations.deviceTokenRevoke, { deviceId: id }),
  },
];

const DELETE: RecordAction<Device> = {
  id: 'delete',
  icon: 'remove',
  isDangerous: true,
  change: ({ id }) => mutate(mutations.deviceDelete, { id }),
};

/** Actions on devices. */
export function useDeviceActions(): RecordActions<Device> {
  return [...ACTIONS, ...(useMay('ADMIN') ? ON_TOKENS : []), DELETE];
}
