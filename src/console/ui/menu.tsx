import type { ReactNode } from 'react';
import { Menu, MenuItem, MenuTrigger, Popover } from 'react-aria-components';

import { IconButton } from './button';
import { Icon, type IconName } from './icon';

export interface MenuAction {
  readonly id: string;
  readonly name: string;
  readonly icon?: IconName;
  readonly run: () => void;
}

/** A button that opens a list of actions, such as those of a row. */
export function ActionMenu(props: {
  readonly label: string;
  readonly actions: readonly MenuAction[];
}): ReactNode {
  return (
    <MenuTrigger>
      <IconButton icon="more" label={props.label} />
      <Popover className="popover">
        <Menu className="options" aria-label={props.label} items={props.actions}>
          {({ name, icon, run }) => (
            <MenuItem className="option" textValue={name} onAction={run}>
              {icon && <Icon name={icon} />}
              {name}
            </MenuItem>
          )}
        </Menu>
      </Popover>
    </MenuTrigger>
  );
}
