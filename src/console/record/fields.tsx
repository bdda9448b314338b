import { Fragment, useState, type ReactNode } from 'react';

import { useDryRun, useMutation, type PayloadOf } from '../api/mutation';
import type { Document } from '../api/query';
import type { UserError } from '../api/rules';
import { useListAddress } from '../table/address';
import { useLabel, useTexts, type Option } from '../text';
import { Dialog } from '../ui/dialog';
import { Checkbox, Choice, FileInput, TextInput } from '../ui/field';
import { Form, isAt, useDraft, type Draft } from '../ui/form';
import { ReferenceInput, type Reference } from '../ui/reference-input';
import { useSecrets } from '../ui/secrets';
import { notify } from '../ui/toasts';
import { pageOf, words } from '../ui/words';
import { useChangedRecords } from './changed';
import {
  askedOf,
  attachmentOf,
  emptyOf,
  fieldsOf,
  inputOf,
  isRequired,
  optionsOf,
  pathOf,
  requiredBy,
  useMissingFields,
  useProbeReason,
  type FormField,
  type GivenField,
  type Root,
  type Values,
} from './form-field';
import { RecordLink } from './link';
import { recordIn } from './undo';

interface FieldsProps {
  readonly fields: readonly FormField[];
  readonly values: Values;
  readonly set: (changed: Values) => void;
  readonly errors?: readonly UserError[];
  /** Share of a file that is sent, 0 to 1; null while none is sent. */
  readonly progress?: number | null;
  readonly root?: Root;
  /** Paths of the fields that must be filled in. */
  readonly required?: ReadonlySet<string>;
}

const NONE: ReadonlySet<string> = new Set();

export function Fields(props: FieldsProps): ReactNode {
  const { fields, values, set, errors = [], progress = null, root, required = NONE } = props;
  const labelOf = useLabel();
  return askedOf(fields, values).map((field) => {
    const { name, label = labelOf(name), type, rows, autoFocus, autoComplete, find } = field;
    const given = typeof field.help === 'function' ? field.help(values) : field.help;
    const help = given ?? labelOf(`${name}Help`, '');
    const options = optionsOf(field, labelOf);
    const found = errors.find(({ path }) => isAt(path, pathOf(field, root)));
    const error = field.label === undefined ? found?.message : found?.sayAt?.(label);
    const value = values[name];
    const change = (changed: unknown): void => set({ [name]: changed });
    if (field.kind === 'flag') {
      return (
        <Checkbox key={name} isSelected={value === true} onChange={change}>
          {label}
        </Checkbox>
      );
    }
    const shared = {
      label,
      onChange: change,
      error,
      help: help === '' ? undefined : help,
      isRequired: isRequired(field, pathOf(field, root), required),
    };
    if (type === 'file') {
      const file = value instanceof File ? value : null;
      return <FileInput key={name} {...shared} file={file} progress={progress} />;
    }
    if (options && field.isMany === true) {
      const chosen = value as readonly string[];
      const choices = { options, page: pageOf(name), value: chosen, onChange: change };
      return (
        <Fragment key={name}>
          {help !== '' && <p className="faint">{help}</p>}
          <Choices {...choices} />
          {error !== undefined && <p className="field-error">{error}</p>}
        </Fragment>
      );
    }
    if (options) return <Choice key={name} {...shared} options={options} value={value as string} />;
    if (find && field.isMany === true) {
      const records = value as readonly Reference[];
      const others = (id: string) => records.filter((each) => each.id !== id);
      const add = (added: Reference | null) => added && change([...others(added.id), added]);
      return (
        <Fragment key={name}>
          <ReferenceInput key={records.length} {...shared} find={find} value={null} onChange={add} />
          {records.map(({ id, name: each }) => (
            <Checkbox key={id} isSelected onChange={() => change(others(id))}>
              {each}
            </Checkbox>
          ))}
        </Fragment>
      );
    }
    if (find) {
      const record = value as Reference | null;
      return <ReferenceInput key={name} {...shared} find={find} also={field.also ?? []} value={record} />;
    }
    const text = { type, rows, autoFocus, autoComplete };
    return <TextInput key={name} {...text} {...shared} value={value as string} />;
  });
}

interface ChoicesProps {
  readonly options: readonly Option[];
  readonly page: string | null;
  readonly value: readonly string[];
  readonly onChange: (value: readonly string[]) => void;
}

/** Several of some values, each with a link to its record if the values are ids of records. */
function Choices({ options, page, value, onChange }: ChoicesProps): ReactNode {
  const text = useTexts(words);
  return options.map((option) => (
    <div key={option.value} className="choice-row">
      <Checkbox
        isSelected={value.includes(option.value)}
        onChange={(isSelected) => {
          const others = value.filter((each) => each !== option.value);
          onChange((isSelected ? [...others, option.value] : others).toSorted());
        }}
      >
        {option.label}
      </Checkbox>
      {page !== null && <RecordLink page={page} record={{ id: option.value, name: text.open }} />}
    </div>
  ));
}

