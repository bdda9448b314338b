import { lazy } from 'react';

import type { NotificationTargetInput } from '../../gql/graphql';
import type { ActionProps, RecordAction } from '../../record/bulk';
import type { Values } from '../../record/form-field';

const SendDialog = lazy(() => import('../notifications/send-dialog'));
const CommandDialog = lazy(() => import('../commands/command-dialog'));
const RolloutDialog = lazy(() => import('../rollouts/rollout-dialog'));

/** Sets a parameter of each of many logical numbers, by a job. */
export const SET_PARAMETER = {
  id: 'setParameter',
  icon: 'sliders',
  fields: ['key', 'value'],
  shape: ({ key, value }: Values) => ({ parameter: { key, value } }),
  isJob: true,
} as const;

export const TAG = { id: 'tag', icon: 'edit', fields: ['addTags', 'removeTags'], isJob: true } as const;

type CommandProps = ActionProps<{ readonly id: string }>;

/** Sends a command to the terminals of devices. */
export const SEND_COMMAND = {
  id: 'sendCommand',
  icon: 'send',
  isJob: true,
  dialog: (props: CommandProps) => <CommandDialog {...props} />,
} as const;

/** Sends one to the devices of a group. */
export const SEND_TO_GROUP = {
  ...SEND_COMMAND,
  dialog: ({ rows: [group], ...rest }: CommandProps) => (
    <CommandDialog {...rest} rows={[]} all={{ group: { eq: group?.id } }} />
  ),
} as const;

/** True if a filter of a list selects all of its records. */
const isEverything = (filter: object): boolean => Object.keys(filter).length === 0;

type TargetOf<Row> = (rows: readonly Row[], all: object | null) => NotificationTargetInput;

/** Actions on logical numbers that are chosen in a list: a notification to them, and a rollout. */
const reaching = <Row,>(
  targetOf: TargetOf<Row>,
  isFor: (row: Row) => boolean = () => true,
): readonly RecordAction<Row>[] => [
  {
    id: 'notify',
    icon: 'send',
    isJob: true,
    isFor,
    dialog: ({ rows, all = null, ...rest }) => <SendDialog {...rest} target={targetOf(rows, all)} />,
  },
  {
    id: 'rollOut',
    icon: 'steps',
    isJob: true,
    isFor,
    dialog: ({ rows, all = null, ...rest }) => <RolloutDialog {...rest} target={targetOf(rows, all)} />,
  },
];

interface Numbered {
  readonly number: string;
}

export const reachingNumbers = reaching<Numbered>((rows, all) => {
  if (all === null) return { logicalNumbers: rows.map(({ number }) => number) };
  return { filter: isEverything(all) ? { number: { isNull: false } } : all };
});

interface OfNumber {
  readonly logicalNumber?: Numbered | null;
}

export const hasNumber = ({ logicalNumber }: OfNumber): boolean => logicalNumber != null;

/** As of logical numbers: those of the devices, of which some may have none. */
export const reachingDevices = reaching<OfNumber>((rows, all) => {
  const numbers = new Set(rows.flatMap(({ logicalNumber }) => logicalNumber?.number ?? []));
  if (all === null) return { logicalNumbers: [...numbers] };
  return { deviceFilter: isEverything(all) ? { hasLogicalNumber: { eq: true } } : all };
}, hasNumber);
