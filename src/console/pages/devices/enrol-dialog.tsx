import { useMemo, useState, type ReactNode } from 'react';

import { graphql, useMutation } from '../../api';
import { messageOf } from '../../api/rules';
import type { BulkErrorPolicy, DeviceBulkEnrolMutation } from '../../gql/graphql';
import { useLocale, type Language } from '../../text';
import { useFormat } from '../../text/format';
import { Button } from '../../ui/button';
import { Dialog } from '../../ui/dialog';
import { Badge } from '../../ui/facts';
import { Choice, TextInput } from '../../ui/field';
import { FileInput } from '../../ui/file-input';
import { Form, useDraft } from '../../ui/form';
import { serialsOf, type SerialLine } from './serial-list';
import { useText, words } from './words';

const ENROL = graphql(`
  mutation DeviceBulkEnrol($serialNumbers: [String!]!, $errorPolicy: BulkErrorPolicy!) {
    deviceBulkCreate(serialNumbers: $serialNumbers, errorPolicy: $errorPolicy) {
      count
      results {
        index
        device { id }
        userErrors { code message path rule params }
      }
      userErrors { code message path rule params }
    }
  }
`);

type Results = NonNullable<DeviceBulkEnrolMutation['deviceBulkCreate']['results']>;

interface Outcome {
  readonly serialNumber: string;
  readonly isEnrolled: boolean;
  readonly message: string;
}

const EMPTY = { text: '' };
/** Rows that a table of the window shows. */
const SHOWN = 200;

/** Enrols up to 1,000 devices from a pasted list or a file: shows what will be sent, then the result of each. */
export default function EnrolDialog({ onClose }: { readonly onClose: () => void }): ReactNode {
  const text = useText();
  const [outcomes, setOutcomes] = useState<readonly Outcome[] | null>(null);
  return (
    <Dialog title={text.enrol} isOpen size="large" onClose={onClose}>
      {outcomes ? (
        <EnrolResults outcomes={outcomes} onClose={onClose} />
      ) : (
        <EnrolForm onSent={setOutcomes} onClose={onClose} />
      )}
    </Dialog>
  );
}

function EnrolForm(props: {
  readonly onSent: (outcomes: readonly Outcome[]) => void;
  readonly onClose: () => void;
}): ReactNode {
  const text = useText();
  const format = useFormat();
  const draft = useDraft('enrol', EMPTY);
  const [file, setFile] = useState<File | null>(null);
  const [errorPolicy, setPolicy] = useState<BulkErrorPolicy>('REJECT_FAILED_ROWS');
  const { language } = useLocale();
  const mutation = useMutation(ENROL, ['DEVICE']);
  const lines = useMemo(() => serialsOf(draft.values.text), [draft.values.text]);
  const serialNumbers = lines.filter(({ fault }) => fault === null).map(({ serialNumber }) => serialNumber);
  const send = async (): Promise<void> => {
    const payload = await mutation.run({ serialNumbers, errorPolicy });
    if (!payload) return;
    draft.clear();
    props.onSent(outcomesOf(serialNumbers, payload.results ?? [], language));
  };
  return (
    <Form
      {...mutation}
      onSubmit={() => void send()}
      submit={`${text.enrol} (${format.number(serialNumbers.length)})`}
      isDisabled={serialNumbers.length === 0}
      onCancel={props.onClose}
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
            {text.marked(
              format.number(serialNumbers.length),
              format.number(lines.length - serialNumbers.length),
            )}
          </p>
          <Preview lines={lines} />
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
}

/** Lines that are left out come first, so that none is overlooked. */
function Preview({ lines }: { readonly lines: readonly SerialLine[] }): ReactNode {
  const text = useText();
  const rows = lines.toSorted((one, other) => Number(one.fault === null) - Number(other.fault === null));
  const reason = ({ fault, first = 0 }: SerialLine): string => {
    if (fault === null) return text.ready;
    return fault === 'duplicate' ? text.duplicate(first) : text[fault];
  };
  return (
    <ResultTable
      titles={[text.line, text.serialNumber, text.result]}
      rows={rows.map((row) => ({
        key: row.line,
        cells: [row.line, row.serialNumber],
        isGood: row.fault === null,
        result: reason(row),
      }))}
    />
  );
}

function EnrolResults(props: {
  readonly outcomes: readonly Outcome[];
  readonly onClose: () => void;
}): ReactNode {
  const text = useText();
  const format = useFormat();
  const [isCopied, setCopied] = useState(false);
  const { outcomes } = props;
  const enrolled = outcomes.filter(({ isEnrolled }) => isEnrolled).length;
  const rows = outcomes.toSorted((one, other) => Number(one.isEnrolled) - Number(other.isEnrolled));
  return (
    <div className="stack">
      <p role="status">{text.enrolledCount(format.number(enrolled), format.number(outcomes.length))}</p>
      <ResultTable
        titles={[text.serialNumber, text.result]}
        rows={rows.map(({ serialNumber, isEnrolled, message }) => ({
          key: serialNumber,
          cells: [serialNumber],
          isGood: isEnrolled,
          result: message,
        }))}
      />
      <div className="form-buttons">
        <Button
          icon={isCopied ? 'check' : 'copy'}
          onPress={() => {
            void navigator.clipboard.writeText(tableOf(outcomes, '\t')).then(() => setCopied(true));
          }}
        >
          {isCopied ? text.copied : text.copyResults}
        </Button>
        <Button icon="file" onPress={() => saveFile('devices.csv', tableOf(outcomes, ','))}>
          {text.saveResults}
        </Button>
        <Button look="primary" onPress={props.onClose}>
          {text.close}
        </Button>
      </div>
    </div>
  );
}

function ResultTable(props: {
  readonly titles: readonly string[];
  readonly rows: readonly {
    readonly key: string | number;
    readonly cells: readonly (string | number)[];
    readonly isGood: boolean;
    readonly result: string;
  }[];
}): ReactNode {
  const text = useText();
  const format = useFormat();
  return (
    <>
      <div className="results" tabIndex={0} role="region" aria-label={text.result}>
        <table className="plain-table">
          <thead>
            <tr>
              {props.titles.map((title) => (
                <th key={title}>{title}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {props.rows.slice(0, SHOWN).map(({ key, cells, isGood, result }) => (
              <tr key={key}>
                {cells.map((cell) => (
                  <td key={cell}>{cell}</td>
                ))}
                <td>
                  <Badge tone={isGood ? 'good' : 'bad'}>{result}</Badge>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {props.rows.length > SHOWN && <p className="faint">{text.shownFirst(format.number(SHOWN))}</p>}
    </>
  );
}

function outcomesOf(
  serialNumbers: readonly string[],
  results: Results,
  language: Language,
): readonly Outcome[] {
  const text = words[language];
  const byIndex = new Map(results.map((result) => [result.index, result]));
  return serialNumbers.map((serialNumber, index) => {
    const result = byIndex.get(index);
    const isEnrolled = Boolean(result?.device);
    const error = result?.userErrors[0];
    const message = error ? messageOf(error, language) : isEnrolled ? text.enrolled : text.notEnrolled;
    return { serialNumber, isEnrolled, message };
  });
}

/** Results as lines, with cells in quotes where they need them. */
function tableOf(outcomes: readonly Outcome[], separator: string): string {
  const quoted = (cell: string): string => (/[",;\t]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);
  return outcomes
    .map(({ serialNumber, message }) => [serialNumber, message].map(quoted).join(separator))
    .join('\n');
}

function saveFile(name: string, content: string): void {
  const url = URL.createObjectURL(new Blob([content], { type: 'text/csv' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
