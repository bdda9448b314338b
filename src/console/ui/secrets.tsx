import { createContext, use, useState, type ReactNode } from 'react';

import { useLabel, useTexts } from '../text';
import { Dialog } from './dialog';
import { Copyable } from './facts';
import { words } from './words';

/** Parts of responses that the server gives only once. */
const NAMES = ['link', 'recoveryCodes', 'secret', 'token'] as const;

interface Shown {
  /** Name of the secrets in words: "Token". */
  readonly title: string;
  readonly help: string;
  readonly secrets: readonly string[];
}

const ShowContext = createContext((_shown: Shown): void => undefined);

/** Shows the secrets that a response has, such as a new token, in a window from which they are copied. */
export function useSecrets(): (payload: unknown) => void {
  const show = use(ShowContext);
  const label = useLabel();
  const text = useTexts(words);
  return (payload) => {
    const given = (payload ?? {}) as Partial<Record<string, string | readonly string[] | null>>;
    for (const name of NAMES) {
      const secrets = [given[name] ?? []].flat();
      const absolute = name === 'link' ? secrets.map((link) => new URL(link, location.origin).href) : secrets;
      const help = label(`${name}Help`, text.shownOnce);
      if (secrets.length > 0) show({ title: label(name), help, secrets: absolute });
    }
  };
}

/** The window, over the page that has the buttons which make secrets. */
export function Secrets({ children }: { readonly children: ReactNode }): ReactNode {
  const [shown, setShown] = useState<Shown | null>(null);
  const add = (more: Shown): void =>
    setShown((before) => ({ ...more, secrets: [...(before?.secrets ?? []), ...more.secrets] }));
  return (
    <ShowContext value={add}>
      {children}
      {shown && (
        <Dialog title={shown.title} onClose={() => setShown(null)}>
          <div className="stack">
            <p>{shown.help}</p>
            {shown.secrets.length > 1 && (
              <ol className="code">
                {shown.secrets.map((secret) => (
                  <li key={secret}>{secret}</li>
                ))}
              </ol>
            )}
            <Copyable label={shown.title} value={shown.secrets.join(' ')} />
          </div>
        </Dialog>
      )}
    </ShowContext>
  );
}
