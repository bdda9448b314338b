import { lazy, Suspense, useState, type ReactNode } from 'react';

import { useMay } from '../app/session';
import type { Scope } from '../gql/graphql';
import { Button, type ButtonProps } from '../ui/button';
import type { CreateDialogProps } from './fields';

export interface DialogButtonProps extends Pick<ButtonProps, 'icon' | 'look'> {
  readonly label: string;
  /** Right without which there is no button. */
  readonly scope?: Scope;
  /** The window, while it is open. */
  readonly dialog: (close: () => void) => ReactNode;
}

/** A button that opens a window in which records are changed, for those who may. */
export function DialogButton(props: DialogButtonProps): ReactNode {
  const { label, icon = 'add', look = 'plain', scope = 'WRITE', dialog } = props;
  const [isOpen, setOpen] = useState(false);
  if (!useMay(scope)) return null;
  return (
    <>
      <Button icon={icon} look={look} onPress={() => setOpen(true)}>
        {label}
      </Button>
      {isOpen && <Suspense>{dialog(() => setOpen(false))}</Suspense>}
    </>
  );
}

const Loaded = lazy(async () => ({ default: (await import('./fields')).CreateDialog })) as <
  Data extends object,
  Variables extends object,
  Values extends object,
>(
  props: CreateDialogProps<Data, Variables, Values>,
) => ReactNode;

/** A window with a form that creates something. It is loaded when it is shown. */
export function CreateDialog<Data extends object, Variables extends object, Values extends object>(
  props: CreateDialogProps<Data, Variables, Values>,
): ReactNode {
  return (
    <Suspense>
      <Loaded {...props} />
    </Suspense>
  );
}

/** The button of a list that opens such a window. */
export const creating = <Data extends object, Variables extends object, Values extends object>(
  props: Omit<CreateDialogProps<Data, Variables, Values>, 'onClose'>,
): DialogButtonProps => ({
  label: props.title,
  dialog: (close) => <CreateDialog {...props} onClose={close} />,
});
