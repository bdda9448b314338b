import type { ReactNode } from 'react';

import { useLocale, useTexts, WordsContext } from '../text';
import { Section, type SectionProps } from './facts';
import { pageNames, words, type PageName } from './words';

interface PageProps {
  readonly name: PageName;
  /** Words for the names of fields and values in the page. */
  readonly text: object;
  /** Stands beside the heading. */
  readonly note?: ReactNode;
  readonly children: ReactNode;
}

/** A page with its name as the heading. */
export function Page({ name, text, note, children }: PageProps): ReactNode {
  const names = useTexts(pageNames);
  return (
    <WordsContext value={{ ...text }}>
      <div className="page">
        <header className="page-header">
          <h1>{names[name]}</h1>
          {note}
        </header>
        {children}
      </div>
    </WordsContext>
  );
}

/** Says in which time zone a page shows times and counts days. */
export function ZoneNote(): ReactNode {
  const text = useTexts(words);
  const { timeZone } = useLocale();
  return (
    <span className="faint">
      {text.timesIn} {timeZone}
    </span>
  );
}

/** A part of a page in a frame. */
export const Card = (props: SectionProps): ReactNode => (
  <div className="card">
    <Section {...props} />
  </div>
);
