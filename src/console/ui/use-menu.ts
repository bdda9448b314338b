import { useRef, useState, type KeyboardEvent } from 'react';

/** Opens a menu, whose code is loaded then, from a button: spread `trigger` on the button. */
export function useMenu() {
  const triggerRef = useRef<HTMLButtonElement>(null);
  const [isOpen, setOpen] = useState(false);
  const [wasOpened, setOpened] = useState(false);
  const open = (): void => {
    setOpen(true);
    setOpened(true);
  };
  const trigger = {
    ref: triggerRef,
    'aria-haspopup': 'menu',
    'aria-expanded': isOpen,
    onPress: open,
    onKeyDown: ({ key }: Pick<KeyboardEvent, 'key'>) => key === 'ArrowDown' && open(),
  } as const;
  // A menu stays once it was opened, so that what was chosen in it can end.
  return { isOpen, wasOpened, setOpen, triggerRef, trigger };
}

export type MenuState = ReturnType<typeof useMenu>;
