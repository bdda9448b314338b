import type { ReactNode } from 'react';
import { Menu, MenuItem, MenuTrigger, Popover, type MenuProps } from 'react-aria-components';

import { IconButton } from './button';
import { Icon, type IconName } from './icon';

interface Item {
  readonly id: string;
  readonly icon: IconName;
  readonly name: string;
}

interface MenuButtonProps extends Omit<MenuProps<Item>, 'children'> {
  readonly icon: IconName;
  readonly label: string;
  readonly items: readonly Item[];
}

/** A button that opens a menu, such as the actions of a row. */
export function MenuButton({ icon, label, ...menu }: MenuButtonProps): ReactNode {
  return (
    <MenuTrigger>
      <IconButton icon={icon} label={label} />
      <Popover className="popover">
        <Menu {...menu} className="options" aria-label={label}>
          {(item) => (
            <MenuItem className="option" textValue={item.name}>
              <Icon name={item.icon} />
              {item.name}
            </MenuItem>
          )}
        </Menu>
      </Popover>
    </MenuTrigger>
  );
}
