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
import { containing } from '../record/find';
import { nameOf, type Named } from '../record/link';
import { texts, useTexts } from '../text';
import { Icon, type IconName } from '../ui/icon';
import { pageNames, usePages, type PageName } from './pages';

const words = texts({
  palette: ['Go to a page or a record', 'Ir para uma página ou um registro'],
  hint: [
    'A page, a serial number, a logical number, a group, an app or a file',
    'Página, número de série, número lógico, grupo, aplicativo ou arquivo',
  ],
  nothing: ['Nothing found', 'Nada encontrado'],
});

const FIND = graphql(`
  query FindRecords(
    $text: String!, $devices: DeviceFilter!, $groups: GroupFilter!, $apps: AppFilter!, $files: FileFilter!
  ) {
    devices(first: 5, filter: $devices) { nodes { id serialNumber } }
    logicalNumbers(first: 5, filter: { number: { startsWith: $text } }) { nodes { id number } }
    groups(first: 5, filter: $groups) { nodes { id name } }
    apps(first: 5, filter: $apps) { nodes { id name } }
    files(first: 5, filter: $files) { nodes { id name } }
  }
`);

interface Entry {
  readonly id: string;
  readonly name: string;
  /** Name of the page or of the section that it belongs to. */
  readonly kind: string;
  readonly icon: IconName;
  readonly path: string;
  /** Record that is opened in the page. */
  readonly open?: string;
  readonly shortcut?: string;
}

const PAUSE_MS = 150;

/** Pages, and records by name, in one list that the keyboard opens with Ctrl+K. */
export default function Palette({ onClose }: { readonly onClose: () => void }): ReactNode {
  const text = useTexts(words);
  const navigate = useNavigate();
  const [typed, setTyped] = useState('');
  const entries = useEntries(typed);
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
              renderEmptyState={() => <p className="state">{text.nothing}</p>}
              onAction={(id) => {
                const entry = entries.find((each) => each.id === id);
                if (!entry) return;
                const search = entry.open === undefined ? {} : { open: entry.open };
                void navigate({ to: entry.path, search });
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
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}

/** Pages whose names contain the text, and records that the server finds by it. */
function useEntries(typed: string): readonly Entry[] {
  const names = useTexts(pageNames);
  const pages = usePages();
  const [records, setRecords] = useState<readonly Entry[]>([]);
  const text = typed.trim();
  useEffect(() => {
    let isOver = false;
    const find = async (): Promise<void> => {
      const found = text === '' ? [] : await findRecords(text, names).catch(() => []);
      if (!isOver) setRecords(found);
    };
    const timer = setTimeout(() => void find(), PAUSE_MS);
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [text, names]);
  const matching = pages.filter(({ name }) => names[name].toLowerCase().includes(text.toLowerCase()));
  return [
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
}

async function findRecords(
  text: string,
  kinds: Readonly<Record<PageName, string>>,
): Promise<readonly Entry[]> {
  const named = containing('name', text);
  const { devices, logicalNumbers, groups, apps, files } = await query(FIND, {
    text,
    devices: containing('serialNumber', text),
    groups: named,
    apps: named,
    files: named,
  });
  const entries = (page: PageName, icon: IconName, records: readonly Named[]): readonly Entry[] =>
    records.map((record) => ({
      id: record.id,
      name: nameOf(record),
      kind: kinds[page],
      icon,
      path: `/${page}`,
      open: record.id,
    }));
  return [
    ...entries('devices', 'device', devices.nodes),
    ...entries('logical-numbers', 'number', logicalNumbers.nodes),
    ...entries('groups', 'group', groups.nodes),
    ...entries('apps', 'box', apps.nodes),
    ...entries('files', 'file', files.nodes),
  ];
}
