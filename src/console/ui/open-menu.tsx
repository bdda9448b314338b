import type { ReactNode } from 'react';
import { Menu, MenuItem, Popover, type MenuProps } from 'react-aria-components';

import { Icon, type IconName } from './icon';
import type { MenuState } from './use-menu';

export interface MenuEntry {
  readonly id: string;
  readonly icon: IconName;
  readonly name: string;
}

interface MenuPopoverProps<Entry> extends MenuProps<Entry> {
  readonly menu: MenuState;
  readonly label: string;
}

export function MenuPopover<Entry extends object>(props: MenuPopoverProps<Entry>): ReactNode {
  const { menu, label, ...entries } = props;
  const { isOpen, setOpen, triggerRef } = menu;
  return (
    <Popover
      className="popover"
      isOpen={isOpen}
      onOpenChange={setOpen}
      triggerRef={triggerRef}
      aria-label={label}
    >
      <Menu
        {...entries}
        className="options"
        aria-label={label}
        autoFocus="first"
        onClose={() => setOpen(false)}
      />
    </Popover>
  );
}

export default function OpenMenu(props: MenuPopoverProps<MenuEntry>): ReactNode {
  return (
    <MenuPopover {...props}>
      {(item) => (
        <MenuItem className="option" textValue={item.name}>
          <Icon name={item.icon} />
          {item.name}
        </MenuItem>
      )}
    </MenuPopover>
  );
}
