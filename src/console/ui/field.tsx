import { useId, type ComponentProps, type ReactNode } from 'react';

import { useFormat, type Option } from '../text';

interface FieldProps {
  readonly label: string;
  /** Hint on what to enter, below the field. */
  readonly help?: ReactNode;
  /** Message on a wrong value. */
  readonly error?: string | undefined;
  /** True if it is marked as one that must be filled in. */
  readonly isRequired?: boolean;
}

/** Attributes of the control of a field. */
type Control = Pick<ComponentProps<'input'>, 'id' | 'aria-invalid' | 'aria-describedby' | 'aria-required'>;

/** A control with its name above and notes below. */
function Field(props: FieldProps & { readonly children: (control: Control) => ReactNode }): ReactNode {
  const { label, help, error, isRequired = false, children } = props;
  const id = useId();
  const noteId = `${id}-note`;
  const isInvalid = error !== undefined;
  return (
    <div className="field" data-invalid={isInvalid || undefined}>
      <label htmlFor={id} data-required={isRequired || undefined}>
        {label}
      </label>
      {children({
        id,
        'aria-invalid': isInvalid,
        'aria-describedby': noteId,
        ...(isRequired && { 'aria-required': true }),
      })}
      <div id={noteId} className="field-notes">
        {help !== undefined && <p className="field-help">{help}</p>}
        {isInvalid && <p className="field-error">{error}</p>}
      </div>
    </div>
  );
}

interface TextInputProps
  extends FieldProps, Pick<ComponentProps<'input'>, 'type' | 'name' | 'autoComplete' | 'autoFocus'> {
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** Lines of a text area; without them, the field has one line. */
  readonly rows?: number | undefined;
}

export function TextInput(given: TextInputProps): ReactNode {
  const { label, help, error, isRequired = false, rows, onChange, ...props } = given;
  return (
    <Field label={label} help={help} error={error} isRequired={isRequired}>
      {(control) => {
        const Tag = rows === undefined ? 'input' : 'textarea';
        return (
          <Tag {...props} {...control} {...{ rows }} onChange={(event) => onChange(event.target.value)} />
        );
      }}
    </Field>
  );
}

interface ChoiceProps extends FieldProps {
  readonly options: readonly Option[];
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** One of a few values, or another one that it has already. */
export function Choice({ options, value, onChange, ...field }: ChoiceProps): ReactNode {
  const isOther = options.every((option) => option.value !== value);
  const offered = isOther ? [...options, { value, label: value }] : options;
  return (
    <Field {...field}>
      {(control) => (
        <select {...control} value={value} onChange={(event) => onChange(event.target.value)}>
          {offered.map((option) => (
            <option key={option.value} value={option.value}>
              {option.label}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

interface FileInputProps extends FieldProps {
  readonly file: File | null;
  readonly onChange: (file: File | null) => void;
  /** Share that is sent, 0 to 1; null while nothing is sent. */
  readonly progress: number | null;
}

/** A file of the person's machine, with the progress of sending it. */
export function FileInput({ file, progress, onChange, help, ...field }: FileInputProps): ReactNode {
  const format = useFormat();
  return (
    <>
      <Field {...field} help={file ? `${file.name}, ${format.bytes(file.size)}` : help}>
        {(control) => (
          <input {...control} type="file" onChange={(event) => onChange(event.target.files?.[0] ?? null)} />
        )}
      </Field>
      {progress !== null && (
        <progress value={progress} max={1} aria-label={field.label}>
          {format.share(progress)}
        </progress>
      )}
    </>
  );
}

interface CheckboxProps {
  readonly children: ReactNode;
  readonly isSelected: boolean;
  readonly onChange: (isSelected: boolean) => void;
  /** Why it cannot be ticked now; null if it can. */
  readonly disabledReason?: string | null;
}

/** A box to tick. */
export function Checkbox(props: CheckboxProps): ReactNode {
  const { children, isSelected, onChange, disabledReason = null } = props;
  const id = useId();
  const isDisabled = disabledReason !== null;
  return (
    <>
      <label className="checkbox">
        <input
          type="checkbox"
          checked={isSelected}
          disabled={isDisabled}
          aria-describedby={isDisabled ? id : undefined}
          onChange={(event) => onChange(event.target.checked)}
        />
        {children}
      </label>
      {isDisabled && (
        <small id={id} className="faint">
          {disabledReason}
        </small>
      )}
    </>
  );
}
