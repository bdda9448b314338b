import type { ReactNode } from 'react';

import { texts, useTexts } from '../text';
import { Dialog } from '../ui/dialog';
import { pageNames } from '../ui/words';
import { usePages } from './pages';

const words = texts({
  title: ['Shortcuts', 'Atalhos'],
  palette: ['Go to a page or a record', 'Ir para uma página ou um registro'],
  filter: ['Search the list', 'Buscar na lista'],
  help: ['Show the shortcuts', 'Mostrar os atalhos'],
  move: ['Move between rows', 'Mover entre linhas'],
  openRow: ['Open a row', 'Abrir uma linha'],
  select: ['Select a row; with Shift, a range', 'Selecionar uma linha; com Shift, um intervalo'],
  close: ['Close a panel or a window', 'Fechar um painel ou uma janela'],
});

/** All shortcuts with what they do. */
export default function ShortcutHelp({ onClose }: { readonly onClose: () => void }): ReactNode {
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
    <Dialog title={text.title} onClose={onClose}>
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
