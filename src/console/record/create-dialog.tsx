import { lazy, Suspense, type ReactNode } from 'react';

import type { DialogButtonProps } from './dialog-button';
import type { CreateDialogProps } from './fields';

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
