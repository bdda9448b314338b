import { lazy, Suspense, useState, type ReactNode } from 'react';
import { MenuItem } from 'react-aria-components';

import { useMay } from '../app/session';
import { texts, useTexts } from '../text';
import { Button } from '../ui/button';
import { Icon } from '../ui/icon';
import { MenuButton } from '../ui/menu';
import { notify } from '../ui/toasts';
import { useRun, type RecordAction, type RecordActions } from './bulk';
import type { BulkDialogProps } from './bulk-dialog';
import type JobDialogType from './job-dialog';

const BulkDialog = lazy(() => import('./bulk-dialog')) as unknown as <Row, Values extends object>(
  props: BulkDialogProps<Row, Values>,
) => ReactNode;

const JobDialog = lazy(() => import('./job-dialog')) as typeof JobDialogType;

const words = texts({
  actionsOf: [(name: string) => `Actions for ${name}`, (name: string) => `Ações de ${name}`],
});

interface ActionDialogProps<Row extends Selected, Values> extends BulkDialogProps<Row, Values> {
  /** The filter of all records that are selected, in place of `rows`. */
  readonly all?: object | null;
}

interface Selected {
  readonly id: string;
}

/** Asks for what an action takes, and does it: many devices by a job, other records one by one. */
function ActionDialog<Row extends Selected, Values extends object>(
  props: ActionDialogProps<Row, Values>,
): ReactNode {
  const { action, actions, rows, all = null } = props;
  const isJob = action.input && (all !== null || rows.length > 1 || !action.change);
  if (isJob !== true) return <BulkDialog {...props} />;
  const everything = all !== null && Object.keys(all).length === 0;
  const ids = rows.map(({ id }) => id);
  const target = everything ? { all: true } : all === null ? { ids } : { filter: all };
  return <JobDialog {...props} empty={actions.empty} target={target} />;
}

/** Buttons for what may be done with selected records. */
export function SelectionActions<Row extends Selected, Values extends object>(
  props: Omit<ActionDialogProps<Row, Values>, 'action' | 'onClose'>,
): ReactNode {
  const [action, setAction] = useState<RecordAction<Row, Values> | null>(null);
  const offered = props.actions.actions.filter(({ input }) => props.all == null || input);
  return (
    <>
      {offered.map((each) => (
        <Button
          key={each.name}
          icon={each.icon}
          look={each.isDangerous === true ? 'danger' : 'plain'}
          onPress={() => setAction(each)}
        >
          {each.name}
        </Button>
      ))}
      <Suspense>
        {action && <ActionDialog {...props} action={action} onClose={() => setAction(null)} />}
      </Suspense>
    </>
  );
}

/** Menu of what may be done with one record; a button where that is one thing. */
export function RowMenu<Row extends Selected, Values extends object>(props: {
  readonly actions: RecordActions<Row, Values>;
  readonly row: Row;
}): ReactNode {
  const text = useTexts(words);
  const { row, actions } = props;
  const run = useRun(actions);
  const [action, setAction] = useState<RecordAction<Row, Values> | null>(null);
  const close = (): void => setAction(null);
  const begin = async (chosen: RecordAction<Row, Values>): Promise<void> => {
    if (chosen.isDangerous === true || chosen.fields) {
      setAction(chosen);
      return;
    }
    const [failed] = (await run(chosen, [row], actions.empty)).failed;
    if (failed) notify({ text: failed.message, tone: 'bad' });
  };
  if (!useMay('WRITE')) return null;
  const offered = actions.actions.filter(({ isFor }) => isFor?.(row) ?? true);
  const [only] = actions.actions.length === 1 ? offered : [];
  return (
    <>
      {only ? (
        <Button onPress={() => void begin(only)}>{only.name}</Button>
      ) : (
        <MenuButton icon="more" label={text.actionsOf(actions.nameOf(row))}>
          {offered.map((each) => (
            <MenuItem
              key={each.name}
              className="option"
              textValue={each.name}
              onAction={() => void begin(each)}
            >
              <Icon name={each.icon} />
              {each.name}
            </MenuItem>
          ))}
        </MenuButton>
      )}
      <Suspense>
        {action && (
          <ActionDialog actions={actions} action={action} rows={[row]} onDone={close} onClose={close} />
        )}
      </Suspense>
    </>
  );
}
