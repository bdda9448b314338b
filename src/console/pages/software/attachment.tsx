import type { ReactNode } from 'react';

import { mutations, useMutation } from '../../api';
import type { Failure } from '../../api/errors';
import { useMay } from '../../app/session';
import { Button } from '../../ui/button';
import { FailureNote } from '../../ui/states';
import { notify } from '../../ui/toasts';
import { useText } from './words';

interface Attachment {
  readonly attach: (groupId: string) => Promise<void>;
  readonly detach: (groupId: string) => Promise<void>;
  readonly isRunning: boolean;
  /** Why the last change was refused. */
  readonly problem: Failure | null | undefined;
}

/** Allows versions for groups and takes them from groups; the message of each change can take it back. */
export function useAttachment(appVersionIds: string[], onDone?: () => void): Attachment {
  const text = useText();
  const attaching = useMutation(mutations.groupAttachAppVersions);
  const detaching = useMutation(mutations.groupDetachAppVersions);
  const change = async (groupId: string, isAttached: boolean, canUndo = true): Promise<void> => {
    const variables = { id: groupId, appVersionIds };
    const payload = await (isAttached ? attaching : detaching).run(variables);
    if (payload === null) return;
    onDone?.();
    notify({
      text: isAttached ? text.attached : text.detached,
      ...(canUndo && { undo: () => void change(groupId, !isAttached, false) }),
    });
  };
  return {
    attach: (groupId) => change(groupId, true),
    detach: (groupId) => change(groupId, false),
    isRunning: attaching.isRunning || detaching.isRunning,
    problem: attaching.problem ?? detaching.problem,
  };
}

interface AttachButtonProps {
  readonly label: string;
  readonly groupId: string;
  readonly appVersionIds: string[];
  readonly onDone: () => void;
}

/** Allows versions for a group. */
export function AttachButton({ label, groupId, appVersionIds, onDone }: AttachButtonProps): ReactNode {
  const { attach, isRunning, problem } = useAttachment(appVersionIds, onDone);
  if (!useMay('WRITE')) return null;
  return (
    <>
      <Button isPending={isRunning} onPress={() => void attach(groupId)}>
        {label}
      </Button>
      {problem && <FailureNote failure={problem} />}
    </>
  );
}
