import { lazy, Suspense, useState, type ReactNode } from 'react';

import { useMay } from '../app/session';
import { texts, useLabel, useTexts } from '../text';
import { Button } from '../ui/button';
import { MenuButton } from '../ui/menu';
import { notify } from '../ui/toasts';
import type ActionDialogType from './action-dialog';
import type { ActionDialogProps } from './action-dialog';
import { useRun, type RecordAction, type RecordActions } from './bulk';
import { nameOf } from './link';

const ActionDialog = lazy(() => import('./action-dialog')) as unknown as typeof ActionDialogType;

const words = texts({
  actionsOf: [(name: string) => `Actions for ${name}`, (name: string) => `Ações de ${name}`],
});

/** The window of an action, and how to open it. */
function useActionDialog<Row extends { readonly id: string }>(
  props: Omit<ActionDialogProps<Row>, 'action' | 'onClose'>,
): readonly [ReactNode, (action: RecordAction<Row>) => void] {
  const [action, setAction] = useState<RecordAction<Row> | null>(null);
  const shared = { ...props, onClose: () => setAction(null) };
  const dialog = action && (action.dialog?.(shared) ?? <ActionDialog {...shared} action={action} />);
  return [<Suspense key="action">{dialog}</Suspense>, setAction];
}

/** Buttons for what may be done with selected records. */
export function SelectionActions<Row extends { readonly id: string }>(
  props: Omit<ActionDialogProps<Row>, 'action' | 'onClose'> & { readonly actions: RecordActions<Row> },
): ReactNode {
  const label = useLabel();
  const [dialog, ask] = useActionDialog(props);
  const offered = props.actions.filter(({ isJob }) => props.all == null || isJob === true);
  return (
    <>
      {offered.map((each) => (
        <Button
          key={each.id}
          icon={each.icon}
          variant={each.isDangerous === true ? 'danger' : 'plain'}
          onPress={() => ask(each)}
        >
          {label(each.id)}
        </Button>
      ))}
      {dialog}
    </>
  );
}

/** Menu of what may be done with one record; a button where that is one thing, unless `isMenu`. */
export function RowMenu<Row extends { readonly id: string }>(props: {
  readonly actions: RecordActions<Row>;
  readonly row: Row;
  readonly isMenu?: boolean;
}): ReactNode {
  const text = useTexts(words);
  const label = useLabel();
  const { row, actions } = props;
  const run = useRun<Row>();
  const [dialog, ask] = useActionDialog({ rows: [row] });
  const begin = async (chosen: RecordAction<Row>): Promise<void> => {
    if (chosen.isDangerous === true || chosen.fields || chosen.dialog) {
      ask(chosen);
      return;
    }
    const [failed] = (await run(chosen, [row], {})).failed;
    if (failed) notify({ text: failed.message, tone: 'bad' });
  };
  const offered = actions.filter(({ isFor }) => isFor?.(row) ?? true);
  if (!useMay('WRITE') || offered.length === 0) return null;
  const [only] = actions.length === 1 && props.isMenu !== true ? offered : [];
  return (
    <>
      {only ? (
        <Button onPress={() => void begin(only)}>{label(only.id)}</Button>
      ) : (
        <MenuButton
          icon="more"
          label={text.actionsOf(nameOf(row))}
          items={offered.map((each) => ({ ...each, name: label(each.id) }))}
          onAction={(chosen) => offered.filter(({ id }) => id === chosen).forEach((each) => void begin(each))}
        />
      )}
      {dialog}
    </>
  );
}
