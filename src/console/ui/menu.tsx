import { lazy, Suspense, useRef, useState, type KeyboardEvent, type ReactNode } from 'react';
import type { MenuProps } from 'react-aria-components';

import { IconButton } from './button';
import type { IconName } from './icon';
import type { Item, MenuState } from './open-menu';

const OpenMenu = lazy(() => import('./open-menu'));

/** A menu that is closed, and opened by the button that gets `trigger`. */
export function useMenu(): MenuState {
  const triggerRef = useRef<HTMLButtonElement>(null);
  const [isOpen, setOpen] = useState(false);
  const [isLoaded, setLoaded] = useState(false);
  const open = (): void => {
    setOpen(true);
    setLoaded(true);
  };
  const trigger = {
    ref: triggerRef,
    'aria-haspopup': 'menu',
    'aria-expanded': isOpen,
    onPress: open,
    onKeyDown: ({ key }: Pick<KeyboardEvent, 'key'>) => key === 'ArrowDown' && open(),
  } as const;
  return { isOpen, isLoaded, setOpen, triggerRef, trigger };
}

interface MenuButtonProps extends Omit<MenuProps<Item>, 'children'> {
  readonly icon: IconName;
  readonly label: string;
  readonly items: readonly Item[];
}

/** A button that opens a menu, such as the actions of a row. */
export function MenuButton({ icon, label, ...items }: MenuButtonProps): ReactNode {
  const menu = useMenu();
  return (
    <>
      <IconButton icon={icon} label={label} {...menu.trigger} />
      <Suspense>{menu.isLoaded && <OpenMenu {...items} menu={menu} label={label} />}</Suspense>
    </>
  );
}
