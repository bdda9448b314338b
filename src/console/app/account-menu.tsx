import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Header, MenuItem, MenuSection, Separator, type MenuItemProps } from 'react-aria-components';

import { mutations, useMutation } from '../api';
import { type Option, texts, useTexts } from '../text';
import { Icon } from '../ui/icon';
import { MenuPopover } from '../ui/open-menu';
import type { MenuState } from '../ui/use-menu';
import { setPreferences, usePreferences, type Theme } from './preferences';
import { goOnIn, useSession } from './session';

const words = texts({
  account: ['Account, tokens and sessions', 'Conta, tokens e sessões'],
  companies: ['Company', 'Empresa'],
  theme: ['Theme', 'Tema'],
  system: ['As the system', 'Como o sistema'],
  light: ['Light', 'Claro'],
  dark: ['Dark', 'Escuro'],
  language: ['Português (Brasil)', 'English'],
  shortcuts: ['Shortcuts', 'Atalhos'],
  docs: ['REST API documents', 'Documentos da API REST'],
  signOut: ['Sign out', 'Sair'],
});

interface AccountMenuProps {
  readonly menu: MenuState;
  readonly label: string;
  readonly onShortcuts: () => void;
}

/** Account, language, theme, company, documents and sign-out of the signed-in person. */
export default function AccountMenu({ menu, label, onShortcuts }: AccountMenuProps): ReactNode {
  const text = useTexts(words);
  const navigate = useNavigate();
  const { viewer, leave } = useSession();
  const { language, theme } = usePreferences();
  const signOut = useMutation(mutations.signOut);
  const companySwitch = useMutation(mutations.companySwitch);
  const changeCompany = async (companyId: string): Promise<void> => {
    if (await companySwitch.run({ companyId })) goOnIn(companyId);
  };
  const leaveConsole = async (): Promise<void> => {
    if (await signOut.run({})) leave();
  };
  return (
    <MenuPopover menu={menu} label={label}>
      <Item onAction={() => void navigate({ to: '/account' })}>{text.account}</Item>
      <Item onAction={() => setPreferences({ language: language === 'pt' ? 'en' : 'pt' })}>
        {text.language}
      </Item>
      <Item onAction={onShortcuts}>{text.shortcuts}</Item>
      <OneOf
        title={text.theme}
        options={(['system', 'light', 'dark'] as const).map((value) => ({ value, label: text[value] }))}
        value={theme}
        onChange={(chosen) => setPreferences({ theme: chosen as Theme })}
      />
      {viewer.companies.length > 1 && (
        <OneOf
          title={text.companies}
          options={viewer.companies.map(({ company: { id, name } }) => ({ value: id, label: name }))}
          value={viewer.company?.id}
          onChange={(id) => void changeCompany(id)}
        />
      )}
      <Separator className="option-line" />
      <Item href="/docs" target="_blank">
        {text.docs}
      </Item>
      {document.documentElement.hasAttribute('data-graphiql') && (
        <Item href="/graphql" target="_blank">
          GraphiQL
        </Item>
      )}
      <Item onAction={() => void leaveConsole()}>{text.signOut}</Item>
    </MenuPopover>
  );
}

const Item = (props: MenuItemProps): ReactNode => <MenuItem {...props} className="option" />;

interface OneOfProps {
  readonly title: string;
  readonly options: readonly Option[];
  readonly value: string | undefined;
  readonly onChange: (value: string) => void;
}

/** A part of the menu of which one entry is ticked. */
function OneOf({ title, options, value, onChange }: OneOfProps): ReactNode {
  return (
    <MenuSection
      selectionMode="single"
      disallowEmptySelection
      selectedKeys={value === undefined ? [] : [value]}
      onSelectionChange={(keys) => keys !== 'all' && onChange([...keys].join())}
    >
      <Header className="option-header">{title}</Header>
      {options.map((option) => (
        <Item key={option.value} id={option.value} textValue={option.label}>
          <Icon name="check" />
          {option.label}
        </Item>
      ))}
    </MenuSection>
  );
}
