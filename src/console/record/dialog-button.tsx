import { Suspense, useState, type ReactNode } from 'react';

import { useMay } from '../app/session';
import type { Scope } from '../gql/graphql';
import { Button, type ButtonProps } from '../ui/button';

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
