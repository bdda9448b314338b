import { useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useEffectEvent, useState, type ReactNode } from 'react';

import { usePages } from './pages';

const Palette = lazy(() => import('./palette'));
const ShortcutHelp = lazy(() => import('./shortcut-help'));

/** Time between the two keys of a shortcut. */
const SEQUENCE_MS = 1_000;

interface ShortcutsProps {
  /** The window that is open. */
  readonly shown: 'palette' | 'help' | null;
  readonly show: (shown: ShortcutsProps['shown']) => void;
}

/** Keys that work on every page, and the windows that they open. */
export function Shortcuts({ shown, show }: ShortcutsProps): ReactNode {
  const pages = usePages();
  const navigate = useNavigate();
  const [beganAt, setBeganAt] = useState(0);
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      show('palette');
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
      show('help');
    } else if (event.key === '/') {
      event.preventDefault();
      // A list of records without a text has only the button of its filter.
      document.querySelector<HTMLElement>('[data-quick-search], [data-filter-button]')?.focus();
    }
  });
  useEffect(() => {
    const listener = (event: KeyboardEvent): void => onKey(event);
    document.addEventListener('keydown', listener);
    return () => document.removeEventListener('keydown', listener);
  }, []);
  const close = (): void => show(null);
  return (
    <Suspense>
      {shown === 'palette' && <Palette onClose={close} />}
      {shown === 'help' && <ShortcutHelp onClose={close} />}
    </Suspense>
  );
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.matches('input, textarea, select, [contenteditable]');
