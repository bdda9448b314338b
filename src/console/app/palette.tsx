import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState, type ReactNode } from 'react';
import {
  Autocomplete,
  Dialog,
  Input,
  Menu,
  MenuItem,
  Modal,
  ModalOverlay,
  SearchField,
} from 'react-aria-components';

import { graphql, query } from '../api';
import { texts, useFormat, useTexts, type Format } from '../text';
import { Icon, type IconName } from '../ui/icon';
import { pageNames, pageOf, words as commonWords, type PageName } from '../ui/words';
import { usePages, type PageEntry } from './pages';

const words = texts({
  palette: ['Go to a page or a record', 'Ir para uma página ou um registro'],
  hint: [
    'A page, part of a name, number or tag, or NSU, authorization or last digits of a payment',
    'Uma página, parte de um nome, número ou etiqueta, ou NSU, autorização ou últimos dígitos de um pagamento',
  ],
  nothing: ['Nothing found', 'Nada encontrado'],
});

const FIND = graphql(`
  query FindRecords($text: String!) {
    search(text: $text, first: 30) {
      nodes { name isTag record { __typename id } }
    }
  }
`);

const FIND_PAYMENTS = graphql(`
  query FindPayments($text: String!, $isCard: Boolean!) {
    byNsu: transactions(first: 5, filter: { nsu: { eq: $text } }) { ...FoundPayments }
    byCode: transactions(first: 5, filter: { authorizationCode: { eq: $text } }) { ...FoundPayments }
    byCard: transactions(first: 5, filter: { lastDigits: { eq: $text } }) @include(if: $isCard) { ...FoundPayments }
  }

  fragment FoundPayments on TransactionConnection {
    nodes { id startedAt serialNumber parsed { amount nsu authorizationCode card { lastDigits } } }
  }
`);

interface Entry {
  readonly id: string;
  readonly name: string;
  /** Name of the page or of the section that it belongs to. */
  readonly kind: string;
  readonly icon: IconName;
  readonly path: string;
  /** The open record of the page, or its filter. */
  readonly search?: object;
  readonly shortcut?: string;
}

const PAUSE_MS = 150;

/** Pages, and records by name, in one list that the keyboard opens with Ctrl+K. */
export default function Palette({ onClose }: { readonly onClose: () => void }): ReactNode {
  const text = useTexts(words);
  const common = useTexts(commonWords);
  const navigate = useNavigate();
  const [typed, setTyped] = useState('');
  const { entries, hasFailed } = useEntries(typed);
  return (
    <ModalOverlay
      className="overlay overlay-top"
      isOpen
      isDismissable
      onOpenChange={(open) => !open && onClose()}
    >
      <Modal className="modal modal-palette">
        <Dialog className="dialog" aria-label={text.palette}>
          <Autocomplete inputValue={typed} onInputChange={setTyped}>
            <SearchField aria-label={text.palette} autoFocus className="palette-field">
              <Icon name="search" />
              <Input placeholder={text.hint} className="search-input" />
            </SearchField>
            <Menu
              className="options palette-options"
              items={entries}
              renderEmptyState={() => <p className="state">{hasFailed ? '' : text.nothing}</p>}
              onAction={(id) => {
                const entry = entries.find((each) => each.id === id);
                if (!entry) return;
                void navigate({ to: entry.path, search: entry.search ?? {} });
                onClose();
              }}
            >
              {({ icon, name, kind, shortcut }) => (
                <MenuItem className="option" textValue={name}>
                  <Icon name={icon} />
                  <span className="palette-name">{name}</span>
                  <small>{kind}</small>
                  {shortcut !== undefined && <kbd>{shortcut}</kbd>}
                </MenuItem>
              )}
            </Menu>
          </Autocomplete>
          {hasFailed && (
            <p className="state" role="alert">
              {common.searchFailed}
            </p>
          )}
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}

const NONE = { of: '', records: [] as readonly Entry[], hasFailed: false };

/** Pages whose names contain the text, and records that the server finds by it. */
function useEntries(typed: string) {
  const names = useTexts(pageNames);
  const format = useFormat();
  const pages = usePages();
  const [found, setFound] = useState(NONE);
  const text = typed.trim();
  useEffect(() => {
    let isOver = false;
    const find = async (): Promise<void> => {
      const finding = text === '' ? [] : [findRecords(text, pages, names), findPayments(text, format, names)];
      const records = (await Promise.all(finding).catch(() => null))?.flat();
      if (!isOver) setFound({ of: text, records: records ?? [], hasFailed: records === undefined });
    };
    const timer = setTimeout(() => void find(), PAUSE_MS);
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [text, pages, names, format]);
  const has = (name: string): boolean => name.toLowerCase().includes(text.toLowerCase());
  // Until the server answers: Enter must not open what was found for the text before.
  const records = found.of === text ? found.records : found.records.filter(({ name }) => has(name));
  const matching = pages.filter(({ name }) => has(names[name]));
  const entries: readonly Entry[] = [
    ...matching.map(({ path, name, icon, section, shortcut }) => ({
      id: path,
      name: names[name],
      kind: section === null ? '' : names[section],
      icon,
      path,
      shortcut: `G ${shortcut.toUpperCase()}`,
    })),
    ...records,
  ];
  return { entries, hasFailed: found.hasFailed && found.of === text };
}

/** The newest payments with an NSU, an authorization or the last four digits of a card; a short text finds none. */
async function findPayments(
  text: string,
  format: Format,
  names: Readonly<Record<PageName, string>>,
): Promise<readonly Entry[]> {
  if (!/^[\dA-Za-z]{3,}$/.test(text)) return [];
  const { byNsu, byCode, byCard } = await query(FIND_PAYMENTS, { text, isCard: /^\d{4}$/.test(text) });
  const found = [byNsu, byCode, byCard].flatMap((each) => each?.nodes ?? []);
  const payments = new Map(found.map((payment) => [payment.id, payment]));
  return Array.from(payments.values(), ({ id, startedAt, serialNumber, parsed }): Entry => {
    const amount = parsed ? format.amount(parsed.amount) : '';
    const name = [amount, serialNumber, format.time(startedAt)].join(' · ');
    return {
      id,
      name,
      kind: names.transactions,
      icon: 'payment',
      path: '/transactions',
      search: { open: id },
    };
  });
}

async function findRecords(
  text: string,
  pages: readonly PageEntry[],
  names: Readonly<Record<PageName, string>>,
): Promise<readonly Entry[]> {
  const { search } = await query(FIND, { text });
  return search.nodes.flatMap(({ name, isTag, record }) => {
    const page = pages.find((each) => each.path === pageOf(record?.__typename ?? ''));
    if (!page || !record) return [];
    const { path, icon } = page;
    const kind = isTag ? `${names.tags} · ${names[page.name]}` : names[page.name];
    const search: object = isTag ? { filter: { tags: { eq: name } } } : { open: record.id };
    return [{ id: isTag ? `${path} ${name}` : record.id, name, kind, icon, path, search }];
  });
}
