import type { ReactNode } from 'react';

import { fragment, mutate, mutations } from '../../api';
import type { TerminalCommandRowFragment } from '../../gql/graphql';
import { RowMenu } from '../../record/actions';
import type { RecordActions } from '../../record/bulk';
import { RecordLink } from '../../record/link';
import { CompactList } from '../../table/data-table';
import { listIn } from '../../table/rows';
import { useCommandName, useCommandWords } from './words';

const TERMINAL = fragment(`
  fragment TerminalCommandRow on TerminalCommand {
    id state since code detail
    device { id serialNumber }
    command { id action parameters }
  }
`);

export const STATES = [
  'WAITING',
  'SENT',
  'CONFIRMED',
  'DONE',
  'FAILED',
  'EXPIRED',
  'CANCELLED',
  'REPLACED',
] as const;

/** True if it can be cancelled: the terminal has not confirmed it. */
const isOpen = ({ state }: TerminalCommandRowFragment): boolean => state === 'WAITING' || state === 'SENT';

const ACTIONS: RecordActions<TerminalCommandRowFragment> = [
  {
    id: 'cancelCommand',
    icon: 'close',
    isDangerous: true,
    change: ({ id }) => mutate(mutations.commandCancel, { id }),
  },
];

interface TerminalCommandsProps {
  /** Global id of a command or a device. */
  readonly id: string;
  /** True if all are of one command; otherwise they are of one device, the newest first. */
  readonly isOfCommand?: boolean;
}

/** Commands with what became of them on terminals. Those that wait can be cancelled. */
export function TerminalCommands({ id, isOfCommand = false }: TerminalCommandsProps): ReactNode {
  const words = useCommandWords();
  const nameOf = useCommandName();
  return (
    <CompactList
      id={isOfCommand ? 'command-terminals' : 'terminal-commands'}
      text={words}
      label={isOfCommand ? words.terminals : words.commands}
      source={listIn(id, TERMINAL, 'COMMAND', 'DEVICE')}
      {...(!isOfCommand && { initialSort: '-ID' as const })}
      columns={[
        isOfCommand
          ? 'device'
          : {
              id: 'command',
              width: 150,
              render: ({ command }) =>
                command && <RecordLink page="/commands" record={{ id: command.id, name: nameOf(command) }} />,
            },
        { id: 'state', width: 110 },
        {
          id: 'detail',
          width: 170,
          render: (row) => {
            if (isOpen(row)) return <RowMenu actions={ACTIONS} row={row} />;
            if (row.state === 'CONFIRMED') return words.unknownIfDone;
            return [row.code, row.detail].filter(Boolean).join(': ');
          },
        },
        { id: 'since', width: 120 },
      ]}
      filters={[{ id: 'state', values: STATES }]}
    />
  );
}
