import { useState, type ReactNode } from 'react';

import type { EntityType } from '../api/changes';
import { useMutation, type PayloadOf } from '../api/mutation';
import type { Document } from '../api/query';
import { Button } from '../ui/button';
import { Confirm } from '../ui/dialog';
import type { IconName } from '../ui/icon';
import { FailureNote } from '../ui/states';

interface ActionButtonProps<Data, Variables> {
  readonly label: string;
  readonly icon?: IconName;
  readonly isDangerous?: boolean;
  readonly isDisabled?: boolean;
  /** Explains the action before it is confirmed. Without it, nothing is asked. */
  readonly help?: string;
  /** Title of the question; the label without it. */
  readonly title?: string;
  readonly document: Document<Data, Variables>;
  readonly variables: Variables;
  readonly changes?: readonly EntityType[];
  readonly onDone?: (payload: PayloadOf<Data>) => void;
}

/** A button that sends one mutation, and says why if that fails. */
export function ActionButton<Data extends object, Variables extends object>(
  props: ActionButtonProps<Data, Variables>,
): ReactNode {
  const { label, icon, help, title = label, isDangerous = false } = props;
  const [isAsking, setAsking] = useState(false);
  const { run, reset, problem, isRunning } = useMutation(props.document, props.changes);
  const act = async (): Promise<void> => {
    const payload = await run(props.variables);
    if (payload === null) return;
    setAsking(false);
    props.onDone?.(payload);
  };
  const ask = (): void => {
    reset();
    setAsking(true);
  };
  const note = problem && <FailureNote failure={problem} />;
  return (
    <>
      <Button
        look={isDangerous ? 'danger' : 'plain'}
        {...(icon && { icon })}
        isPending={isRunning}
        isDisabled={props.isDisabled ?? false}
        onPress={() => (help === undefined ? void act() : ask())}
      >
        {label}
      </Button>
      {help === undefined && note}
      <Confirm
        title={title}
        action={label}
        isOpen={isAsking}
        isRunning={isRunning}
        isDangerous={isDangerous}
        onClose={() => setAsking(false)}
        onConfirm={() => void act()}
      >
        <div className="stack">
          <p>{help}</p>
          {note}
        </div>
      </Confirm>
    </>
  );
}
