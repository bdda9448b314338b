import { useMemo, useState, type ReactNode } from 'react';

import { graphql, useMutation } from '../../api';
import { messageOf } from '../../api/rules';
import type { BulkErrorPolicy } from '../../gql/graphql';
import { SmallTable } from '../../table/small-table';
import { useLocale } from '../../text';
import { useFormat } from '../../text/format';
import { Button } from '../../ui/button';
import { Dialog } from '../../ui/dialog';
import { Badge } from '../../ui/facts';
import { Choice, TextInput } from '../../ui/field';
import { Form, useDraft } from '../../ui/form';
import { FileInput } from '../../ui/inputs';
import { notify } from '../../ui/toasts';
import { useText } from './words';

const ENROL = graphql(`
  mutation DeviceBulkEnrol($serialNumbers: [String!]!, $errorPolicy: BulkErrorPolicy!) {
    deviceBulkCreate(serialNumbers: $serialNumbers, errorPolicy: $errorPolicy) {
      results {
        index
        device { id }
        userErrors { code message path rule params }
      }
      userErrors { code message path rule params }
    }
  }
`);

interface Line {
  /** Counted from 1. */
  readonly line: number;
  readonly serialNumber: string;
  /** Why no device is made of it; null where one can be, or is. */
  readonly fault: string | null;
}

/** Devices in one request. */
const MAX_DEVICES = 1_000;
const HEADING = /^(serial|serial.?number|n[uú]mero de s[eé]rie|device|sn)$/i;
const EMPTY = { text: '' };

/** Enrols up to 1,000 devices from a pasted list or a file: shows what will be sent, then the result of each line. */
export default function EnrolDialog({ onClose }: { readonly onClose: () => void }): ReactNode {
  const text = useText();
  const format = useFormat();
  const { language } = useLocale();
  const draft = useDraft('enrol', EMPTY);
  const [file, setFile] = useState<File | null>(null);
  const [results, setResults] = useState<readonly Line[] | null>(null);
  const [errorPolicy, setPolicy] = useState<BulkErrorPolicy>('REJECT_FAILED_ROWS');
  const mutation = useMutation(ENROL, ['DEVICE']);
  const lines = useMemo(() => linesOf(draft.values.text, text), [draft.values.text, text]);
  const sent = lines.filter(({ fault }) => fault === null);
  const send = async (): Promise<void> => {
    const serialNumbers = sent.map(({ serialNumber }) => serialNumber);
    const payload = await mutation.run({ serialNumbers, errorPolicy });
    if (!payload) return;
    draft.clear();
    const faults = new Map<Line | undefined, string | null>(sent.map((line) => [line, text.notEnrolled]));
    for (const { index, device, userErrors } of payload.results ?? []) {
      const [error] = userErrors;
      if (error) faults.set(sent[index], messageOf(error, language));
      else if (device) faults.set(sent[index], null);
    }
    setResults(lines.map((line) => ({ ...line, fault: faults.get(line) ?? line.fault })));
  };
  const form = (
    <Form
      {...mutation}
      onSubmit={() => void send()}
      submit={`${text.enrol} (${format.number(sent.length)})`}
      isDisabled={sent.length === 0}
      onCancel={onClose}
      shown={[]}
    >
      <TextInput
        label={text.serialNumbers}
        help={text.enrolHelp}
        rows={6}
        autoFocus
        value={draft.values.text}
        onChange={(typed) => draft.set({ text: typed })}
      />
      <FileInput
        label={text.file}
        file={file}
        accept=".csv,.txt,text/csv,text/plain"
        onChange={(chosen) => {
          setFile(chosen);
          void chosen?.text().then((content) => draft.set({ text: content }));
        }}
      />
      {lines.length > 0 && (
        <>
          <p role="status">
            {text.marked(format.number(sent.length), format.number(lines.length - sent.length))}
          </p>
          <Lines lines={lines} good={text.ready} />
          <Choice
            label={text.policy}
            value={errorPolicy}
            onChange={setPolicy}
            options={[
              { value: 'REJECT_FAILED_ROWS', label: text.rejectFailed },
              { value: 'REJECT_EVERYTHING', label: text.rejectAll },
            ]}
          />
        </>
      )}
    </Form>
  );
  return (
    <Dialog title={text.enrol} isOpen size="large" onClose={onClose}>
      {results ? <EnrolResults lines={results} onClose={onClose} /> : form}
    </Dialog>
  );
}

