import type { ReactNode } from 'react';

import { useMutation, type MutationState, type PayloadOf } from '../api/mutation';
import type { Document } from '../api/query';
import type { UserError } from '../api/rules';
import { useListAddress } from '../table/address';
import { useTexts, type Option } from '../text';
import { Dialog } from '../ui/dialog';
import { Choice, TextInput } from '../ui/field';
import { errorAt, Form, useDraft } from '../ui/form';
import { Checkbox, FileInput } from '../ui/inputs';
import { ReferenceInput, type Reference } from '../ui/reference-input';
import { notify } from '../ui/toasts';
import { words } from '../ui/words';
import { attachmentOf, inputOf, pathOf, type FormField, type Root } from './form-field';
import { RecordLink } from './link';
import { recordIn } from './undo';

export type { FormField } from './form-field';

interface FieldsProps<Values> {
  readonly fields: readonly FormField<Values>[];
  readonly values: Values;
  readonly set: (changed: Partial<Values>) => void;
  readonly errors: readonly UserError[];
  /** Share of a file that is sent, 0 to 1; null while none is sent. */
  readonly progress?: number | null;
  readonly root?: Root;
}

export function Fields<Values extends object>(props: FieldsProps<Values>): ReactNode {
  const { fields, values, set, errors, progress = null, root } = props;
  const shown = fields.filter(({ isShown }) => isShown?.(values) ?? true);
  return shown.map((field) => {
    const { name, label, isFlag, isFile, isMany, options, page, find, ...text } = field;
    const error = errorAt(errors, ...pathOf(field, root).split('.'));
    const value: unknown = values[name];
    const change = (changed: unknown): void => set({ [name]: changed } as Partial<Values>);
    if (isFlag === true) {
      return (
        <Checkbox key={name} isSelected={value === true} onChange={change}>
          {label}
        </Checkbox>
      );
    }
    const shared = { label, onChange: change, error, ...(text.help !== undefined && { help: text.help }) };
    if (isFile === true) {
      const file = value instanceof File ? value : null;
      return <FileInput key={name} {...shared} file={file} progress={progress} />;
    }
    if (options && isMany === true) {
      const chosen = value as readonly string[];
      return <Choices key={name} options={options} page={page} value={chosen} onChange={change} />;
    }
    if (options) return <Choice key={name} {...shared} options={options} value={value as string | null} />;
    if (find) return <ReferenceInput key={name} {...shared} find={find} value={value as Reference | null} />;
    return <TextInput key={name} {...text} {...shared} value={value as string} />;
  });
}

interface ChoicesProps {
  readonly options: readonly Option[];
  readonly page: string | undefined;
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
      {page !== undefined && <RecordLink page={page} record={{ id: option.value, name: text.open }} />}
    </div>
  ));
}

interface SendFormProps<Data extends object, Variables, Values> {
  /** Values that the person enters survive a reload under this name; secrets have none. */
  readonly draft?: string | undefined;
  readonly empty: Values;
  readonly fields: readonly FormField<Values>[];
  readonly document: Document<Data, Variables>;
  readonly root?: Root;
  /** Null while something is missing. Without it, `input` has the values of the fields, or each is an argument. */
  readonly variables?: (values: Values) => Variables | null;
  /** Further values in `input`. */
  readonly input?: object;
  /** Name of the button. */
  readonly submit?: string;
  /** Said once it is done. */
  readonly done?: (payload: PayloadOf<Data>) => string;
  readonly onDone?: (payload: PayloadOf<Data>) => void;
  readonly onCancel?: () => void;
  /** Further fields, which hold their values themselves. */
  readonly children?: (mutation: MutationState<Variables, PayloadOf<Data>>, values: Values) => ReactNode;
}

/** A form that sends one mutation. */
export function SendForm<Data extends object, Variables extends object, Values extends object>(
  props: SendFormProps<Data, Variables, Values>,
): ReactNode {
  const text = useTexts(words);
  const { fields, root, onCancel } = props;
  const { values, set, clear } = useDraft(props.draft, props.empty);
  const mutation = useMutation(props.document);
  const input = inputOf(fields, values);
  const variables = props.variables
    ? props.variables(values)
    : input && ((root === null ? input : { input: { ...input, ...props.input } }) as Variables);
  const send = async (): Promise<void> => {
    if (variables === null) return;
    const payload = await mutation.run(variables, attachmentOf(fields, values));
    if (payload === null) return;
    clear();
    notify({ text: props.done?.(payload) ?? text.saved });
    props.onDone?.(payload);
  };
  return (
    <Form
      {...mutation}
      onSubmit={() => void send()}
      {...(onCancel && { onCancel })}
      submit={props.submit ?? text.save}
      isDisabled={variables === null}
      shown={fields.map((field) => pathOf(field, root))}
    >
      <Fields {...props} {...mutation} values={values} set={set} />
      {props.children?.(mutation, values)}
    </Form>
  );
}

export interface CreateDialogProps<Data extends object, Variables, Values> extends Omit<
  SendFormProps<Data, Variables, Values>,
  'onDone' | 'onCancel'
> {
  readonly title: string;
  /** Opens the new record in the list that is shown. */
  readonly opens?: boolean;
  readonly onCreated?: (payload: PayloadOf<Data>) => void;
  readonly onClose: () => void;
}

/** Shown by `CreateDialog` of dialog-button.tsx. */
export function CreateDialog<Data extends object, Variables extends object, Values extends object>(
  props: CreateDialogProps<Data, Variables, Values>,
): ReactNode {
  const text = useTexts(words);
  const { title, onClose, onCreated, opens = false, submit = text.create } = props;
  const [, change] = useListAddress();
  return (
    <Dialog title={title} isOpen onClose={onClose}>
      <SendForm
        {...props}
        submit={submit}
        onDone={(payload) => {
          onClose();
          onCreated?.(payload);
          if (opens) change({ open: recordIn(payload)?.id, tab: undefined });
        }}
        onCancel={onClose}
      />
    </Dialog>
  );
}
