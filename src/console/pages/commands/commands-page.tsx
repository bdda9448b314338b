import { Fragment, type ReactNode } from 'react';

import { fragment, graphql, mutations, useSubscription } from '../../api';
import { useMay } from '../../app/session';
import type { CommandRecordFragment } from '../../gql/graphql';
import { ActionButton } from '../../record/dialog-button';
import { findMembers } from '../../record/find';
import { RecordPanel } from '../../record/panel';
import { useListAddress } from '../../table/address';
import { ListPage } from '../../table/list-page';
import { listOf } from '../../table/rows';
import { Facts, State } from '../../table/shown';
import { Badge } from '../../ui/facts';
import { ACTIONS, RESET_CONFIG } from './command-dialog';
import { STATES, TerminalCommands } from './terminal-commands';
import { useCommandName, useCommandWords } from './words';

const COMMAND = fragment(`
  fragment CommandRecord on Command {
    id action parameters state createdAt expiresAt urgent
    createdBy { name }
    summary { waiting sent confirmed done failed expired cancelled replaced }
  }
`);

export default function CommandsPage(): ReactNode {
  const words = useCommandWords();
  const nameOf = useCommandName();
  const isAdmin = useMay('ADMIN');
  const actions = [...ACTIONS, RESET_CONFIG].map((value) => ({
    value,
    label: nameOf({ action: value, parameters: [] }),
  }));
  return (
    <ListPage
      id="commands"
      text={words}
      source={listOf(COMMAND)}
      initialSort="-CREATED_AT"
      columns={[
        { id: 'action', width: 190, render: nameOf },
        { id: 'summary', width: 260, render: (command) => <Figures {...command} /> },
        { id: 'state', width: 130, render: ({ state }) => words[state] },
        { id: 'createdAt', width: 125 },
        { id: 'createdBy', width: 125 },
        { id: 'expiresAt', width: 125 },
        {
          id: 'urgent',
          width: 90,
          render: ({ urgent }) => urgent && <Badge tone="warning">{words.urgent}</Badge>,
        },
      ]}
      filters={[
        { id: 'action', options: actions },
        { id: 'state', values: ['OPEN', 'ENDED'] },
        'createdAt',
        'expiresAt',
        { id: 'id', title: words.commands, isOfLinks: true },
        ...(isAdmin ? [{ id: 'createdById', find: findMembers } as const] : []),
      ]}
      panel={<CommandPanel />}
    />
  );
}

/** Number of terminals in each state that some are in. */
function Figures({ summary }: Pick<CommandRecordFragment, 'summary'>): ReactNode {
  return STATES.map((state) => {
    const count = summary[state.toLowerCase() as Lowercase<typeof state>];
    return (
      count > 0 && (
        <Fragment key={state}>
          <State of={state} count={count} />{' '}
        </Fragment>
      )
    );
  });
}

const CHANGED = graphql(`
  subscription CommandChanged($id: ID!) {
    commandChanged(id: $id) { sequence }
  }
`);

/** A command and what became of it on each terminal, followed while it is open. */
function CommandPanel(): ReactNode {
  const words = useCommandWords();
  const nameOf = useCommandName();
  const [{ open: id = '' }] = useListAddress();
  useSubscription(CHANGED, { id }, 'COMMAND');
  return (
    <RecordPanel
      fragment={COMMAND}
      title={nameOf}
      actions={({ summary }) =>
        summary.waiting + summary.sent > 0 && (
          <ActionButton
            label={words.cancelAll}
            isDangerous
            help={words.cancelCommandHelp}
            document={mutations.commandCancel}
            variables={{ id }}
            done={words.cancelCommandDone}
          />
        )
      }
      tabs={(command) => ({
        terminals: (
          <>
            <p>
              {words.allTerminals} <Figures {...command} />
            </p>
            <TerminalCommands id={id} isOfCommand />
          </>
        ),
        facts: (
          <Facts
            record={command}
            facts={[
              { id: 'action', value: nameOf(command) },
              'createdAt',
              'createdBy',
              'expiresAt',
              { id: 'urgent', value: command.urgent ? words.yes : words.no },
            ]}
          />
        ),
      })}
    />
  );
}
