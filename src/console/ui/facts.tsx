import { useState, type ReactNode } from 'react';

import { useFormat, useTexts } from '../text';
import { Button } from './button';
import { words } from './words';

export type Tone = 'good' | 'warning' | 'bad' | 'plain';

/** A state in a word, with a colour beside it. */
export function Badge({
  tone = 'plain',
  children,
}: {
  readonly tone?: Tone;
  readonly children: ReactNode;
}): ReactNode {
  return <span className={`badge badge-${tone}`}>{children}</span>;
}

interface TimeProps {
  readonly at: string | null | undefined;
}

/** How long ago a time was; the time itself when pointed at. */
export const Ago = ({ at }: TimeProps): ReactNode => <Time at={at} isAgo />;

/** A time; how long ago it was when pointed at. With `isAgo`, the other way round. */
export function Time({ at, isAgo = false }: TimeProps & { readonly isAgo?: boolean }): ReactNode {
  const format = useFormat();
  const text = useTexts(words);
  if (at === null || at === undefined) return <span className="faint">{text.never}</span>;
  const [shown, hint] = isAgo ? [format.ago(at), format.time(at)] : [format.time(at), format.ago(at)];
  return (
    <time dateTime={at} title={hint}>
      {shown}
    </time>
  );
}

export interface SectionProps {
  readonly title: string;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** A part of a page or of a record, with a heading and what can be done with it. */
export function Section(props: SectionProps): ReactNode {
  return (
    <section className="section" aria-label={props.title}>
      <header className="section-header">
        <h3>{props.title}</h3>
        {props.actions}
      </header>
      {props.children}
    </section>
  );
}

/** A text to copy, such as a new token. */
export function Copyable({ value, label }: { readonly value: string; readonly label: string }): ReactNode {
  const text = useTexts(words);
  const [isCopied, setCopied] = useState(false);
  return (
    <div className="copyable">
      <input aria-label={label} readOnly value={value} onFocus={(event) => event.target.select()} />
      <Button
        icon={isCopied ? 'check' : 'copy'}
        onPress={() => void navigator.clipboard.writeText(value).then(() => setCopied(true))}
      >
        {isCopied ? text.copied : text.copy}
      </Button>
    </div>
  );
}

export interface Bar {
  readonly key: string;
  readonly name: ReactNode;
  readonly count: number;
}

/** Numbers of records as bars below each other; `max` is the longest. */
export function Bars({ rows, max }: { readonly rows: readonly Bar[]; readonly max: number }): ReactNode {
  const format = useFormat();
  return (
    <table className="plain-table bars">
      <tbody>
        {rows.map(({ key, name, count }) => (
          <tr key={key}>
            <th scope="row">{name}</th>
            <td className="bar">
              <meter value={count} max={Math.max(max, 1)} aria-hidden="true" />
            </td>
            <td className="end">{format.number(count)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
