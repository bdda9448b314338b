import { mutate, mutations } from '../../api';
import { useMay } from '../../app/session';
import type { DeviceUpdateInput } from '../../gql/graphql';
import type { RecordAction, RecordActions } from '../../record/bulk';
import { creating, type DialogButtonProps } from '../../record/dialog-button';
import type { FormField } from '../../record/fields';
import { findGroups, findLogicalNumbers } from '../../record/find';
import { ENDS_AT_ONCE, useKeepOldField } from '../../record/keep-old';
import type { Reference } from '../../ui/reference-input';
import { useText } from './words';

interface Values {
  readonly logicalNumber: Reference | null;
  readonly enabled: boolean;
}

export const numberField = (label: string) =>
  ({
    name: 'logicalNumber',
    label,
    find: findLogicalNumbers,
    argument: 'logicalNumberId',
    isOptional: true,
  }) as const;

/** Fields of a device that people set. */
export function useFields(): readonly FormField<Values>[] {
  const text = useText();
  return [numberField(text.logicalNumber), { name: 'enabled', label: text.mayWork, isFlag: true }];
}

interface Device {
  readonly id: string;
  readonly serialNumber: string;
  readonly enabled: boolean;
}

interface ActionValues extends Pick<Values, 'logicalNumber'> {
  readonly group: Reference | null;
  readonly keepOldFor: string;
}

/** Actions on devices. */
export function useDeviceActions(): RecordActions<Device, ActionValues> {
  const text = useText();
  const keepOldFor = useKeepOldField();
  const mayAdminister = useMay('ADMIN');
  const issueTokens: RecordAction<Device, ActionValues> = {
    name: text.issueTokens,
    icon: 'key',
    done: text.updated,
    effect: text.issueEffect,
    fields: [keepOldFor],
    isFor: () => false,
    input: ({ keepOldFor }) => ({ token: { keepOldFor } }),
  };
  const update = ({ id }: Device, input: DeviceUpdateInput) => mutate(mutations.deviceUpdate, { id, input });
  return {
    empty: { logicalNumber: null, group: null, ...ENDS_AT_ONCE },
    actions: [
      {
        name: text.assign,
        icon: 'number',
        done: text.assigned,
        fields: [numberField(text.logicalNumber)],
        isReady: ({ logicalNumber }) => logicalNumber !== null,
        change: (device, { logicalNumber }) => update(device, { logicalNumberId: logicalNumber?.id ?? null }),
        input: ({ logicalNumber }) => ({ logicalNumberId: logicalNumber?.id ?? null }),
      },
      {
        name: text.move,
        icon: 'group',
        done: text.updated,
        effect: text.moveEffect,
        fields: [{ name: 'group', label: text.group, find: findGroups }],
        isReady: ({ group }) => group !== null,
        input: ({ group }) => ({ groupId: group?.id ?? null }),
      },
      {
        name: text.enable,
        icon: 'check',
        done: text.enabled,
        effect: text.enableEffect,
        isFor: ({ enabled }) => !enabled,
        change: (device) => update(device, { enabled: true }),
        input: () => ({ enabled: true }),
      },
      {
        name: text.disable,
        icon: 'close',
        done: text.disabled,
        effect: text.disableEffect,
        isFor: ({ enabled }) => enabled,
        change: (device) => update(device, { enabled: false }),
        input: () => ({ enabled: false }),
      },
      ...(mayAdminister ? [issueTokens] : []),
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

const EMPTY = { serialNumber: '', logicalNumber: null as Reference | null, enabled: true };

/** Creates one device and opens it. */
export function useNewDevice(): DialogButtonProps {
  const text = useText();
  return creating({
    title: text.createDevice,
    draft: 'device',
    empty: EMPTY,
    fields: [{ name: 'serialNumber', label: text.serialNumber }, ...useFields()],
    document: mutations.deviceCreate,
    opens: true,
  });
}
