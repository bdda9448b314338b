import type { ReactNode } from 'react';
import { Menu, MenuTrigger, Popover, type MenuProps } from 'react-aria-components';

import { IconButton } from './button';
import type { IconName } from './icon';

interface MenuButtonProps<Item> extends MenuProps<Item> {
  readonly icon: IconName;
  readonly label: string;
}

/** A button that opens a menu, such as the actions of a row. */
export function MenuButton<Item extends object>(props: MenuButtonProps<Item>): ReactNode {
  const { icon, label, ...menu } = props;
  return (
    <MenuTrigger>
      <IconButton icon={icon} label={label} />
      <Popover className="popover">
        <Menu {...menu} className="options" aria-label={label} />
      </Popover>
    </MenuTrigger>
  );
}
