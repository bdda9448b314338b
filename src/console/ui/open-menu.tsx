import type { KeyboardEvent, ReactNode, RefObject } from 'react';
import { Menu, MenuItem, Popover, type MenuProps } from 'react-aria-components';

import { Icon, type IconName } from './icon';

/** The state of a menu, which is loaded when it is first opened. */
export interface MenuState {
  readonly isOpen: boolean;
  /** True once it was opened, after which it stays, so that what was chosen in it can end. */
  readonly isLoaded: boolean;
  readonly setOpen: (isOpen: boolean) => void;
  readonly triggerRef: RefObject<HTMLButtonElement | null>;
  /** Properties of the button that opens it. */
  readonly trigger: {
    readonly ref: RefObject<HTMLButtonElement | null>;
    readonly 'aria-haspopup': 'menu';
    readonly 'aria-expanded': boolean;
    readonly onPress: () => void;
    readonly onKeyDown: (event: Pick<KeyboardEvent, 'key'>) => void;
  };
}

export interface Item {
  readonly id: string;
  readonly icon: IconName;
  readonly name: string;
}

interface MenuPopoverProps<Entry> extends MenuProps<Entry> {
  readonly menu: MenuState;
  readonly label: string;
}

/** An open menu beside its button. */
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

export default function OpenMenu(props: MenuPopoverProps<Item>): ReactNode {
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
