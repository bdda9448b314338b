import { useEffect, useState, type ReactNode, type SubmitEvent } from 'react';

import { connection } from '../api/client';
import type { Failure } from '../api/errors';
import type { UserError } from '../api/rules';
import { tabStorage } from '../api/storage';
import { useTexts } from '../text';
import { Button } from './button';
import { FailureNote } from './states';
import { words } from './words';

export interface Draft<Values> {
  readonly values: Values;
  readonly set: (changed: Partial<Values>) => void;
  readonly clear: () => void;
}

const draftName = (key: string | undefined): string => `draft:${connection.company} ${key}`;

/** True if a person has begun to fill in the form with this key. */
export const hasDraft = (key: string): boolean => tabStorage.get(draftName(key)) !== null;

/**
 * Values of a form that is filled in: with a key, they survive a reload of the page until `clear` is called, all but files.
 */
export function useDraft<Values extends object>(key: string | undefined, empty: Values): Draft<Values> {
  const name = draftName(key);
  const isKept = key !== undefined;
  const [initial] = useState(empty);
  const [values, setValues] = useState<Values>(() => ({ ...initial, ...(isKept && tabStorage.read(name)) }));
  useEffect(() => {
    if (!isKept) return;
    const text = JSON.stringify(values, (_name, value: unknown) => (value instanceof File ? null : value));
    tabStorage.set(name, text === JSON.stringify(initial) ? null : text);
  }, [initial, isKept, name, values]);
  return {
    values,
    set: (changed) => setValues((before) => ({ ...before, ...changed })),
    clear: () => {
      tabStorage.set(name, null);
      setValues(initial);
    },
  };
}

interface FormProps {
  readonly onSubmit: () => void;
  readonly submit: string;
  readonly isRunning: boolean;
  readonly failure: Failure | null;
  readonly errors: readonly UserError[];
  /** Paths whose messages stand at their fields, joined by points: `input.name`. All others stand at the end. */
  readonly shown: readonly string[];
  readonly onCancel?: () => void;
  /** Why it cannot be sent now; null if it can. */
  readonly disabledReason?: string | null;
  readonly isDangerous?: boolean;
  readonly children: ReactNode;
}

/** True if an error is of a field, or of a part of its value, by their paths. */
export const isAt = (path: readonly string[], field: string): boolean =>
  `${path.join('.')}.`.startsWith(`${field}.`);

/** Fields and one button to send them. Errors that belong to no field stand above the button. */
export function Form(props: FormProps): ReactNode {
  const text = useTexts(words);
  const { disabledReason = null } = props;
  const others = props.errors.filter(({ path }) => !props.shown.some((field) => isAt(path, field)));
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    if (!props.isRunning && disabledReason === null) props.onSubmit();
  };
  return (
    <form className="form" onSubmit={submit} noValidate>
      {props.children}
      {others.map(({ message, path }) => (
        <p key={`${path.join('.')} ${message}`} className="field-error" role="alert">
          {message}
        </p>
      ))}
      {props.failure && <FailureNote failure={props.failure} />}
      <div className="form-buttons">
        {props.onCancel && <Button onPress={props.onCancel}>{text.cancel}</Button>}
        <Button
          type="submit"
          variant={props.isDangerous === true ? 'danger' : 'primary'}
          isPending={props.isRunning}
          disabledReason={disabledReason}
        >
          {props.submit}
        </Button>
      </div>
    </form>
  );
}