interface EnrolResultsProps {
  readonly lines: readonly Line[];
  readonly onClose: () => void;
}

function EnrolResults({ lines, onClose }: EnrolResultsProps): ReactNode {
  const text = useText();
  const format = useFormat();
  const enrolled = lines.filter(({ fault }) => fault === null).length;
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(tableOf(lines, text.enrolled, '\t'));
    notify({ text: text.copied });
  };
  return (
    <div className="stack">
      <p role="status">{text.enrolledCount(format.number(enrolled), format.number(lines.length))}</p>
      <Lines lines={lines} good={text.enrolled} />
      <div className="form-buttons">
        <Button icon="copy" onPress={() => void copy()}>
          {text.copyResults}
        </Button>
        <a
          className="button button-plain"
          download="devices.csv"
          href={`data:text/csv;charset=utf-8,${encodeURIComponent(tableOf(lines, text.enrolled, ','))}`}
        >
          {text.saveResults}
        </a>
        <Button look="primary" onPress={onClose}>
          {text.close}
        </Button>
      </div>
    </div>
  );
}

/** Lines with a fault come first, so that none is overlooked. */
function Lines({ lines, good }: { readonly lines: readonly Line[]; readonly good: string }): ReactNode {
  const text = useText();
  const rows = lines.toSorted((one, other) => Number(one.fault === null) - Number(other.fault === null));
  return (
    <div className="results" tabIndex={0} role="region" aria-label={text.result}>
      <SmallTable
        rows={rows.slice(0, MAX_DEVICES)}
        rowKey={({ line }) => String(line)}
        columns={[
          { id: 'line', title: text.line },
          { id: 'serialNumber', title: text.serialNumber },
          {
            id: 'result',
            title: text.result,
            render: ({ fault }) => <Badge tone={fault === null ? 'good' : 'bad'}>{fault ?? good}</Badge>,
          },
        ]}
      />
    </div>
  );
}

/**
 * Serial numbers of a pasted list or of a CSV file: the first column of each line, without a heading and without empty
 * lines. Columns are separated by comma, semicolon or tab. The server checks the serial numbers themselves.
 */
function linesOf(
  list: string,
  text: { readonly duplicate: (line: number) => string; readonly tooMany: string },
): readonly Line[] {
  const seen = new Map<string, number>();
  const lines: Line[] = [];
  for (const [index, row] of list.split(/\r\n|\r|\n/).entries()) {
    const [column = ''] = row.replace(/^\uFEFF/, '').split(/[,;\t]/);
    const [line, serialNumber] = [index + 1, column.replace(/^\s*"(.*)"\s*$/, '$1').trim()];
    if (serialNumber === '' || (seen.size === 0 && HEADING.test(serialNumber))) continue;
    const first = seen.get(serialNumber);
    const tooMany = seen.size >= MAX_DEVICES ? text.tooMany : null;
    lines.push({ line, serialNumber, fault: first === undefined ? tooMany : text.duplicate(first) });
    if (first === undefined) seen.set(serialNumber, line);
  }
  return lines;
}

/** Lines with their results, with cells in quotes where they need them. */
function tableOf(lines: readonly Line[], good: string, separator: string): string {
  const quoted = (cell: string): string => (/[",;\t]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);
  return lines
    .map(({ serialNumber, fault }) => [serialNumber, fault ?? good].map(quoted).join(separator))
    .join('\n');
}
