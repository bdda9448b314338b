import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import {
  Button as AriaButton,
  Header,
  Menu,
  MenuItem,
  MenuSection,
  MenuTrigger,
  Popover,
  Separator,
  type Selection,
} from 'react-aria-components';

import { graphql } from '../api/graphql';
import { useMutation } from '../api/mutation';
import { texts, useTexts } from '../text';
import { Icon } from '../ui/icon';
import { setPreferences, usePreferences, type Theme } from './preferences';
import { useSession } from './session';
import { showShortcuts } from './shortcuts';

const SIGN_OUT = graphql(`
  mutation SignOut {
    signOut {
      userErrors { code message path rule params }
    }
  }
`);

const COMPANY_SWITCH = graphql(`
  mutation CompanySwitch($companyId: ID!) {
    companySwitch(companyId: $companyId) {
      userErrors { code message path rule params }
    }
  }
`);

const words = texts({
  menu: ['Account menu', 'Menu da conta'],
  account: ['Account, tokens and sessions', 'Conta, tokens e sessões'],
  companies: ['Company', 'Empresa'],
  theme: ['Theme', 'Tema'],
  system: ['As the system', 'Como o sistema'],
  light: ['Light', 'Claro'],
  dark: ['Dark', 'Escuro'],
  language: ['Português (Brasil)', 'English'],
  shortcuts: ['Shortcuts', 'Atalhos'],
  docs: ['REST API documents', 'Documentos da API REST'],
  graphiql: ['GraphiQL', 'GraphiQL'],
  signOut: ['Sign out', 'Sair'],
});

/** The person who is signed in, the company, and what the person sets for the console. */
export function AccountMenu(): ReactNode {
  const text = useTexts(words);
  const navigate = useNavigate();
  const { viewer, leave } = useSession();
  const { language } = usePreferences();
  const signOut = useMutation(SIGN_OUT);
  const hasGraphiql = document.documentElement.hasAttribute('data-graphiql');
  const leaveConsole = async (): Promise<void> => {
    if (await signOut.run({})) leave();
  };
  return (
    <MenuTrigger>
      <AriaButton className="button button-quiet account">
        <Icon name="user" />
        <span className="wide-only">{viewer.user?.name}</span>
        <small className="wide-only">{viewer.company?.name}</small>
        <span className="unseen">{text.menu}</span>
        <Icon name="down" />
      </AriaButton>
      <Popover className="popover">
        <Menu className="options" aria-label={text.menu}>
          <MenuItem className="option" onAction={() => void navigate({ to: '/account' })}>
            {text.account}
          </MenuItem>
          <MenuItem
            className="option"
            onAction={() => setPreferences({ language: language === 'pt' ? 'en' : 'pt' })}
          >
            {text.language}
          </MenuItem>
          <MenuItem className="option" onAction={showShortcuts}>
            {text.shortcuts}
          </MenuItem>
          <ThemeSection />
          <CompanySection />
          <Separator className="option-line" />
          <MenuItem className="option" href="/docs" target="_blank">
            {text.docs}
          </MenuItem>
          {hasGraphiql && (
            <MenuItem className="option" href="/graphql" target="_blank">
              {text.graphiql}
            </MenuItem>
          )}
          <MenuItem className="option" onAction={() => void leaveConsole()}>
            {text.signOut}
          </MenuItem>
        </Menu>
      </Popover>
    </MenuTrigger>
  );
}

function ThemeSection(): ReactNode {
  const text = useTexts(words);
  const { theme } = usePreferences();
  return (
    <MenuSection
      selectionMode="single"
      disallowEmptySelection
      selectedKeys={[theme]}
      onSelectionChange={(keys) => setPreferences({ theme: onlyOf(keys) as Theme })}
    >
      <Header className="option-header">{text.theme}</Header>
      {(['system', 'light', 'dark'] as const).map((each) => (
        <MenuItem key={each} id={each} className="option">
          <Icon name="check" />
          {text[each]}
        </MenuItem>
      ))}
    </MenuSection>
  );
}

/** The one key that is selected. */
const onlyOf = (keys: Selection): string => (keys === 'all' ? '' : [...keys].join());

/** Companies of the person, where there is more than one. */
function CompanySection(): ReactNode {
  const text = useTexts(words);
  const navigate = useNavigate();
  const { viewer, restart } = useSession();
  const { run } = useMutation(COMPANY_SWITCH);
  if (viewer.companies.length < 2) return null;
  const change = async (companyId: string): Promise<void> => {
    if (!(await run({ companyId }))) return;
    await navigate({ to: '/overview' });
    restart();
  };
  return (
    <MenuSection
      selectionMode="single"
      disallowEmptySelection
      selectedKeys={viewer.company ? [viewer.company.id] : []}
      onSelectionChange={(keys) => void change(onlyOf(keys))}
    >
      <Header className="option-header">{text.companies}</Header>
      {viewer.companies.map(({ company }) => (
        <MenuItem key={company.id} id={company.id} className="option">
          <Icon name="check" />
          {company.name}
        </MenuItem>
      ))}
    </MenuSection>
  );
}
