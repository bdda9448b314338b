import { useId, type ReactNode } from 'react';

import { useFormat } from '../text';

interface FileInputProps {
  readonly label: string;
  readonly file: File | null;
  readonly onChange: (file: File | null) => void;
  readonly help?: string;
  readonly error?: string | undefined;
  /** Share that is sent, 0 to 1; null while nothing is sent. */
  readonly progress?: number | null;
  /** Endings to choose from: `.csv,.txt`. */
  readonly accept?: string;
}

/** A file of the person's machine, with the progress of sending it. */
export function FileInput(props: FileInputProps): ReactNode {
  const { label, file, help, error, progress = null } = props;
  const id = useId();
  const format = useFormat();
  return (
    <div className="field" data-invalid={error === undefined ? undefined : true}>
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        type="file"
        accept={props.accept}
        aria-describedby={`${id}-note`}
        onChange={(event) => props.onChange(event.target.files?.[0] ?? null)}
      />
      <span id={`${id}-note`} className={error === undefined ? 'field-help' : 'field-error'}>
        {error ?? (file ? `${file.name}, ${format.bytes(file.size)}` : help)}
      </span>
      {progress !== null && (
        <progress value={progress} max={1} aria-label={label}>
          {format.share(progress)}
        </progress>
      )}
    </div>
  );
}

interface CheckboxProps {
  readonly children: ReactNode;
  readonly isSelected: boolean;
  readonly onChange: (isSelected: boolean) => void;
  readonly isDisabled?: boolean;
}

/** A box to tick. */
export function Checkbox({ children, isSelected, onChange, isDisabled = false }: CheckboxProps): ReactNode {
  return (
    <label className="checkbox">
      <input
        type="checkbox"
        checked={isSelected}
        disabled={isDisabled}
        onChange={(event) => onChange(event.target.checked)}
      />
      {children}
    </label>
  );
}