export interface SendFormProps<Data extends object> {
  /** Values that the person enters survive a reload under this name; secrets have none. */
  readonly draft?: string | undefined;
  /** Values of the form in place of a draft. */
  readonly state?: Draft<Values>;
  /** True if what was entered is sent now. */
  readonly isReady?: () => boolean;
  readonly fields: readonly GivenField[];
  readonly document: Document<Data, never>;
  /** Arguments of the mutation beside the values of the fields, such as the `id` of a record. */
  readonly args?: object;
  readonly root?: Root;
  /** The input that has these values, where they are not its fields. */
  readonly shape?: (values: Values) => object;
  /** Further values in `input`. */
  readonly input?: object;
  /** Name of the button. */
  readonly submit?: string;
  readonly isDangerous?: boolean;
  /** Said once it is done; nothing if empty. */
  readonly done?: string | ((payload: PayloadOf<Data>) => string);
  readonly onDone?: (payload: PayloadOf<Data>, values: Values) => void;
  /** Buttons of what is said once it is done. */
  readonly leadTo?: ReturnType<typeof useChangedRecords>;
  readonly onCancel?: () => void;
  /** Name of the box that has a change made although terminals lose software by it, once it was refused for that. */
  readonly force?: string;
  /** Arguments with which the mutation is tried before it is sent, given the input; null while there is nothing to try. */
  readonly dryRun?: (input: Values) => object | null;
  /** Why a change that was tried is not to be sent; null if it is. */
  readonly refusal?: (payload: PayloadOf<Data>) => string | null;
  /** Shown above the fields. */
  readonly help?: string | undefined;
  /** Shown below the fields; `send` sends other arguments in place of the fields. */
  readonly children?: (
    values: Values,
    send: (args: object) => Promise<void>,
    tried: PayloadOf<Data> | null | undefined,
  ) => ReactNode;
}

/** A form that sends one mutation. */
export function SendForm<Data extends object>(props: SendFormProps<Data>): ReactNode {
  const text = useTexts(words);
  const { root, shape = (same) => same, done = text.saved, force = text.force } = props;
  const fields = fieldsOf(props.fields);
  const draft = useDraft(props.draft, emptyOf(fields));
  const { values, set, clear } = props.state ?? draft;
  const mutation = useMutation(props.document as Document<Data, object>);
  const showSecrets = useSecrets();
  const [isForced, setForced] = useState(false);
  const missing = useMissingFields();
  const input = inputOf(fields, values);
  const tried = input && (props.dryRun?.(input) ?? null);
  const probe = useDryRun(props.document as Document<Data, object>, tried);
  const probeReason = useProbeReason(probe);
  const refusal = (): string | null =>
    probeReason ?? (probe.payload && props.refusal?.(probe.payload)) ?? null;
  const errors = [...probe.errors, ...mutation.errors];
  const send = async (args: object | null): Promise<void> => {
    if (args === null) return;
    const variables = { ...props.args, ...args, ...(isForced && { force: true }) };
    const payload = await mutation.run(variables, attachmentOf(fields, values));
    if (payload === null) return;
    clear();
    showSecrets(payload);
    const { warnings = [] } = payload as { readonly warnings?: readonly string[] };
    for (const warning of warnings)
      notify({ text: warning.includes('card number') ? text.cardNumber : warning, tone: 'bad' });
    const said = typeof done === 'string' ? done : done(payload);
    if (said !== '') notify({ text: said, ...props.leadTo?.([payload as object]) });
    props.onDone?.(payload, values);
  };
  const args = input && (root === null ? input : { input: { ...shape(input), ...props.input } });
  return (
    <Form
      {...props}
      {...mutation}
      errors={errors}
      failure={mutation.failure ?? probe.failure}
      onSubmit={() => {
        if (props.isReady?.() ?? true) void send(args);
      }}
      submit={props.submit ?? text.save}
      disabledReason={missing(fields, values) ?? (tried ? refusal() : null)}
      shown={fields.map((field) => pathOf(field, root))}
    >
      {props.help !== undefined && <p>{props.help}</p>}
      <Fields
        {...props}
        {...mutation}
        errors={errors}
        fields={fields}
        values={values}
        set={set}
        required={requiredBy(props.document)}
      />
      {props.children?.(values, send, probe.payload)}
      {(isForced || mutation.errors.some(({ code }) => code === 'IN_USE')) && (
        <Checkbox isSelected={isForced} onChange={setForced}>
          {force}
        </Checkbox>
      )}
    </Form>
  );
}

export interface CreateDialogProps<Data extends object> extends Omit<SendFormProps<Data>, 'onCancel'> {
  readonly title: string;
  /** Opens the new record in the list that is shown. */
  readonly opens?: boolean;
  readonly onClose: () => void;
}

/** Shown by `CreateDialog` of dialog-button.tsx. */
export function CreateDialog<Data extends object>(props: CreateDialogProps<Data>): ReactNode {
  const text = useTexts(words);
  const { title, onClose, onDone, opens = false, submit = text.create } = props;
  const leadTo = useChangedRecords();
  const [, change] = useListAddress();
  return (
    <Dialog title={title} onClose={onClose}>
      <SendForm
        {...props}
        leadTo={leadTo}
        submit={submit}
        onDone={(payload, values) => {
          onClose();
          onDone?.(payload, values);
          if (opens) change({ open: recordIn(payload)?.id, tab: undefined });
        }}
        onCancel={onClose}
      />
    </Dialog>
  );
}
