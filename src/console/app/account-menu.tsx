import type { ReactNode } from 'react';
import { Button as AriaButton, Menu, MenuItem, MenuTrigger, Popover } from 'react-aria-components';

import { texts, useTexts } from '../text';
import { Icon } from '../ui/icon';
import { setPreferences, usePreferences } from './preferences';
import { useSession } from './session';

const words = texts({
  en: {
    account: 'Account',
    language: 'Português',
    theme: { system: 'Theme: as the system', light: 'Theme: light', dark: 'Theme: dark' }.system,
  },
  pt: { account: 'Conta', language: 'English', theme: 'Tema' },
});

/** The person who is signed in, and what belongs to the person. */
export function AccountMenu(): ReactNode {
  const text = useTexts(words);
  const { viewer } = useSession();
  const preferences = usePreferences();
  return (
    <MenuTrigger>
      <AriaButton className="button button-quiet account" aria-label={text.account}>
        <Icon name="user" />
        <span>{viewer.user?.name}</span>
        <small>{viewer.company?.name}</small>
      </AriaButton>
      <Popover className="popover">
        <Menu className="options">
          <MenuItem
            className="option"
            onAction={() => setPreferences({ language: preferences.language === 'pt' ? 'en' : 'pt' })}
          >
            {text.language}
          </MenuItem>
        </Menu>
      </Popover>
    </MenuTrigger>
  );
}
