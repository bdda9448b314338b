import { mutate, mutations } from '../../api';
import { useMay } from '../../app/session';
import type { DeviceUpdateInput } from '../../gql/graphql';
import type { RecordAction, RecordActions } from '../../record/bulk';
import { useText } from './words';

/** The logical number of a device, which may have none. */
export const NUMBER = { name: 'logicalNumberId', isOptional: true };

interface Device {
  readonly id: string;
  readonly serialNumber: string;
  readonly enabled: boolean;
}

/** Actions on devices. */
export function useDeviceActions(): RecordActions<Device> {
  const text = useText();
  const mayAdminister = useMay('ADMIN');
  const ofTokens: readonly RecordAction<Device>[] = [
    {
      name: text.issueTokens,
      icon: 'key',
      done: text.issueTokens,
      effect: text.issueEffect,
      fields: ['token.keepOldFor'],
      isJob: true,
      change: ({ id }, input: { readonly token: { readonly keepOldFor: string } }) =>
        mutate(mutations.deviceTokenIssue, { deviceId: id, ...input.token }),
    },
    {
      name: text.revokeToken,
      icon: 'close',
      done: text.tokenRevoked,
      isDangerous: true,
      effect: text.revokeEffect,
      change: ({ id }) => mutate(mutations.deviceTokenRevoke, { deviceId: id }),
    },
  ];
  const change = ({ id }: Device, input: DeviceUpdateInput) => mutate(mutations.deviceUpdate, { id, input });
  return {
    actions: [
      {
        name: text.assign,
        icon: 'number',
        done: text.assigned,
        fields: ['logicalNumberId'],
        isJob: true,
        change,
      },
      {
        name: text.move,
        icon: 'group',
        done: text.updatedAt,
        effect: text.moveEffect,
        fields: ['groupId'],
        isJob: true,
      },
      {
        name: text.enable,
        icon: 'check',
        done: text.enabled,
        effect: text.enableEffect,
        isFor: ({ enabled }) => !enabled,
        input: { enabled: true },
        isJob: true,
        change,
      },
      {
        name: text.disable,
        icon: 'close',
        done: text.disabled,
        effect: text.disableEffect,
        isFor: ({ enabled }) => enabled,
        input: { enabled: false },
        isJob: true,
        change,
      },
      ...(mayAdminister ? ofTokens : []),
      {
        name: text.delete,
        icon: 'remove',
        done: text.deleted,
        isDangerous: true,
        effect: text.deleteEffect,
        change: ({ id }) => mutate(mutations.deviceDelete, { id }),
      },
    ],
  };
}
