import { Link } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import type { CombinedError } from 'urql';
import { stringify } from 'yaml';

import { valueOfDocument } from '../../../platform/encoding/yaml';
import { graphql, mutations, query, useMutation } from '../../api';
import { failureOf } from '../../api/errors';
import { useMay } from '../../app/session';
import type { FleetPlanQuery } from '../../gql/graphql';
import { Fields } from '../../record/fields';
import { emptyOf, fieldsOf, inputOf, textOfJson } from '../../record/form-field';
import { ChangedValue } from '../../record/history';
import { useHistoryLabel } from '../../record/history-words';
import { RecordLink } from '../../record/link';
import { useFormat, useLocale } from '../../text';
import { Button } from '../../ui/button';
import { Form, useDraft } from '../../ui/form';
import { Card, Page } from '../../ui/page';
import { notify } from '../../ui/toasts';
import { useText } from './words';

const PLAN = graphql(`
  query FleetPlan($document: JSON!) {
    fleetPlan(document: $document) {
      plan { id terminals losing changes { path action before after } }
      userErrors { code message path rule params }
    }
  }
`);

/** A plan, with the document that it is of. */
interface Planned extends NonNullable<FleetPlanQuery['fleetPlan']['plan']> {
  readonly document: unknown;
}

/** Names of the records that a plan has changed, by the parts of its document. */
type ChangedNames = Readonly<Record<string, readonly string[]>>;

const EMPTY = { document: '', undo: '', jobId: '', changed: {} as ChangedNames };

const FIELDS = [
  { name: 'document', rows: 12 },
  { name: 'file', type: 'file', isOptional: true },
];

/** The desired state of the fleet as a document: read, planned, applied, undone. */
export default function PlanPage(): ReactNode {
  const text = useText();
  const { values, set } = useDraft('plan', EMPTY);
  const [plan, setPlan] = useState<Planned | null>(null);
  const [broken, setBroken] = useState<readonly string[]>([]);
  // Asked for by a button, with errors of the document as mutations have them.
  const { run, errors, failure, isRunning } = useMutation(PLAN, true);
  const refused = errors.map(({ path, message }) => `${path.join('.')}: ${message}`);
  const edit = (document: string): void => {
    set({ document });
    setPlan(null);
    setBroken([]);
  };
  const see = async (source: string): Promise<void> => {
    edit(source);
    try {
      const document = valueOfDocument(source);
      const payload = await run({ document });
      if (payload?.plan) setPlan({ ...payload.plan, document });
    } catch (error) {
      setBroken([`${text.broken} ${(error as Error).message}`]);
    }
  };
  return (
    <Page name="plan" text={text}>
      <ReadState onRead={edit} />
      <Card
        title={text.document}
        actions={<Button onPress={() => save(values.document)}>{text.saveFile}</Button>}
      >
        <Form
          onSubmit={() => void see(values.document)}
          submit={text.see}
          disabledReason={values.document.trim() === '' ? `${text.fillIn} ${text.document}.` : null}
          {...{ failure, isRunning }}
          errors={(broken.length > 0 ? broken : refused).map((message) => ({ code: '', path: [], message }))}
          shown={[]}
        >
          <Fields
            fields={FIELDS}
            values={{ ...values, file: null }}
            set={({ document, file }) => {
              if (file instanceof File) void file.text().then(edit);
              else edit(document as string);
            }}
          />
        </Form>
      </Card>
      {plan && (
        <Differences
          key={plan.id}
          plan={plan}
          onAgain={() => void see(values.document)}
          onApplied={(undo, jobId) => {
            set({ undo: written(undo), jobId, changed: namesIn(plan) });
            setPlan(null);
          }}
        />
      )}
      {values.undo !== '' && (
        <div className="note" role="status">
          <div className="buttons">
            <RecordLink page="/jobs" record={{ id: values.jobId, name: text.applied }} />
            <ChangedRecords changed={values.changed} />
            <Button onPress={() => void see(values.undo)}>{text.undoPlan}</Button>
          </div>
        </div>
      )}
    </Page>
  );
}

const namesIn = ({ changes }: Planned): ChangedNames =>
  Object.fromEntries(
    [...Map.groupBy(changes, ({ path: [kind = ''] }) => kind)].map(([kind, some]) => [
      kind,
      [...new Set(some.map(({ path: [, name = ''] }) => name))],
    ]),
  );

/** Lists by the parts of a document, with the fields of their filters that names are of. */
const LISTS = {
  groups: ['/groups', 'name'],
  logicalNumbers: ['/logical-numbers', 'number'],
  devices: ['/devices', 'serialNumber'],
} as const;
/** Names in one address, at most. */
const MAX_NAMES = 100;

