import { useNavigate } from '@tanstack/react-router';
import { useEffect, useEffectEvent, useState, type ReactNode } from 'react';

import { texts, useTexts } from '../text';
import { Dialog } from '../ui/dialog';
import { pageNames, usePages } from './pages';
import { Palette } from './palette';

const words = texts({
  title: ['Shortcuts', 'Atalhos'],
  palette: ['Go to a page or a record', 'Ir para uma página ou um registro'],
  filter: ['Filter the list', 'Filtrar a lista'],
  help: ['Show the shortcuts', 'Mostrar os atalhos'],
  move: ['Move between rows', 'Mover entre linhas'],
  openRow: ['Open a row', 'Abrir uma linha'],
  select: ['Select a row; with Shift, a range', 'Selecionar uma linha; com Shift, um intervalo'],
  close: ['Close a panel or a window', 'Fechar um painel ou uma janela'],
});

/** Opens the palette, as Ctrl+K does. */
export const openPalette = (): void => void document.dispatchEvent(new Event('open-palette'));
/** Shows the shortcuts, as `?` does. */
export const showShortcuts = (): void => void document.dispatchEvent(new Event('show-shortcuts'));

/** Time between the two keys of a shortcut. */
const SEQUENCE_MS = 1_000;

/** Keys that work on every page, and the windows that they open. */
export function Shortcuts(): ReactNode {
  const [shown, setShown] = useState<'palette' | 'help' | null>(null);
  const pages = usePages();
  const navigate = useNavigate();
  const [beganAt, setBeganAt] = useState(0);
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      setShown('palette');
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    const page = pages.find(({ shortcut }) => shortcut === event.key);
    if (event.timeStamp - beganAt < SEQUENCE_MS && page) {
      setBeganAt(0);
      void navigate({ to: page.path });
    } else if (event.key === 'g') {
      setBeganAt(event.timeStamp);
    } else if (event.key === '?') {
      setShown('help');
    } else if (event.key === '/') {
      event.preventDefault();
      document.querySelector<HTMLElement>('[data-filter-button]')?.click();
    }
  });
  useEffect(() => {
    const listener = (event: KeyboardEvent): void => onKey(event);
    const palette = (): void => setShown('palette');
    const help = (): void => setShown('help');
    document.addEventListener('keydown', listener);
    document.addEventListener('open-palette', palette);
    document.addEventListener('show-shortcuts', help);
    return () => {
      document.removeEventListener('keydown', listener);
      document.removeEventListener('open-palette', palette);
      document.removeEventListener('show-shortcuts', help);
    };
  }, []);
  return (
    <>
      <Palette isOpen={shown === 'palette'} onClose={() => setShown(null)} />
      {shown === 'help' && <ShortcutHelp onClose={() => setShown(null)} />}
    </>
  );
}

function ShortcutHelp({ onClose }: { readonly onClose: () => void }): ReactNode {
  const text = useTexts(words);
  const names = useTexts(pageNames);
  const pages = usePages();
  const general: readonly (readonly [string, string])[] = [
    ['Ctrl K', text.palette],
    ['/', text.filter],
    ['↑ ↓', text.move],
    ['Enter', text.openRow],
    ['Space', text.select],
    ['Esc', text.close],
    ['?', text.help],
  ];
  const all = [
    ...general,
    ...pages.map(({ shortcut, name }) => [`G ${shortcut.toUpperCase()}`, names[name]] as const),
  ];
  return (
    <Dialog title={text.title} isOpen onClose={onClose}>
      <dl className="shortcuts">
        {all.map(([keys, name]) => (
          <div key={keys}>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{name}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || ['INPUT', 'TEXTAREA', 'SELECT'].includes(target.tagName);
}
