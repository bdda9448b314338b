import { Suspense, useState, type ReactNode } from 'react';

import { useMay } from '../app/session';
import { Button, type ButtonProps } from '../ui/button';

export interface DialogButtonProps extends Pick<ButtonProps, 'icon' | 'look'> {
  readonly label: string;
  /** The window, while it is open. */
  readonly dialog: (close: () => void) => ReactNode;
}

/** A button that opens a window in which records are changed, for those who may. */
export function DialogButton({ label, icon = 'add', look = 'plain', dialog }: DialogButtonProps): ReactNode {
  const [isOpen, setOpen] = useState(false);
  if (!useMay('WRITE')) return null;
  return (
    <>
      <Button icon={icon} look={look} onPress={() => setOpen(true)}>
        {label}
      </Button>
      {isOpen && <Suspense>{dialog(() => setOpen(false))}</Suspense>}
    </>
  );
}
