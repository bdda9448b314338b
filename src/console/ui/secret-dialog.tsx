import type { ReactNode } from 'react';

import { useTexts } from '../text';
import { Dialog } from './dialog';
import { Copyable } from './facts';
import { words } from './words';

interface SecretDialogProps {
  /** Name of the secret: "Token". */
  readonly label: string;
  /** Null while none is shown. */
  readonly secret: string | null;
  readonly onClose: () => void;
}

/** Shows once what cannot be shown again, such as a new token. */
export function SecretDialog({ label, secret, onClose }: SecretDialogProps): ReactNode {
  const text = useTexts(words);
  return (
    <Dialog title={label} isOpen={secret !== null} onClose={onClose}>
      <div className="stack">
        <p>{text.shownOnce}</p>
        <Copyable label={label} value={secret ?? ''} />
      </div>
    </Dialog>
  );
}
