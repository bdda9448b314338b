import { useEffect, useRef, useState, type ReactNode } from 'react';

import { graphql, query, useQuery } from '../../api';
import { checkCompany, connection } from '../../api/client';
import { useFormat } from '../../text';
import { Button, IconButton } from '../../ui/button';
import { Time } from '../../ui/facts';
import { Icon } from '../../ui/icon';
import { Empty, Loading, PageFailure } from '../../ui/states';
import { useText } from './words';

const LINES_PER_PAGE = 200;
/** Matches of a search that are counted. */
const MAX_MATCHES = 1_000;

const LOG = graphql(`
  query DeviceLogText($id: ID!, $after: Int!, $first: Int!) {
    deviceLog(id: $id) {
      id databaseId name at lineCount
      lines(after: $after, first: $first) { nodes { number text } endLine hasNextPage }
    }
  }
`);
const MATCHES = graphql(`
  query DeviceLogMatches($id: ID!, $search: String!, $after: Int!) {
    deviceLog(id: $id) {
      id
      lines(search: $search, after: $after, first: 500) { nodes { number } endLine hasNextPage }
    }
  }
`);

/** Numbers of the lines with a text, in order. Errors: `CombinedError`. */
async function findMatches(id: string, search: string): Promise<readonly number[]> {
  const found: number[] = [];
  for (let after = 0; found.length < MAX_MATCHES;) {
    const lines = (await query(MATCHES, { id, search, after })).deviceLog?.lines;
    found.push(...(lines?.nodes.map(({ number }) => number) ?? []));
    if (lines?.hasNextPage !== true) break;
    after = lines.endLine;
  }
  return found;
}

/** Line before the page that has a line. */
const pageOf = (line: number): number => Math.floor((line - 1) / LINES_PER_PAGE) * LINES_PER_PAGE;

interface Found {
  readonly lines: readonly number[];
  /** Index of the line that is shown. */
  readonly at: number;
}

/** The text of a log in pages. A search marks the lines that it finds, and leads from one to the next. */
export function LogViewer(props: { readonly id: string; readonly onClose: () => void }): ReactNode {
  const { id, onClose } = props;
  const text = useText();
  const format = useFormat();
  const [after, setAfter] = useState(0);
  const [found, setFound] = useState<Found | null>(null);
  const { data, error, reload } = useQuery(LOG, { id, after, first: LINES_PER_PAGE }, ['DEVICE']);
  const show = (lines: readonly number[], at: number): void => {
    setFound({ lines, at });
    setAfter(pageOf(lines[at] ?? 1));
  };
  if (error) return <PageFailure error={error} onRetry={reload} />;
  if (!data) return <Loading />;
  const log = data.deviceLog;
  if (!log) return <Empty>{text.noLog}</Empty>;
  const { nodes, endLine, hasNextPage } = log.lines;
  return (
    <section className="log" aria-label={log.name}>
      <div className="form-buttons">
        <Button icon="undo" onPress={onClose}>
          {text.allLogs}
        </Button>
        <a
          className="button"
          href={`/export/v1/logs/${log.databaseId}?company=${connection.company}`}
          download
          referrerPolicy="same-origin"
          onClick={checkCompany}
        >
          <Icon name="file" />
          {text.download}
        </a>
      </div>
      <p>
        <strong>{log.name}</strong> <Time at={log.at} />
      </p>
      <LogSearch id={id} found={found} onShow={show} />
      <LogLines nodes={nodes} found={found} />
      <div className="form-buttons">
        <span className="faint">
          {text.linesOf(format.number(after + 1), format.number(endLine), format.number(log.lineCount))}
        </span>
        {after > 0 && (
          <Button icon="up" onPress={() => setAfter(Math.max(0, after - LINES_PER_PAGE))}>
            {text.earlierLines}
          </Button>
        )}
        {hasNextPage && (
          <Button icon="down" onPress={() => setAfter(endLine)}>
            {text.laterLines}
          </Button>
        )}
      </div>
    </section>
  );
}

interface LogSearchProps {
  readonly id: string;
  readonly found: Found | null;
  /** Shows one of the lines that were found, by its index. */
  readonly onShow: (lines: readonly number[], at: number) => void;
}

function LogSearch({ id, found, onShow }: LogSearchProps): ReactNode {
  const text = useText();
  const format = useFormat();
  const [search, setSearch] = useState('');
  const [hasFailed, setFailed] = useState(false);
  const find = async (): Promise<void> => {
    try {
      onShow(search === '' ? [] : await findMatches(id, search), 0);
      setFailed(false);
    } catch {
      setFailed(true);
    }
  };
  const count = found?.lines.length ?? 0;
  const step = (by: number): void => {
    if (found) onShow(found.lines, (found.at + by + count) % count);
  };
  const total = count >= MAX_MATCHES ? `${format.number(count)}+` : format.number(count);
  return (
    <form
      className="form-buttons log-search"
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        void find();
      }}
    >
      <input
        className="search-input"
        type="search"
        maxLength={200}
        aria-label={text.searchLog}
        placeholder={text.searchLog}
        value={search}
        onChange={(event) => setSearch(event.target.value)}
      />
      <Button type="submit" icon="search">
        {text.find}
      </Button>
      {count > 0 && (
        <>
          <IconButton icon="up" label={text.previousMatch} onPress={() => step(-1)} />
          <IconButton icon="down" label={text.nextMatch} onPress={() => step(1)} />
        </>
      )}
      <span role="status" className="faint">
        {hasFailed
          ? text.searchFailed
          : found && (count > 0 ? text.matchOf(format.number(found.at + 1), total) : text.noMatch)}
      </span>
    </form>
  );
}

interface LogLinesProps {
  readonly nodes: readonly { readonly number: number; readonly text: string }[];
  readonly found: Found | null;
}

function LogLines({ nodes, found }: LogLinesProps): ReactNode {
  const shown = found?.lines[found.at];
  const matches = new Set(found?.lines);
  const current = useRef<HTMLLIElement>(null);
  const isHere = nodes.some(({ number }) => number === shown);
  useEffect(() => {
    if (isHere) current.current?.scrollIntoView({ block: 'center' });
  }, [isHere, shown]);
  return (
    <ol className="log-lines">
      {nodes.map(({ number, text }) => (
        <li
          key={number}
          value={number}
          {...(matches.has(number) && { 'data-match': true })}
          {...(number === shown && { ref: current, 'aria-current': 'true' })}
        >
          {matches.has(number) ? <mark>{text}</mark> : text}
        </li>
      ))}
    </ol>
  );
}