/** Links to the lists of the records that a plan has changed; records that are too many for an address have none. */
function ChangedRecords({ changed }: { readonly changed: ChangedNames }): ReactNode {
  const text = useText();
  const { number } = useFormat();
  return (Object.keys(LISTS) as (keyof typeof LISTS)[]).map((kind) => {
    const { [kind]: names = [] } = changed;
    const [to, field] = LISTS[kind];
    if (names.length === 0 || names.length > MAX_NAMES) return null;
    return (
      <Link key={kind} className="button" to={to} search={{ filter: { [field]: { in: names } } }}>
        {`${text[kind]}: ${number(names.length)}`}
      </Link>
    );
  });
}

const written = (document: unknown): string => stringify(document, { lineWidth: 0 });

/** Saves a document as a file. */
function save(content: string): void {
  const href = URL.createObjectURL(new Blob([content]));
  const download = content.startsWith('{') ? 'fleet.json' : 'fleet.yaml';
  Object.assign(document.createElement('a'), { href, download }).click();
}

const STATE = graphql(`
  query FleetState($groupId: ID, $logicalNumbers: Boolean, $devices: Boolean) {
    fleetState(groupId: $groupId, logicalNumbers: $logicalNumbers, devices: $devices) }
`);

const OF_STATE = fieldsOf([
  { name: 'groupId', isOptional: true },
  { name: 'format', values: ['YAML', 'JSON'], isSent: false },
  { name: 'logicalNumbers', kind: 'flag', isList: false, initial: true },
  { name: 'devices', kind: 'flag', initial: true },
]);

/** Reads the present state of a group or of all as a document. */
function ReadState({ onRead }: { readonly onRead: (document: string) => void }): ReactNode {
  const text = useText();
  const { language } = useLocale();
  const { values, set } = useDraft(undefined, emptyOf(OF_STATE));
  const read = async (): Promise<void> => {
    try {
      const { fleetState } = await query(STATE, inputOf(OF_STATE, values) ?? {});
      onRead(values.format === 'JSON' ? textOfJson(fleetState) : written(fleetState));
    } catch (error) {
      notify({ text: failureOf(error as CombinedError, language).message, tone: 'bad' });
    }
  };
  return (
    <Card title={text.today} actions={<Button onPress={() => void read()}>{text.read}</Button>}>
      <div className="filter-panel">
        <Fields fields={OF_STATE} values={values} set={set} />
      </div>
    </Card>
  );
}

interface DifferencesProps {
  readonly plan: Planned;
  readonly onAgain: () => void;
  readonly onApplied: (undo: object, jobId: string) => void;
}

/** Shows what a plan would change, record by record, and a button that makes exactly that. */
function Differences({ plan, onAgain, onApplied }: DifferencesProps): ReactNode {
  const text = useText();
  const label = useHistoryLabel();
  const { number } = useFormat();
  const mayWrite = useMay('WRITE');
  const { run, errors, failure, isRunning } = useMutation(mutations.fleetApply);
  const { id: planId, document, changes, terminals, losing } = plan;
  const records = Map.groupBy(changes, ({ path: [kind = '', name] }) => `${label(kind)}: ${name}`);
  const apply = async (): Promise<void> => {
    const payload = await run({ document, planId });
    if (payload?.job) onApplied(payload.undo as object, payload.job.id);
  };
  return (
    <Card title={text.differences}>
      <Form
        onSubmit={() => void apply()}
        submit={`${text.apply} (${number(changes.length)})`}
        disabledReason={changes.length === 0 ? text.nothing : mayWrite ? null : text.notAllowed}
        {...{ failure, isRunning }}
        errors={errors.map((error) => ({ ...error, path: [] }))}
        shown={[]}
      >
        <p role="status">
          {changes.length > 0 && `${text.terminals} ${number(terminals)}. `}
          {losing > 0 && <strong>{`${text.losing} ${number(losing)}.`}</strong>}
        </p>
        <ol className="history" aria-label={text.differences}>
          {[...records].map(([record, some]) => (
            <li key={record} className="history-entry">
              <strong>{record}</strong>
              <dl>
                {some.map(({ path: [, , section = '', ...rest], action, before, after }) => (
                  <div key={`${section} ${rest.join('.')}`}>
                    <dt>{`${label(section)} ${rest.join('.')}`}</dt>
                    <dd>{changedValue(valueOf(before), action === 'REMOVE' ? [] : valueOf(after))}</dd>
                  </div>
                ))}
              </dl>
            </li>
          ))}
        </ol>
        {errors.length > 0 && <Button onPress={onAgain}>{text.again}</Button>}
      </Form>
    </Card>
  );
}

const changedValue = (before: unknown, after: unknown): ReactNode => (
  <ChangedValue change={{ field: '', before, after, recordIds: [] }} names={new Map()} />
);

/** The value of a parameter with its description in brackets; other values as they are. */
function valueOf(value: unknown): unknown {
  const { value: text, description = null } = Object(value) as Readonly<Record<string, string | null>>;
  if (typeof text !== 'string') return value;
  return description === null ? text : `${text} (${description})`;
}
