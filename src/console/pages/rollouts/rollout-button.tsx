import { lazy, useState, type ReactNode } from 'react';

import { DialogButton, type DialogButtonProps } from '../../record/dialog-button';
import type { Named } from '../../record/link';
import { hasDraft } from '../../ui/form';
import { draftKey } from './rollout-form';
import { useText } from './words';

const RolloutDialog = lazy(() => import('./rollout-dialog'));

interface RolloutButtonProps extends Omit<DialogButtonProps, 'dialog'> {
  /** The version to begin with. */
  readonly version?: Named;
}

/** Opens the form of a new rollout, or the draft that was left in it. */
export function RolloutButton({ version, label, ...button }: RolloutButtonProps): ReactNode {
  const text = useText();
  const [, setClosed] = useState(0);
  return (
    <DialogButton
      {...button}
      label={hasDraft(draftKey(version)) ? text.continueDraft : label}
      dialog={(close) => (
        <RolloutDialog
          {...(version && { version })}
          onClose={() => {
            close();
            setClosed(Date.now());
          }}
        />
      )}
    />
  );
}
