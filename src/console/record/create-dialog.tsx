import { lazy, Suspense, type ReactNode } from 'react';

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
