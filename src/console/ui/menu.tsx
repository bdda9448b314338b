import { lazy, Suspense, type ReactNode } from 'react';
import type { MenuProps } from 'react-aria-components';

import { IconButton } from './button';
import type { IconName } from './icon';
import type { MenuEntry } from './open-menu';
import { useMenu } from './use-menu';

const OpenMenu = lazy(() => import('./open-menu'));

interface MenuButtonProps extends Omit<MenuProps<MenuEntry>, 'children'> {
  readonly icon: IconName;
  readonly label: string;
  readonly items: readonly MenuEntry[];
}

/** A button that opens a menu, such as the actions of a row. */
export function MenuButton({ icon, label, ...items }: MenuButtonProps): ReactNode {
  const menu = useMenu();
  return (
    <>
      <IconButton icon={icon} label={label} {...menu.trigger} />
      <Suspense>{menu.wasOpened && <OpenMenu {...items} menu={menu} label={label} />}</Suspense>
    </>
  );
}
