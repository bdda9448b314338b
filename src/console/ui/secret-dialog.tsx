import type { ReactNode } from 'react';

import { Dialog } from './dialog';
import { Copyable } from './facts';

interface SecretDialogProps {
  /** Name of the secret: "Token". */
  readonly label: string;
  readonly help: string;
  /** Null while none is shown. */
  readonly secret: string | null;
  readonly onClose: () => void;
}

/** Shows once what cannot be shown again, such as a new token. */
export default function SecretDialog({ label, help, secret, onClose }: SecretDialogProps): ReactNode {
  return (
    <Dialog title={label} isOpen={secret !== null} onClose={onClose}>
      <div className="stack">
        <p>{help}</p>
        <Copyable label={label} value={secret ?? ''} />
      </div>
    </Dialog>
  );
}
